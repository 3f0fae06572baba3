package ingest

import (
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
)

// TestReadAgainInAnotherWay: a reading takes the place of an earlier one of the
// same content, and leaves what other sources delivered. What the case holds is
// then what the last readings alone give.
func TestReadAgainInAnotherWay(t *testing.T) {
	dir, paths, want := folderOfSources(t)
	other := Options{Read: read.Options{BatchAttributes: []string{"not-there"}}}
	wrong := Options{Read: read.Options{Format: read.Kafka}}
	for i, first := range append(paths, dir) {
		if first != dir && i%chance.Sized(2, 13) != 0 {
			continue
		}
		for name, o := range map[string]Options{"another attribute": other, "another format": wrong} {
			if name == "another format" && first != dir {
				continue
			}
			path := newCase(t, o, dir)
			fill(t, path, Options{}, first) // some
			if name == "another attribute" {
				sameDump(t, dump(t, path), want)
			}
			fill(t, path, Options{}, dir) // all
			sameDump(t, dump(t, path), want)
		}
	}
}
