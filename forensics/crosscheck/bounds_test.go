package crosscheck

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
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
		defer x.pairs.closeFiles()
		x.logs[waitingJournal], x.logs[facts.TenantLog("acme-corp")] = true, true
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
		must.Do(r, x.pairs.settleApprovals(t.Context()))
		var want pairCount
		for _, side := range sides {
			if len(side) == 2 {
				want.both++
			} else {
				want.open++
			}
		}
		got := *x.pairs.countsOf(waitingJournal)
		check.That(r, got == want, "%+v, want %+v", got, want)
	})
}

var waitingJournal = facts.Log{TenantID: "acme-corp", LogID: berlinLog}

// wait has the comparison take one side of an approval.
func wait(t *testing.T, x *checker, kind string, number int, at int64) {
	t.Helper()
	s := statement{log: waitingJournal, said: &evidence.Said{}, Event: facts.Event{Ref: facts.Ref{Log: 1},
		Header: event.Header{Type: kind}, TransactionID: "tx"}}
	if kind == event.ApprovalRecorded {
		s.log, s.said.Node = facts.TenantLog("acme-corp"), strings.TrimPrefix(berlinLog, "node/")
	}
	s.OccurredAt = at
	// As of a real digest, all of its bytes count.
	s.said.Digest = sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(number)))
	must.Do(t, x.pairs.addSide(t.Context(), &s))
}

// waits is evidence that counts how many approvals wait for their other side whenever
// the comparison asks for a statement.
type waits struct {
	evidence.Reader
	x    *checker
	most int
}

func (w *waits) Chosen(ctx context.Context, log facts.Log,
	choice evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	return func(yield func(*evidence.Typed, error) bool) {
		for e, err := range w.Reader.Chosen(ctx, log, choice) {
			if w.most = max(w.most, len(w.x.pairs.open)); !yield(e, err) {
				return
			}
		}
	}
}

// TestWaiting: of honest logs, as many approvals wait at once as are under way at
// once. Twice as much evidence lets no more of them wait: logs are read by time, not one
// after the other.
func TestWaiting(t *testing.T) {
	const underWay = 32
	sizes := []int{2000, 4000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, approvals := range sizes {
		s := newStage(t)
		busy(s, approvals, underWay)
		counted := &waits{Reader: fill(t, s.files)}
		counted.x = newChecker(counted, s.root(), Options{})
		must.Do(t, counted.x.readParts(t.Context(), nil))
		must.Do(t, counted.x.readStatements(t.Context()))
		both := int64(0)
		for _, c := range counted.x.pairs.counts {
			both += c.both
		}
		if counted.most == 0 || counted.most > underWay+1 || both != int64(approvals) || len(counted.x.pairs.open) > 0 {
			t.Errorf("%d approvals: %d wait at once, %d have both sides, %d wait at the end", approvals, counted.most, both,
				len(counted.x.pairs.open))
		}
	}
}

// busy has three nodes sign approvals. The tenant log records each one when some more were
// signed.
func busy(s *stage, approvals, underWay int) {
	random := chance.New(1).Stream("busy")
	key, tenant := s.Keys.Audit["audit-2026-1"], seal.LogOf(harness.Tenant, theLog, s.tenant)
	logs, journals := make([]*seal.Log, len(s.Nodes)), make([][]seal.Object, len(s.Nodes))
	for i, n := range s.Nodes {
		logs[i] = seal.LogOf(harness.Tenant, "node/"+n.ID(), n.Journal())
	}
	digest := func(n int) string { return seal.SHA256(fmt.Appendf(nil, "approval %d", n)) }
	now := s.Clock.Next()
	for n := range approvals + underWay {
		now = now.Add(time.Second)
		entry := seal.Entry{Type: event.ApprovalSigned, OccurredAt: now, Salt: random.Salt(),
			TransactionID: fmt.Sprintf("tx-%d", n), Data: seal.Object{"approval_sha256": digest(n), "decision": "allow"}}
		if of := n % len(s.Nodes); n < approvals {
			journals[of] = append(journals[of], logs[of].Append(entry, s.Nodes[of].Key()))
		}
		if n -= underWay; n >= 0 {
			entry.Type, entry.TransactionID = event.ApprovalRecorded, fmt.Sprintf("tx-%d", n)
			entry.Data = seal.Object{"approval_sha256": digest(n), "node_id": s.Nodes[n%len(s.Nodes)].ID()}
			s.tenant = append(s.tenant, tenant.Append(entry, key))
		}
	}
	s.collect()
	for i, n := range s.Nodes {
		s.files["journals/"+n.ID()+".ndjson"] = journal(append(n.Journal(), journals[i]...))
	}
}
