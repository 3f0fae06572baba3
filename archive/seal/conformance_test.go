package seal_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/casefiles"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "seals")

// answer judges a conformance case.
func answer(t *testing.T, c fixtures.Seal) fixtures.SealAnswer {
	t.Helper()
	trusted, err := sealkey.ParseTrust(c.Files["seal-trust.json"])
	must.Do(t, err)
	var r *seal.Report
	if proof, ok := c.Files["proof.json"]; ok {
		r, err = seal.VerifyObject(proof, trusted, bytes.NewReader(c.Files["object"]))
	} else {
		var a seal.Against
		if leaves, ok := c.Files["leaves.ndjson"]; ok {
			a.Leaves = bytes.NewReader(leaves)
		}
		if objects := c.Below("archive"); objects != nil {
			files := archive{}
			for path, content := range objects {
				files[path] = string(content)
			}
			a.Archive = open(t, files.write(t))
		}
		r, err = seal.Verify(context.Background(), c.Files["seal.json"], trusted, a)
	}
	must.Do(t, err)
	got := fixtures.SealAnswer{Verdict: string(r.Verdict)}
	if len(r.Findings) > 0 {
		got.Finding = string(r.Findings[0].Code)
		if r.Findings[0].In == "archive" {
			got.Path = r.Findings[0].Path
		}
	}
	return got
}

// TestConformance: every case has the answer that it expects, every finding that files
// alone can have has a case, and the files are what the generator makes.
func TestConformance(t *testing.T) {
	made := makeCases(t)
	casefiles.Keep(t, folder, *update, made)
	cases := must.Get(fixtures.ReadSamples[fixtures.SealAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(made) && len(cases) >= 40, "%d cases on disk, %d generated", len(cases), len(made))
	seen := map[finding.Code]bool{}
	for _, c := range cases {
		check.Equal(t, answer(t, c), c.Expect, "%s", c.Name)
		seen[finding.Code(c.Expect.Finding)] = true
	}
	elsewhere := map[finding.Code]bool{seal.SealRun: true, seal.ObjectUnreadable: true,
		seal.ObjectNotAccepted: true} // which need a ledger or a folder with links
	codes := []finding.Code{seal.ObjectAltered, seal.ObjectMissing, seal.ObjectAdded}
	for _, e := range finding.Codes("seals") {
		codes = append(codes, e.Code)
	}
	for _, code := range codes {
		check.That(t, seen[code] || elsewhere[code], "no case of %s", code)
	}
}
