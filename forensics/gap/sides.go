package gap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// OneSided is a transaction whose approval (SPEC 4.4) is recorded in another log
// but not in this one.
type OneSided struct {
	TransactionID string `json:"transaction_id"`
	Lacks         string `json:"lacks"`  // the type of the event that is not here
	LogID         string `json:"log_id"` // place of the other side
	Sequence      uint64 `json:"sequence"`
}

const (
	// mostSides bounds the approvals whose two sides are brought together.
	mostSides = 1 << 16

	// mostOneSided and mostKnown bound the lists of one gap.
	mostOneSided = 16
	mostKnown    = 64

	// apart is how far the clocks of a node and of the service may be apart, in
	// milliseconds, twice: the tolerance of SPEC 7.13 for each.
	apart = 2 * 300_000
)

// approval is an approval, by the journal of the node that gave it.
type approval struct {
	journal facts.Log
	sha256  [32]byte
}

// sideOf is one of the two sides of an approval.
type sideOf struct {
	OneSided
	at  int64     // when it was written, milliseconds since 1970
	log facts.Log // that has it
}

// readSides finds the approvals where one log has its side and the other one, which is here
// too, does not.
func (s *search) readSides(ctx context.Context) (map[facts.Log][]sideOf, error) {
	logs, err := s.c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	signed, recorded := map[approval]sideOf{}, map[approval]sideOf{}
	for _, log := range logs {
		of, kind := signed, event.ApprovalSigned
		if !strings.HasPrefix(log.LogID, "node/") {
			of, kind = recorded, event.ApprovalRecorded
		}
		for e, err := range s.c.Select(ctx, store.Filter{TenantID: log.TenantID, LogID: log.LogID, Type: kind}) {
			if err != nil {
				return nil, err
			}
			if e.TransactionID == "" || len(signed)+len(recorded) >= mostSides || !e.Intact() {
				continue
			}
			key, err := s.readApproval(&e)
			if err != nil {
				return nil, err
			}
			of[key] = sideOf{OneSided{e.TransactionID, "", log.LogID, e.Link.Sequence}, e.OccurredAt, log}
		}
	}
	lacking := map[facts.Log][]sideOf{}
	for key, a := range signed {
		if _, both := recorded[key]; !both {
			a.Lacks = event.ApprovalRecorded
			tenant := facts.TenantLog(a.log.TenantID)
			lacking[tenant] = append(lacking[tenant], a)
		}
	}
	for key, a := range recorded {
		if _, both := signed[key]; !both {
			a.Lacks = event.ApprovalSigned
			lacking[key.journal] = append(lacking[key.journal], a)
		}
	}
	for _, all := range lacking {
		slices.SortFunc(all, func(a, b sideOf) int {
			return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.LogID, b.LogID), cmp.Compare(a.Sequence, b.Sequence))
		})
	}
	return lacking, nil
}

// readApproval reads which approval an event is about.
func (s *search) readApproval(e *store.Selected) (approval, error) {
	data, err := s.c.Data(e)
	if err != nil {
		return approval{}, err
	}
	said, _ := evidence.ReadSaid(e.Type, data)
	if e.Type == event.ApprovalRecorded {
		return approval{facts.JournalOf(e.Log.TenantID, said.Node), said.Digest}, nil
	}
	return approval{e.Log, said.Digest}, nil
}

// addOrigins adds the data of other evidence about the missing events: their hashes, the
// bundles that disclose them, and the transactions that lack a side around that time. Events
// that one source lacks are in another one.
func (s *search) addOrigins(ctx context.Context, log facts.Log, f *signs) error {
	if s.filter.Source != 0 {
		return nil
	}
	for _, k := range s.tails[log].known {
		if k.Sequence >= f.gap.First && k.Sequence <= f.gap.Last && len(f.gap.Known) < mostKnown {
			f.gap.Known = append(f.gap.Known, k)
		}
	}
	lacking, err := s.sides(ctx)
	if err != nil {
		return err
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if f.before.neighbour != nil {
		from = f.before.event.OccurredAt - apart
	}
	if f.after.neighbour != nil {
		to = f.after.event.OccurredAt + apart
	}
	all := lacking[log]
	i, _ := slices.BinarySearchFunc(all, from, func(o sideOf, at int64) int { return cmp.Compare(o.at, at) })
	for _, o := range all[i:] {
		if o.at > to || len(f.gap.Transactions) == mostOneSided {
			break
		}
		f.gap.Transactions = append(f.gap.Transactions, o.OneSided)
	}
	return nil
}
