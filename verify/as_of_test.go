package verify_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestStatusAsOf: of every conformance case, exactly the proven ones have a
// status_as_of, stale ones among them. It says what the bundle's own text says.
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
		if d := cmp.Diff(asOf(t, c.Bundle, c.root.MinimumWitnesses()), *report.StatusAsOf); d != "" {
			t.Errorf("%s: %s", c.Name, d)
		}
		seen[string(report.Verdict)]++
		if report.StatusAsOf.QuorumWitnessedAt == "" {
			seen["legacy"]++
		}
		if report.StatusAsOf.QuorumWitnessedAt != report.StatusAsOf.EarliestWitnessedAt {
			seen["more than a quorum"]++
		}
	}
	for _, kind := range []string{"verified", "inconclusive", "legacy", "more than a quorum"} {
		if seen[kind] < 2 {
			t.Errorf("%d cases are %s", seen[kind], kind)
		}
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
