package partview

import (
	"context"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// mostSubjects bounds the statements that are held by their transactions at once. If there are
// more, the lowest transactions are held, and the statements are read once more for the next
// ones.
const mostSubjects = 1 << 18

// subjects are statements of a log by their transactions, for the lowest of those from
// one on.
type subjects struct {
	from, end string              // end, and all above it, have no room; "" if there is room for all
	among     map[string]bool     // no others were looked for; nil if all were
	sequences map[string][]uint64 // ascending; with the mark of each in the lowest bit
	held      int
	most      int
}

// choosing selects statements of types, and gives them a mark of 0 or 1.
type choosing struct {
	types []string
	by    func(*part.Statement) (mark uint64, ok bool)
}

// ofTypes selects statements by type.
func ofTypes(types []string) choosing {
	return choosing{types, func(*part.Statement) (uint64, bool) { return 0, true }}
}

// allStatements calls f with the statements of a log that are about transactions, and their marks,
// until f returns false.
func (c choosing) allStatements(ctx context.Context, v *View, log evidence.Log,
	f func(s *part.Statement, mark uint64) bool) error {
	for s, err := range v.content.Statements(ctx, log.Log, 0) {
		if err != nil {
			return err
		}
		if s.TransactionID == "" || !slices.Contains(c.types, s.Type) {
			continue
		}
		if mark, ok := c.by(s); ok && !f(s, mark) {
			return nil
		}
	}
	return nil
}

// subjectsOf collects the statements about the lowest transactions from one on.
func (v *View) subjectsOf(ctx context.Context, log evidence.Log, from string, choose choosing) (*subjects, error) {
	all := &subjects{from: from, sequences: map[string][]uint64{}, most: v.mostSubjects}
	return all, choose.allStatements(ctx, v, log, func(s *part.Statement, mark uint64) bool {
		all.addStatement(s, mark)
		return true
	})
}

// subjectsAtOnce collects the statements about all transactions. It gives up, and
// returns nil, as soon as there is no room for them.
func (v *View) subjectsAtOnce(ctx context.Context, log evidence.Log, choose choosing) (*subjects, error) {
	all := &subjects{sequences: map[string][]uint64{}, most: v.mostSubjects}
	err := choose.allStatements(ctx, v, log, func(s *part.Statement, mark uint64) bool {
		all.addStatement(s, mark)
		return all.end == ""
	})
	if all.end != "" {
		all = nil
	}
	return all, err
}

// addStatement adds a statement, unless there is no room for its transaction.
func (s *subjects) addStatement(one *part.Statement, mark uint64) {
	if one.TransactionID >= s.from && (s.end == "" || one.TransactionID < s.end) {
		s.addSubject(one.TransactionID, one.Sequence<<1|mark)
	}
}

func (s *subjects) addSubject(transactionID string, at uint64) {
	s.sequences[transactionID] = append(s.sequences[transactionID], at)
	if s.held++; s.held <= s.most || len(s.sequences) == 1 {
		return
	}
	ids := slices.Sorted(maps.Keys(s.sequences))
	keep := (len(ids) + 1) / 2
	s.end = ids[keep]
	for _, id := range ids[keep:] {
		s.held -= len(s.sequences[id])
		delete(s.sequences, id)
	}
}

// mayHave reports whether the statements about a transaction are held, if there are any.
func (s *subjects) mayHave(transactionID string) bool {
	return transactionID >= s.from && (s.end == "" || transactionID < s.end) && (s.among == nil || s.among[transactionID])
}

// chosen is the statements that [View.Chosen] was asked for last.
type chosen struct {
	mu    sync.Mutex
	log   evidence.Log
	types []string
	*subjects
}

// sequencesOf returns the sequences of the statements of a choice, ascending.
func (c *chosen) sequencesOf(ctx context.Context, v *View, log evidence.Log, choice evidence.Choice) ([]uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subjects == nil || c.log != log || !slices.Equal(c.types, choice.Types) || !c.mayHave(choice.TransactionID) {
		choose := ofTypes(choice.Types)
		var among map[string]bool
		if len(choice.Among) > 0 {
			among = map[string]bool{choice.TransactionID: true}
			for _, id := range choice.Among {
				among[id] = true
			}
			choose.by = func(s *part.Statement) (uint64, bool) { return 0, among[s.TransactionID] }
		}
		all, err := v.subjectsOf(ctx, log, choice.TransactionID, choose)
		if err != nil {
			return nil, err
		}
		all.among = among
		c.log, c.types, c.subjects = log, slices.Clone(choice.Types), all
	}
	return c.sequences[choice.TransactionID], nil
}

// Chosen yields the copies of events of a log that match a choice.
func (v *View) Chosen(ctx context.Context, log evidence.Log, choice evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	if choice.TransactionID == "" {
		return v.wanted(ctx, log, evidence.Stretch{Last: maxAny}, choice.Types, func(*part.Statement) bool { return true })
	}
	return evidence.Stream(func(yield func(*evidence.Typed) error) error {
		marked, err := v.chosen.sequencesOf(ctx, v, log, choice)
		if err != nil {
			return err
		}
		want := func(s *part.Statement) bool { return s.TransactionID == choice.TransactionID }
		for len(marked) > 0 {
			in, n := together(marked)
			marked = marked[n:]
			for t, err := range v.wanted(ctx, log, in, choice.Types, want) {
				if err != nil {
					return err
				}
				if err := yield(t); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// together returns the stretch of the first of marked sequences that are read
// together, and how many those are.
func together(marked []uint64) (in evidence.Stretch, n int) {
	in.First = marked[0] >> 1
	for in.Last = in.First; n < len(marked) && marked[n]>>1 <= in.Last+farAhead; n++ {
		in.Last = marked[n] >> 1
	}
	return in, n
}

// Repeated yields, ascending, the transactions that have events of a type under more
// than one sequence of a log.
func (v *View) Repeated(ctx context.Context, log evidence.Log, eventType string) iter.Seq2[string, error] {
	several := func(all []uint64) bool { return all[0] != all[len(all)-1] }
	return v.transactions(ctx, log, ofTypes([]string{eventType}), several, func(f *filter, id string, _ uint64) {
		f.addTwice(id)
	})
}

// Late yields, ascending, the transactions of a log that have an event of one of the
// types after an event of lastType, which should be their last.
func (v *View) Late(ctx context.Context, log evidence.Log, lastType string, types []string) iter.Seq2[string, error] {
	choose := choosing{append([]string{lastType}, types...), func(s *part.Statement) (uint64, bool) {
		if s.Type == lastType {
			return 1, true
		}
		return 0, true
	}}
	late := func(all []uint64) bool {
		done := slices.IndexFunc(all, func(n uint64) bool { return n&1 == 1 })
		return done >= 0 && slices.ContainsFunc(all, func(n uint64) bool { return n&1 == 0 && n>>1 > all[done]>>1 })
	}
	return v.transactions(ctx, log, choose, late, func(f *filter, id string, mark uint64) {
		if mark == 1 {
			f.see(id)
		} else {
			f.follow(id)
		}
	})
}

// transactions yields, ascending, the transactions whose marked sequences are of a kind. If
// there are too many to be held, all are shown to a filter first, which keeps out most
// of the others.
func (v *View) transactions(ctx context.Context, log evidence.Log, choose choosing, kind func([]uint64) bool,
	show func(*filter, string, uint64)) iter.Seq2[string, error] {
	return evidence.Stream(func(yield func(string) error) error {
		all, err := v.subjectsAtOnce(ctx, log, choose)
		if err == nil && all == nil {
			if choose, err = v.filtered(ctx, log, choose, show); err == nil {
				all, err = v.subjectsOf(ctx, log, "", choose)
			}
		}
		for err == nil {
			for _, id := range slices.Sorted(maps.Keys(all.sequences)) {
				if kind(all.sequences[id]) {
					if err := yield(id); err != nil {
						return err
					}
				}
			}
			if all.end == "" {
				return nil
			}
			all, err = v.subjectsOf(ctx, log, all.end, choose)
		}
		return err
	})
}

// filtered returns a choice of what a filter passes to which all was shown.
func (v *View) filtered(ctx context.Context, log evidence.Log, choose choosing,
	show func(*filter, string, uint64)) (choosing, error) {
	f := newFilter(v.content.StatementOctets(log.Log))
	err := choose.allStatements(ctx, v, log, func(s *part.Statement, mark uint64) bool {
		show(f, s.TransactionID, mark)
		return true
	})
	return choosing{choose.types, func(s *part.Statement) (uint64, bool) {
		mark, ok := choose.by(s)
		return mark, ok && f.passes(s.TransactionID)
	}}, err
}

// filter passes the transactions that may have come in a requested order, and few others.
type filter struct {
	seed        maphash.Seed
	seen, twice evidence.Filter
}

// newFilter returns a filter for statements of so many bytes.
func newFilter(octets int64) *filter {
	size := uint64(leastBloom)
	for size < mostBloom && size < uint64(octets)/16 { // #nosec G115 -- not negative
		size *= 2
	}
	return &filter{maphash.MakeSeed(), evidence.NewFilter(size), evidence.NewFilter(size)}
}

func (f *filter) see(id string) { f.seen.Add(maphash.String(f.seed, id)) }

// follow adds a requested transaction if it comes after the earlier ones.
func (f *filter) follow(id string) {
	if h := maphash.String(f.seed, id); f.seen.Has(h) {
		f.twice.Add(h)
	}
}

// addTwice adds a requested transaction if it comes twice.
func (f *filter) addTwice(id string) {
	f.follow(id)
	f.see(id)
}

func (f *filter) passes(id string) bool { return f.twice.Has(maphash.String(f.seed, id)) }

// The sizes of a filter in bits; the largest needs 128 MiB. With eight bits for a statement of
// 128 bytes, few transactions pass that should not.
const (
	leastBloom = 1 << 20
	mostBloom  = 1 << 30
)
