package walktest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/trust"
)

// Clone copies the evidence, so that it can be damaged alone.
func (e Evidence) Clone() Evidence {
	c := Evidence{Copies: map[facts.Log][]Copy{}, Docs: slices.Clone(e.Docs), Unread: maps.Clone(e.Unread)}
	for l, list := range e.Copies {
		c.Copies[l] = slices.Clone(list)
	}
	return c
}

// Memory is evidence as a source. Err is the error of every Events after its
// first row; Yields is called before every row.
type Memory struct {
	Rows   map[facts.Log][]Row
	docs   []walk.Document
	unread map[facts.Log][]finding.Evidence
	Err    error
	Yields func()

	EmptyFiles []finding.Evidence

	judge *walk.Judge // of the reports too, if everything is judged
}

// Row is one copy of an event as the walk sees it, and the copy itself.
type Row struct {
	facts.Event
	digest chain.Hash // by which copies of one sequence are ordered
	object seal.Object
	bytes  []byte
	places []finding.Evidence
}

// SortedLogs returns the logs of a map by their ids.
func SortedLogs[V any](m map[facts.Log]V) []facts.Log {
	return slices.SortedFunc(maps.Keys(m), func(a, b facts.Log) int {
		return cmp.Or(cmp.Compare(a.TenantID, b.TenantID), cmp.Compare(a.LogID, b.LogID))
	})
}

// Reader puts the copies into the log that they name themselves.
func (e Evidence) Reader() *Memory {
	m := &Memory{Rows: map[facts.Log][]Row{}, unread: e.Unread}
	for _, l := range SortedLogs(e.Copies) {
		for i, c := range e.Copies[l] {
			r := rowOf(c)
			body := seal.Member(c.Object, "body")
			r.places = []finding.Evidence{{Source: l.LogID + ".jsonl", Offset: int64(i), Length: int64(len(r.bytes))}}
			if known, ok := e.Places[string(r.bytes)]; ok {
				r.places = known
			}
			own := facts.Log{TenantID: seal.Text(body, "tenant_id"), LogID: seal.Text(body, "log_id")}
			m.insert(own, r)
		}
	}
	for i, d := range e.Docs {
		m.docs = append(m.docs, walk.Document{Document: facts.Document{Bytes: seal.Canonical(d)},
			Evidence: finding.Evidence{Source: "documents", Offset: int64(i)}})
	}
	return m
}

func rowOf(c Copy) Row {
	b := seal.Canonical(c.Object)
	var l event.Line
	if !event.Scan(b, &l) {
		panic("not an event: " + string(b))
	}
	h := event.Header{Event: chain.Event{Link: l.Link, Recorded: l.Recorded}, KeyID: string(l.KeyID),
		Signature: l.Signature, Type: string(l.Type), OccurredAt: l.OccurredAt}
	e := facts.Event{Header: h, Fidelity: facts.Exact}
	if c.Lossy {
		e.Fidelity = facts.Lossy
	}
	return Row{object: c.Object, bytes: b, digest: digest(&l), Event: e}
}

// digest orders the copies of one sequence as a case does.
func digest(l *event.Line) chain.Hash {
	b := slices.Concat(l.Recorded[:], l.Link.Previous[:], l.Link.Skip[:], l.Link.Body[:], l.Signature[:], l.KeyID)
	return sha256.Sum256(b)
}

func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), bytes.Compare(a.digest[:], b.digest[:]))
}

// insert puts a copy where it belongs; the same bytes again are one more place.
func (m *Memory) insert(l facts.Log, r Row) {
	i, found := slices.BinarySearchFunc(m.Rows[l], r, compareRows)
	if i > 0 && m.Rows[l][i-1].Sequence == r.Sequence {
		r.Variant = m.Rows[l][i-1].Variant + 1
	}
	if found {
		m.Rows[l][i].places = append(m.Rows[l][i].places, r.places...)
		m.Rows[l][i].Fidelity = min(m.Rows[l][i].Fidelity, r.Fidelity)
		return
	}
	m.Rows[l] = slices.Insert(m.Rows[l], i, r)
	for i++; i < len(m.Rows[l]) && m.Rows[l][i].Sequence == r.Sequence; i++ {
		m.Rows[l][i].Variant++
	}
}

