package second_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFreshnessIsJudgedAlike: the verifiers agree on the freshness of genuine
// bundles, a millisecond to both sides of every bound, and on that of bundles
// whose receipts do not hold.
func TestFreshnessIsJudgedAlike(t *testing.T) {
	all := must.Get(fixtures.Cases())(t)
	var cases []fixtures.Case
	for _, c := range all {
		family, _, _ := strings.Cut(c.Name, "/")
		if slices.Contains([]string{"status.fresh", "verified", "checkpoint.witnessed"}, family) &&
			!strings.Contains(c.Name, "large") {
			cases = append(cases, asked(c)...)
		}
	}
	least := 20
	if testing.Short() { // a sample, which comes to all bounds in turn
		least = 5
		all, cases = cases, nil
		for i := 0; i < len(all); i += 4 {
			cases = append(cases, all[i])
		}
	}
	verdicts := map[string]int{}
	t.Logf("%d cases", len(cases))
	judgements := second(t, cases)
	for i, c := range cases {
		our := must.Get(c.Run())(t)
		their := judgements[i]
		if their.Name != c.Name || their.Verdict != our.Verdict || !slices.Equal(their.Failed, our.Failed) ||
			!slices.Equal(their.Empty, our.Empty) {
			t.Errorf("%s at %s, %d s: %s, failed %v, empty %v; the second verifier says %+v",
				c.Name, c.Policy.At, c.Policy.MaxAgeSeconds, our.Verdict, our.Failed, our.Empty, their)
		}
		verdicts[our.Verdict+" "+our.Code]++
	}
	for _, want := range []string{"verified ", "inconclusive status.stale", "inconclusive status.later"} {
		check.That(t, verdicts[want] >= least, "%d are %s; of all: %v", verdicts[want], want, verdicts)
	}
}

// asked returns a case with policies whose limits are at, or a millisecond beside,
// a time of the checkpoint or of a receipt.
func asked(c fixtures.Case) (cases []fixtures.Case) {
	in := bundle.Open(c.Bundle)
	if in.Bundle == nil || len(in.Faults) > 0 {
		return nil
	}
	const age = 86400
	created := in.Bundle.Checkpoint.Unverified().CreatedAt
	at := []time.Time{created.Add(-300 * time.Second), created.Add(age * time.Second)}
	for _, w := range in.Bundle.Witnesses {
		at = append(at, w.Unverified().WitnessedAt.Add(age*time.Second))
	}
	for _, limit := range at {
		for beside := -time.Millisecond; beside <= time.Millisecond; beside += time.Millisecond {
			if limit.Year() > 9999 {
				continue
			}
			one := c
			one.Name = fmt.Sprintf("%s %d", c.Name, len(cases))
			one.Policy.At, one.Policy.MaxAgeSeconds = seal.Time(limit.Add(beside)), age
			cases = append(cases, one)
		}
	}
	return cases
}
