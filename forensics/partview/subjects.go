package partview

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
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
	sequences map[string][]uint64 // ascending
	held      int
	most      int
}

// aboutTransactions yields the statements of a log that have one of the types and are about a
// transaction.
func (v *View) aboutTransactions(ctx context.Context, log facts.Log,
	types []string) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		for s, err := range v.content.Statements(ctx, log, 0) {
			if (err != nil || s.TransactionID != "" && slices.Contains(types, s.Type)) && !yield(s, err) {
				return
			}
		}
	}
}

// subjectsOf collects the statements of a choice, and those about the next transactions.
func (v *View) subjectsOf(ctx context.Context, log facts.Log, choice evidence.Choice) (*subjects, error) {
	all := &subjects{from: choice.TransactionID, sequences: map[string][]uint64{}, most: v.mostSubjects}
	for s, err := range v.aboutTransactions(ctx, log, choice.Types) {
		if err != nil {
			return nil, err
		}
		if all.mayHave(s.TransactionID) {
			all.addSubject(s.TransactionID, s.Sequence)
		}
	}
	return all, nil
}

// addSubject adds a statement, and lets go of the highest transactions if there is no room.
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
	return transactionID >= s.from && (s.end == "" || transactionID < s.end)
}

// chosen is the statements of the last request to [View.Chosen].
type chosen struct {
	mu    sync.Mutex
	log   facts.Log
	types []string
	*subjects
}

// sequencesOf returns the sequences of the statements of a choice, ascending.
func (c *chosen) sequencesOf(ctx context.Context, v *View, log facts.Log, choice evidence.Choice) ([]uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subjects == nil || c.log != log || !slices.Equal(c.types, choice.Types) || !c.mayHave(choice.TransactionID) {
		all, err := v.subjectsOf(ctx, log, choice)
		if err != nil {
			return nil, err
		}
		c.log, c.types, c.subjects = log, slices.Clone(choice.Types), all
	}
	return c.sequences[choice.TransactionID], nil
}

// Chosen yields the copies of events of a log that match a choice.
func (v *View) Chosen(ctx context.Context, log facts.Log, choice evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	if choice.TransactionID == "" {
		return v.wanted(ctx, log, evidence.Stretch{Last: maxAny}, choice.Types, func(*part.Statement) bool { return true })
	}
	return evidence.Stream(func(yield func(*evidence.Typed) error) error {
		sequences, err := v.chosen.sequencesOf(ctx, v, log, choice)
		if err != nil {
			return err
		}
		want := func(s *part.Statement) bool { return s.TransactionID == choice.TransactionID }
		for len(sequences) > 0 {
			in, n := nextStretch(sequences)
			sequences = sequences[n:]
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

// nextStretch returns the stretch of the first of sequences that are read together, and how many
// those are.
func nextStretch(sequences []uint64) (in evidence.Stretch, n int) {
	in.First = sequences[0]
	for in.Last = in.First; n < len(sequences) && sequences[n] <= in.Last+farAhead; n++ {
		in.Last = sequences[n]
	}
	return in, n
}
