package verify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// evidence plays a scene and returns its first bundle and its trust file, as a
// service would hand out the one and a customer collect the other.
func evidence(scene string) (bundleFile, trustFile []byte) {
	s, err := harness.Build(scene, 1, harness.Options{})
	if err != nil {
		panic(err)
	}
	return seal.Canonical(s.Exports[0].Bundle), seal.Canonical(s.Trust)
}

// A proof is verified against the keys of the trust file, and nothing else.
func ExampleVerify() {
	bundleFile, trustFile := evidence("issued")

	root, err := trust.Parse(trustFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := verify.Verify(bundle.Open(bundleFile), root, verify.Policy{MinimumApprovals: 2})

	fmt.Println(report.Verdict)
	fmt.Println(report.Result.Status, "to", report.Result.TenantID, "in", report.Result.TransactionID)
	fmt.Println("approved by", report.Result.ApproverNodeIDs)
	fmt.Println("witnessed by", report.Result.AuditWitnessNodeIDs)
	// Output:
	// verified
	// issued to acme-corp in tx-2026-0001
	// approved by [mesh-berlin-1 mesh-oslo-1]
	// witnessed by [mesh-berlin-1 mesh-lisbon-1]
}

// Faults are returned as findings: data with a stable code and a place.
func ExampleReport_Findings() {
	bundleFile, trustFile := evidence("issued")
	root, err := trust.Parse(trustFile)
	if err != nil {
		fmt.Println(err)
		return
	}

	report := verify.Verify(bundle.Open(bundleFile), root, verify.Policy{MinimumApprovals: 3})
	fmt.Println(report.Verdict)
	for _, f := range report.Findings() {
		fmt.Println(f.Code, "at", f.Path)
		fmt.Println(f.Sentence())
	}
	// Output:
	// rejected
	// approval.under-quorum at /approvals
	// /approvals: expected at least 3 distinct approving nodes, found 2
}

// TestStatusAsOf: of every conformance case, exactly the proven ones have a status_as_of,
// stale ones among them. It matches the bundle's own text.
func TestStatusAsOf(t *testing.T) {
	seen := map[string]int{}
	for _, c := range judgedCases(t) {
		report := c.report
		isProven := !slices.ContainsFunc(report.Checks[:21], func(c verify.Check) bool { return c.Status != verify.Passed })
		must.That(t, report.Proven() == isProven && (report.StatusAsOf != nil) == isProven,
			"%s: proven: %t, a status of %v; the checks say %t", c.Name, report.Proven(), report.StatusAsOf, isProven)
		if !isProven {
			continue
		}
		d := cmp.Diff(asOf(t, c.Bundle, c.root.MinimumWitnesses()), *report.StatusAsOf)
		check.That(t, d == "", "%s: %s", c.Name, d)
		seen[string(report.Verdict)]++
		if report.StatusAsOf.QuorumWitnessedAt == "" {
			seen["legacy"]++
		}
		if report.StatusAsOf.QuorumWitnessedAt != report.StatusAsOf.EarliestWitnessedAt {
			seen["more than a quorum"]++
		}
	}
	for _, kind := range []string{"verified", "inconclusive", "legacy", "more than a quorum"} {
		check.That(t, seen[kind] >= 2, "%d cases are %s", seen[kind], kind)
	}
}

// asOf reads the state from the text of a bundle that holds. Times of one form
// sort as text.
func asOf(t *testing.T, doc []byte, minimum int) verify.StatusAsOf {
	t.Helper()
	var b struct {
		Checkpoint struct {
			Statement struct {
				Sequence          uint64 `json:"sequence"`
				CreatedAt         string `json:"created_at"`
				RequiredWitnesses int    `json:"required_witnesses"`
			} `json:"statement"`
		} `json:"checkpoint"`
		Receipts []struct {
			Statement struct {
				WitnessedAt string `json:"witnessed_at"`
			} `json:"statement"`
		} `json:"witness_receipts"`
	}
	must.Do(t, json.Unmarshal(doc, &b))
	of := b.Checkpoint.Statement
	as := verify.StatusAsOf{Sequence: of.Sequence, CreatedAt: of.CreatedAt}
	var times []string
	for _, w := range b.Receipts {
		times = append(times, w.Statement.WitnessedAt)
	}
	slices.Sort(times)
	if n := len(times); n > 0 {
		as.EarliestWitnessedAt, as.QuorumWitnessedAt = times[0], times[n-max(minimum, of.RequiredWitnesses)]
	}
	return as
}