// Logs returns the logs of the rows.
func (m *Memory) Logs(context.Context) ([]facts.Log, error) {
	return slices.Collect(maps.Keys(m.Rows)), nil
}

// Events yields the rows above a sequence.
func (m *Memory) Events(ctx context.Context, l facts.Log, after uint64) iter.Seq2[*facts.Event, error] {
	return func(yield func(*facts.Event, error) bool) {
		for i := range m.Rows[l] {
			r := &m.Rows[l][i]
			if m.Yields != nil {
				m.Yields()
			}
			if err := cmp.Or(ctx.Err(), m.Err); err != nil && i > 0 {
				yield(nil, err)
				return
			}
			if r.Sequence > after && !yield(&r.Event, nil) {
				return
			}
		}
	}
}

func (m *Memory) find(l facts.Log, e facts.Event) *Row {
	i, ok := slices.BinarySearchFunc(m.Rows[l], e, func(r Row, e facts.Event) int {
		return cmp.Or(cmp.Compare(r.Sequence, e.Sequence), cmp.Compare(r.Variant, e.Variant))
	})
	if !ok {
		panic(fmt.Sprintf("asked for event %d, copy %d, which was never yielded", e.Sequence, e.Variant))
	}
	return &m.Rows[l][i]
}

// Report reads the data of the copy.
func (m *Memory) Report(ctx context.Context, l facts.Log, e facts.Event) (walk.Report, error) {
	var line event.Line
	if !event.Scan(m.find(l, e).bytes, &line) {
		return walk.Report{}, fmt.Errorf("event %d of %s is none", e.Sequence, l.LogID)
	}
	said, ok := evidence.ReadSaid(event.NodeReported, line.Data)
	if !ok {
		return walk.Report{}, fmt.Errorf("event %d of %s is no report", e.Sequence, l.LogID)
	}
	if m.judge == nil {
		return said.Report, nil
	}
	err := m.judge.Reports(ctx, []*walk.Report{&said.Report})
	said.Report.Body, said.Report.Signature = chain.Hash{}, [event.SignatureSize]byte{}
	return said.Report, err
}

// Explains compares two copies.
func (m *Memory) Explains(_ context.Context, l facts.Log, genuine, copied facts.Event) (bool, error) {
	return evidence.LossExplains(m.find(l, genuine).bytes, m.find(l, copied).bytes), nil
}

// Places returns the places of the copy: by log, and there by number.
func (m *Memory) Places(_ context.Context, l facts.Log, e facts.Event) ([]finding.Evidence, error) {
	return m.find(l, e).places, nil
}

// Unread returns the spans that stand between two events, or after the first.
func (m *Memory) Unread(_ context.Context, l facts.Log, before, after facts.Event) ([]finding.Evidence, error) {
	var spans []finding.Evidence
	for _, s := range m.unread[l] {
		if uint64(s.Length) >= before.Sequence && (after.Sequence == 0 || uint64(s.Length) < after.Sequence) {
			spans = append(spans, s)
		}
	}
	return spans, nil
}

// Documents yields the documents.
func (m *Memory) Documents(context.Context) iter.Seq2[walk.Document, error] {
	return func(yield func(walk.Document, error) bool) {
		for _, d := range m.docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Empty returns the empty files.
func (m *Memory) Empty(context.Context) ([]finding.Evidence, error) { return m.EmptyFiles, nil }

// Inventory reports nothing.
func (m *Memory) Inventory(context.Context) (walk.Inventory, error) { return walk.Inventory{}, nil }

// Judge judges all events and reports, and removes members that no one needs of judged ones.
func (m *Memory) Judge(root *trust.Root) error {
	judge := walk.NewJudge(root)
	m.judge = judge
	for log, rows := range m.Rows {
		var all []*event.Header
		for i := range rows {
			all = append(all, &rows[i].Header)
		}
		if err := judge.Judge(log, all); err != nil {
			return err
		}
		for _, h := range all {
			h.Body, h.Signature = chain.Hash{}, [event.SignatureSize]byte{}
		}
	}
	return nil
}
