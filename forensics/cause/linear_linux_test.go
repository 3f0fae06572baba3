package cause

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// manyUses are cases with so many uses of keys, each under a key of its own.
var manyUses = map[string]func(n uint64) Facts{
	"checkpoints at their own sequences": func(n uint64) Facts {
		return usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			u := walk.KeyUse{Log: berlin, Kind: facts.SignedCheckpoints, Count: 1, First: i, Last: i}
			return u, about(berlin, finding.AnchorKeyUnknown, i, i)
		})
	},
	"checkpoints up to the end": func(n uint64) Facts {
		return usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			u := walk.KeyUse{Log: berlin, Kind: facts.SignedCheckpoints, Count: 2, First: i, Last: n}
			return u, about(berlin, finding.AnchorKeyUnknown, i, i)
		})
	},
	"reports, below one finding about all": func(n uint64) Facts {
		f := usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			u := walk.KeyUse{Log: berlin, Kind: facts.SignedReports, Count: 1, First: i, Last: i}
			return u, about(berlin, finding.ReportKeyUnknown, i, i)
		})
		f.Findings = append(f.Findings, about(berlin, finding.ReportKeyUnknown, 1, n))
		return f
	},
	"events of a log": func(n uint64) Facts {
		f := usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			return use(berlin, "", false, 1, 0, 1, i), about(berlin, finding.KeyUnknown, i, i)
		})
		f.Saw.Keys = append(f.Saw.Keys, use(berlin, "pinned", true, 1, 1, 1, n+1)) // the tenant is no other environment
		return f
	},
	"events of another environment": func(n uint64) Facts {
		return usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			return use(berlin, "", false, 1, 0, 1, i), about(berlin, finding.NotInJournal, i, i)
		})
	},
	"events of other environments": func(n uint64) Facts {
		return usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			log := facts.Log{TenantID: fmt.Sprint("t", i/2), LogID: "node/berlin"}
			return use(log, "", false, 1, 0, 1, i), about(log, finding.KeyUnknown, i, i)
		})
	},
	"parts of bundles": func(n uint64) Facts {
		return usesOf(n, func(i uint64) (walk.KeyUse, finding.Finding) {
			at := []finding.Evidence{{Source: fmt.Sprint(i)}}
			f := about(berlin, finding.BundleRejected, 0, 0)
			f.Evidence = at
			return walk.KeyUse{Log: berlin, Kind: facts.SignedParts, Count: 1, First: 1, Last: 1, Places: at}, f
		})
	},
}

// usesOf is a case with so many uses of keys, each with a finding and a log.
func usesOf(n uint64, use func(i uint64) (walk.KeyUse, finding.Finding)) Facts {
	var logs []walk.LogResult
	var saw walk.Facts
	var found []finding.Finding
	known := map[facts.Log]bool{}
	for i := uint64(1); i <= n; i++ {
		u, f := use(i)
		u.KeyID = fmt.Sprint("key-", i)
		if !known[u.Log] {
			known[u.Log], logs = true, append(logs, whole(u.Log, n))
			logs[len(logs)-1].SignatureValid = 0
		}
		saw.Keys, found = append(saw.Keys, u), append(found, f)
	}
	return factsOf(logs, saw, found...)
}

// TestManyKeys: eight times as many keys take about eight times as long, and every finding
// that an unknown key explains is explained.
func TestManyKeys(t *testing.T) {
	const times, attempts = 8, 6
	n := uint64(2500)
	if testing.Short() {
		n = 400
	}
	for name, of := range manyUses {
		t.Run(name, func(t *testing.T) {
			few, many := of(n), of(times*n)
			least, most := spent(t, few), spent(t, many)
			fits := func() bool { return most <= 2*times*least+50*time.Millisecond }
			for try := 1; try < attempts && !fits(); try++ {
				least, most = min(least, spent(t, few)), min(most, spent(t, many))
			}
			check.That(t, fits(), "%d keys took %v, and %d took %v", n, least, times*n, most)
		})
	}
}

// spent is the CPU time in which the causes are found.
func spent(t *testing.T, f Facts) time.Duration {
	t.Helper()
	now := func() time.Duration {
		var used syscall.Rusage
		must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	before := now()
	explained := map[int]bool{}
	for _, c := range Find(f) {
		for _, i := range c.Findings {
			explained[i] = true
		}
	}
	took := now() - before
	check.That(t, len(explained) == len(f.Findings), "%d of %d findings are explained", len(explained), len(f.Findings))
	return took
}
