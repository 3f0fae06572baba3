package verify_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// rulesFile has the version of the rules and, for each conformance case, a digest of
// what is judged and the judgement.
const rulesFile = "testdata/rules.golden"

// TestRules: if a bundle gets another verdict or first finding than it had, the rules
// have another version, as a verdict that an archive keeps would be used again
// otherwise. What is judged for the first time needs no other version.
func TestRules(t *testing.T) {
	doc, err := os.ReadFile(rulesFile)
	if err != nil && !verify.Update() {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(doc)), "\n")
	before := map[string]string{}
	for _, line := range lines[1:] {
		judged, judgement, _ := strings.Cut(line, " ")
		before[judged] = judgement
	}
	now := "rules " + verify.Rules + "\n"
	for _, c := range judgedCases(t) {
		judged, judgement := c.judgement()
		if was, there := before[judged]; there && was != judgement && lines[0] == "rules "+verify.Rules {
			t.Errorf("%s: it was\n%s\nand is now\n%s\nset verify.Rules to the next version", c.Name, was, judgement)
		}
		now += judged + " " + judgement + "\n"
	}
	if t.Failed() || string(doc) == now {
		return
	}
	must.That(t, verify.Update(), "%s is out of date: go test ./verify -run TestRules -update", rulesFile)
	must.Do(t, os.WriteFile(rulesFile, []byte(now), 0o644))
}

// judgement returns a digest of everything that a verdict depends on, and the verdict
// with the code, place and values of the first finding.
func (j judged) judgement() (judged, judgement string) {
	first, _ := j.report.First()
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %x %+v", j.in.SHA256, j.root.SHA256(), j.Policy))
	return fmt.Sprintf("%x", sum[:16]), fmt.Sprintf("%s %s %q expected %q, found %q", j.report.Verdict, first.Code,
		first.Path, first.Expected, first.Found)
}
