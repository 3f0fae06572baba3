package crosscheck

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestPairsInAnyOrder compares pairs that are spilled after every few approvals with
// pairs that stay in memory, over approvals in a drawn order.
func TestPairsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom([]string{event.ApprovalSigned, event.ApprovalRecorded})
		kinds := rapid.SliceOfN(kind, 0, 60).Draw(r, "kinds")
		numbers := rapid.SliceOfN(rapid.IntRange(0, 12), len(kinds), len(kinds)).Draw(r, "numbers")
		sides := map[int]map[string]bool{}
		x := newChecker(placeless{fill(t, nil)}, nil, Options{})
		defer x.pairs.close()
		x.logs[waitingJournal], x.logs[facts.TenantLog("acme-corp")] = evidence.Log{}, evidence.Log{}
		for i, kind := range kinds {
			if sides[numbers[i]] == nil {
				sides[numbers[i]] = map[string]bool{}
			}
			if sides[numbers[i]][kind] {
				continue // a copy: the comparison looks for its other side in the evidence
			}
			sides[numbers[i]][kind] = true
			wait(t, x, kind, numbers[i], int64(i))
			if rapid.IntRange(0, 3).Draw(r, "spill") == 0 {
				must.Do(r, x.pairs.spill())
			}
		}
		must.Do(r, x.pairs.settle(t.Context()))
		var want pairCount
		for _, side := range sides {
			if len(side) == 2 {
				want.both++
			} else {
				want.open++
			}
		}
		got := *x.pairs.of(waitingJournal)
		check.That(r, got == want, "%+v, want %+v", got, want)
	})
}

var waitingJournal = facts.Log{TenantID: "acme-corp", LogID: berlinLog}

// wait has the comparison take one side of an approval.
func wait(t *testing.T, x *checker, kind string, number int, at int64) {
	t.Helper()
	s := statement{log: waitingJournal, said: &evidence.Said{}, Event: facts.Event{Ref: 1,
		Header: event.Header{Type: kind}, TransactionID: "tx"}}
	if kind == event.ApprovalRecorded {
		s.log, s.said.Node = facts.TenantLog("acme-corp"), strings.TrimPrefix(berlinLog, "node/")
	}
	s.OccurredAt = at
	// As of a real digest, all of its octets count.
	s.said.Digest = sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(number)))
	must.Do(t, x.pairs.take(t.Context(), &s))
}
