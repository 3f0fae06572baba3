package replay

import (
	"testing"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/outcome"
)

// TestVerdicts: each pair of verdicts is counted as such, and decides the outcome of the
// change.
func TestVerdicts(t *testing.T) {
	const (
		v, r, i = outcome.Verified, outcome.Rejected, outcome.Inconclusive
		none    = outcome.Inconclusive // the class if nothing could be lost
	)
	for _, c := range []struct {
		before, after outcome.Class
		effect        string
		class         outcome.Class
	}{
		{v, v, "", v}, {v, r, Lost, r}, {v, i, Lost, r},
		{r, v, Gained, v}, {r, r, "", none}, {r, i, Changed, none},
		{i, v, Gained, v}, {i, r, Changed, none}, {i, i, "", none},
	} {
		for _, with := range []struct {
			again bool
			n     int64
		}{{false, 0}, {true, 1}} {
			result := newResult(Options{})
			result.add(&judged{path: "a", again: with.again, before: judgement(c.before), after: judgement(c.after)})
			result.add(&judged{path: "b", before: object.Judgement{Kind: object.Other}})
			result.conclude()
			effects := map[string]int64{Lost: result.Lost, Gained: result.Gained, Changed: result.Changed}
			for effect, n := range effects {
				check.That(t, (n == 1) == (effect == c.effect), "%+v: %s %d times", c, effect, n)
			}
			check.That(t, len(result.Verdicts) == 1 && result.Verdicts[0] == (Verdicts{c.before, c.after, 1}) &&
				result.VerifiedBefore == count(c.before == v) && result.VerifiedAfter == count(c.after == v) &&
				result.JudgedAfter == with.n && result.Class() == c.class, "%+v: %+v, %s", c, result, result.Class())
		}
	}
}

func judgement(class outcome.Class) object.Judgement {
	codes := map[outcome.Class]finding.Code{outcome.Rejected: "a.code"} // the other verdicts have none
	return object.Judgement{Kind: object.Logs, Verdict: class, Code: codes[class]}
}

func count(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}
