package main

import (
	"fmt"
	"os"

	"github.com/svc-edge/svc-verify/fixtures/gen"
	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/messy"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// mostMessy bounds the seeds of one archive. The collections of a seed have up to two megabytes.
const mostMessy = 100

// writeMessy writes the collections of some seeds.
func writeMessy(c *cliapp.Context) (int, error) {
	seed, count := c.Number("seed"), c.Number("count")
	if count < 1 || count > mostMessy || seed < 0 {
		return 0, cliapp.Usagef("--count is 1 to %d, and --seed is 0 or more", mostMessy)
	}
	evidence, err := fleet.Build(fleet.Scene, 1, 0)
	if err != nil {
		return 0, err
	}
	collections := gen.MakeCollections(messy.From(evidence), uint64(seed), count)
	archive, err := kit.MakeArchive(&kit.Corpus{Collections: collections})
	if err != nil {
		return 0, err
	}
	if len(archive) > kit.MaxArchive {
		return 0, fmt.Errorf("the archive has %d bytes, at most %d can be read; ask for fewer", len(archive), kit.MaxArchive)
	}
	return 0, os.WriteFile(c.Text("out"), archive, 0o644) // #nosec G306 -- made-up evidence
}
