package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// judged is a conformance case and the report on it.
type judged struct {
	fixtures.Case
	in     *bundle.Input
	root   *trust.Root
	policy verify.Policy
	report *verify.Report
}

var judgeOnce = sync.OnceValues(func() (list []judged, err error) {
	cases, err := fixtures.Cases()
	for _, c := range cases {
		root, fault := trust.Parse(c.Trust)
		if fault != nil {
			continue // a case about a trust file that must be refused
		}
		j := judged{Case: c, in: bundle.Open(c.Bundle), root: root}
		if j.policy, err = c.Policy.Verify(); err != nil {
			return nil, err
		}
		j.report = verify.Verify(j.in, j.root, j.policy)
		list = append(list, j)
	}
	return list, err
})

// judgedCases returns all conformance cases about bundles, verified once for all tests.
func judgedCases(t testing.TB) []judged { return must.Get(judgeOnce())(t) }

// TestNoCheckIsIdle: for every check there is a conformance case whose verdict
// changes if that check alone passes. A check without one could be lost
// unnoticed.
func TestNoCheckIsIdle(t *testing.T) {
	needed := map[verify.CheckID]string{}
	all := verify.Policy{At: time.Unix(0, 0), MaxAge: time.Hour, Status: bundle.Issued} // so that the list is whole
	list := verify.Verify(bundle.Open(nil), &trust.Root{}, all).Checks
	for _, c := range judgedCases(t) {
		for i, check := range c.report.Checks {
			if c.Expect.Only && c.Expect.Check == string(check.ID) &&
				c.report.Verdict != verify.VerdictOf(passing(c.report.Checks, i)) {
				needed[check.ID] = c.Name
			}
		}
	}
	for _, check := range list {
		if needed[check.ID] == "" {
			t.Errorf("%s: no case gets another verdict without it", check.ID)
		}
		t.Logf("%s: %s", check.ID, needed[check.ID])
	}
}

// passing returns the checks as if the i-th had passed.
func passing(checks []verify.Check, i int) []verify.Check {
	all := slices.Clone(checks)
	n := max(all[i].Examined, 1)
	all[i].Status, all[i].Examined, all[i].Held, all[i].Findings = verify.Passed, n, n, nil
	return all
}

// TestReportsFollowTheirSchemas: over all conformance cases, a report has the published form,
// and the same bytes when it is made again. With -short, one case in five is said again.
func TestReportsFollowTheirSchemas(t *testing.T) {
	seen := map[verify.Verdict]int{}
	for i, c := range judgedCases(t) {
		report := c.report
		seen[report.Verdict]++
		text := conforms(t, c.Name, "report", report)
		if i%5 == 0 || !testing.Short() {
			again := must.Get(json.Marshal(verify.Verify(c.in, c.root, c.policy)))(t)
			check.That(t, bytes.Equal(text, again), "%s: a second report has other bytes", c.Name)
		}
		if report.Result == nil {
			conforms(t, c.Name, "result", report.Failure())
			continue
		}
		conforms(t, c.Name, "result", report.Result)
		conforms(t, c.Name, "result", report.Result.Brief())
	}
	check.That(t, len(seen) == 3, "not every verdict occurred: %v", seen)
}

// conforms encodes a document and checks it against a schema.
func conforms(t *testing.T, name, schema string, document any) []byte {
	t.Helper()
	text := must.Get(json.Marshal(document))(t)
	check.OK(t, schemas.Conformance(schema, text), "%s", name)
	return text
}

// TestDemandsOfProven: of the demands on a proof that is not genuine, only freshness is examined,
// since the findings of the others are about genuine ones.
func TestDemandsOfProven(t *testing.T) {
	all := fresh
	all.TenantID, all.Status, all.InForceAt = "other", bundle.Revoked, fresh.At
	for i, c := range judgedCases(t) {
		if c.in.Bundle == nil || i%5 != 0 && testing.Short() {
			continue
		}
		report := verify.Verify(c.in, c.root, all)
		for _, asked := range report.Checks[21:] {
			ran := asked.Status != verify.Skipped
			check.Equal(t, ran, report.Proven() || asked.ID == "status.fresh", "%s: %s ran", c.Name, asked.ID)
		}
	}
}

// rulesFile has the version of the rules and, for each conformance case, a digest of the
// judged input and the judgement.
const rulesFile = "testdata/rules.golden"

// TestRules: if a bundle gets another verdict or first finding than it had, the rules have
// another version, as a verdict that an archive keeps would be used again otherwise. Input
// that is judged for the first time needs no other version.
func TestRules(t *testing.T) {
	doc, err := os.ReadFile(rulesFile)
	must.That(t, err == nil || verify.Update(), "%v", err)
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

// TestRefusedExtensionIsNamed: the message about an extension, or about a use of the key,
// names it.
func TestRefusedExtensionIsNamed(t *testing.T) {
	want := map[string]string{
		"application-policies":            "1.3.6.1.4.1.311.21.10 (Microsoft application policies)",
		"account-sid":                     "1.3.6.1.4.1.311.25.2 (Microsoft account SID)",
		"netscape-certificate-type":       "2.16.840.1.113730.1.1 (nsCertType)",
		"proxy-certificate":               "1.3.6.1.5.5.7.1.14 (proxyCertInfo)",
		"delegation-usage":                "1.3.6.1.4.1.44363.44 (DelegationUsage)",
		"issuer-alternative-name":         "2.5.29.18 (issuerAltName)",
		"unknown-extension":               "1.3.6.1.4.1.99999.1",
		"critical-extension":              "critical 1.3.6.1.4.1.99999.1",
		"critical-subject-key-identifier": "critical 2.5.29.14 (subjectKeyIdentifier)",
		"may-encipher-data":               "digitalSignature, dataEncipherment",
	}
	seen := 0
	for _, c := range judgedCases(t) {
		name, ok := want[strings.TrimPrefix(c.Name, "certificate.constrained/")]
		if !ok {
			continue
		}
		seen++
		found := c.report.Findings()
		check.That(t, len(found) == 1 && found[0].Found == name && strings.Contains(found[0].Sentence(), name),
			"%s: expected one finding that names %s, found %+v", c.Name, name, found)
	}
	check.That(t, seen == len(want), "%d of %d cases are there", seen, len(want))
}
