package archives

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// sharesDocument has the commands for parts of evidence in S3.
const sharesDocument = "../../scale/s3/README.md"

// evidence puts the logs of a small fleet into a bucket, and makes buckets for parts.
func (s *store) evidence(t *testing.T) {
	t.Helper()
	e := must.Get(fleet.Build(fleet.Scene, 1, 0))(t)
	must.Do(t, e.Write(s.dir, fleet.TrustFile))
	must.Do(t, os.WriteFile(filepath.Join(s.dir, "part.key"), bytes.Repeat([]byte("k"), 32), 0o600))
	must.Do(t, e.Write(filepath.Join(s.dir, "logs"), "journals", fleet.TenantLog, fleet.Checkpoints))
	s.want(t, 0, "for bucket in evidence parts planned; do aws s3 mb s3://$bucket; done\n"+
		"aws s3 cp --recursive --only-show-errors logs s3://evidence")
}

// verdicts returns the verdict of one machine over a case, and the verdict on parts.
func (s *store) verdicts(t *testing.T, conclude string) (want, got string) {
	t.Helper()
	want, code := s.sh(t, "svc-verify walk case.db --trust trust.json --output json 2> said")
	s.want(t, code, conclude)
	return want, string(must.Get(os.ReadFile(filepath.Join(s.dir, "verdict.json")))(t))
}

// unplanned matches the assumption of a verdict that had no plan.
var unplanned = regexp.MustCompile(`(?s)  "assumed": \[\n    \{\n      "what": "input",\n[^}]*\}\n  \],\n`)

// TestPartsByPipe follows the recipe for pipes: each object becomes a part, which is
// put whole or not at all.
func TestPartsByPipe(t *testing.T) {
	s := newStore(t)
	s.evidence(t)
	steps := recipe(t, sharesDocument, "By pipe", 2)
	s.want(t, 0, "find logs -type f | sort | while IFS= read -r path; do svc-verify ingest case.db - < $path; done")
	s.want(t, 0, steps[0])
	want, got := s.verdicts(t, steps[1])
	check.That(t, unplanned.MatchString(got) && unplanned.ReplaceAllString(got, "") == want,
		"one machine:\n%s\nparts:\n%s", want, got)

	s.want(t, 2, "part.sh s3://evidence/none s3://parts/none.part --trust trust.json")
	s.want(t, 2, "part.sh s3://evidence/tenant.ndjson s3://none/tenant.part --trust trust.json")

	// A download breaks off behind a line, which looks like the end of a log.
	broken := "mkdir broken\n" +
		`printf '#!/bin/sh\n%s "$@" | head -n 3\nexit 1\n' "$(command -v aws)" > broken/aws` + "\n" +
		"chmod +x broken/aws\nPATH=$PWD/broken:$PATH part.sh s3://evidence/tenant.ndjson s3://parts/broken.part --trust trust.json"
	s.want(t, 2, broken)
	if out := s.want(t, 0, "aws s3 ls s3://parts"); strings.Contains(out, "none") || strings.Contains(out, "broken") {
		t.Errorf("a part of nothing was put:\n%s", out)
	}
}

// TestPartsByMount follows the recipe for a mount: every worker reads its share of the
// plan through s3fs.
func TestPartsByMount(t *testing.T) {
	s := newStore(t)
	s.evidence(t)
	steps := recipe(t, sharesDocument, "By mount", 4)
	s.want(t, 0, steps[0])
	t.Cleanup(func() { s.want(t, 0, "umount mounted") })
	s.want(t, 0, "svc-verify ingest case.db mounted")
	s.want(t, 0, steps[1])
	s.want(t, 0, "for I in 0 1 2 3; do\n"+steps[2]+"done")
	if want, got := s.verdicts(t, steps[3]); want != got {
		t.Errorf("one machine:\n%s\nparts:\n%s", want, got)
	}

	// An object that is no longer the planned one.
	s.want(t, 0, "sed 's/allow/deny/' logs/tenant.ndjson > other; ! cmp -s other logs/tenant.ndjson\n"+
		"aws s3 cp --only-show-errors other s3://evidence/tenant.ndjson\nrm part.local")
	if out := s.want(t, 2, "code=0; for I in 0 1 2 3; do\n(\n"+steps[2]+
		") || code=$?\ndone; exit $code"); !strings.Contains(out, "tenant.ndjson") {
		t.Errorf("it is not said what changed:\n%s", out)
	}
}
