package part

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Skips yields the skips of all inputs.
func (m *merged) Skips(ctx context.Context) iter.Seq2[*Skip, error] {
	if m.rest != nil {
		return m.rest.Skips(ctx)
	}
	return rowMerge[Skip]{
		of:      func(in *input) stream[Skip] { return in.skips(ctx) },
		compare: compareSkip,
		move: func(in *input, s *Skip) *Skip {
			c := *s
			c.Excerpt, c.Through = bytes.Clone(s.Excerpt), s.Through+in.shares[s.Share].records
			if !in.move(&c.Place) {
				return nil
			}
			return &c
		},
		join: func(_, s *Skip) error { return fmt.Errorf("%w: record %d twice", errOrder, s.Record) },
	}.allRows(m.all)
}

// Documents yields the documents of all inputs, each with all of its places.
func (m *merged) Documents(ctx context.Context) iter.Seq2[*Document, error] {
	if m.rest != nil {
		return m.rest.Documents(ctx)
	}
	return rowMerge[Document]{
		of:      func(in *input) stream[Document] { return in.documents(ctx) },
		compare: compareDocument,
		move:    moveDocument,
		join: func(a, b *Document) error {
			if !bytes.Equal(a.Walk, b.Walk) || !bytes.Equal(a.Cross, b.Cross) {
				return &Differs{"findings on a document", a.SHA256.String(), b.SHA256.String()}
			}
			a.Places = append(a.Places, b.Places...)
			sortPlaces(a.Places)
			a.Places = slices.Compact(a.Places)
			return nil
		},
	}.allRows(m.all)
}

func moveDocument(in *input, d *Document) *Document {
	d = d.clone()
	kept := d.Places[:0]
	for _, p := range d.Places {
		if in.move(&p) {
			kept = append(kept, p)
		}
	}
	if d.Places = kept; len(kept) == 0 {
		return nil
	}
	sortPlaces(kept)
	return d
}

func sortPlaces(all []Place) {
	slices.SortFunc(all, func(a, b Place) int { return block.ComparePlace(&a, &b) })
}

// Statements yields the statements of all inputs.
func (m *merged) Statements(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*Statement, error] {
	return eachRecord(func() stream[Statement] { return m.statements(ctx, log, from) })
}

// PullStatements returns the statements of all inputs in turn.
func (m *merged) PullStatements(ctx context.Context, log facts.Log, from uint64) (next func() (*Statement, error),
	stop func()) {
	s := m.statements(ctx, log, from)
	return s.next, s.close
}

func (m *merged) statements(ctx context.Context, log facts.Log, from uint64) stream[Statement] {
	return rowMerge[Statement]{
		of:      func(in *input) stream[Statement] { return in.statements(ctx, log, from) },
		compare: compareStatement,
		move:    func(_ *input, s *Statement) *Statement { return s },
		join: func(a, b *Statement) error {
			if !bytes.Equal(a.Said, b.Said) {
				return &Differs{"data of an event", fmt.Sprintf("%s %d", log.LogID, a.Sequence), "other data"}
			}
			return nil
		},
		sequence: func(s *Statement) uint64 { return s.Sequence },
	}.openStream(laterOf(m.holds[log], log, from)) // a statement is of a copy
}
