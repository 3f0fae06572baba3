package bag_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestNoMoreThanSaid: what a bag has beyond what Payload-Oxum says is not read. A file
// that costs nothing, as it was never written, costs its reader nothing either.
func TestNoMoreThanSaid(t *testing.T) {
	const more = "it was not read"
	for what, test := range map[string]struct {
		sizes  map[string]int64 // of what is in the payload instead
		unread []string
	}{
		"a file that grew a little":       {map[string]int64{"b": 11}, nil},
		"a file of all the octets":        {map[string]int64{"b": 30}, nil},
		"a file larger than the payload":  {map[string]int64{"b": 31}, []string{"b"}},
		"a sparse file":                   {map[string]int64{"a": 1 << 40}, []string{"a"}},
		"sparse files that are new":       {map[string]int64{"a0": 1 << 29, "a1": 1 << 29}, []string{"a0", "a1"}},
		"many files, twice as much":       {map[string]int64{"d": 30}, nil},
		"many files, more than twice":     {map[string]int64{"d": 30, "e": 1}, []string{"e"}},
		"many files, one of them is less": {map[string]int64{"a": 30, "b": 30, "c": 1}, []string{"c"}},
	} {
		dir := made(t, map[string]string{"a": "0123456789", "b": "0123456789", "c": "0123456789"})
		for name, size := range test.sizes {
			f := must.Get(os.OpenFile(filepath.Join(dir, "data", name), os.O_RDWR|os.O_CREATE, 0o600))(t)
			must.Do(t, f.Truncate(size))
			must.Do(t, f.Close())
		}
		r := must.Get(bag.CheckFolder(t.Context(), dir, bag.Options{}))(t)
		var unread []string
		for _, f := range r.Findings {
			if strings.Contains(f.Message, more) {
				unread = append(unread, strings.TrimPrefix(f.Path, "data/"))
			}
		}
		check.That(t, strings.Join(unread, " ") == strings.Join(test.unread, " "), "%s: not read are %q, want %q", what,
			unread, test.unread)
		check.That(t, r.Verdict == "rejected", "%s: %s", what, r.Verdict)
	}
}
