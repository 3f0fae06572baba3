package partview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// witness writes the answers of a reader of evidence in words that hold for any reader of the
// same evidence: numbers and references are replaced by their targets.
type witness struct {
	t          testing.TB
	ctx        context.Context
	r          evidence.Reader
	root       *trust.Root
	sources    map[int64]string
	containers map[int64]string
	copies     map[facts.Ref]string
	rows       []string
}

// testimony returns all that a reader answers.
func testimony(t testing.TB, r evidence.Reader, root *trust.Root) []string {
	t.Helper()
	w := &witness{t: t, ctx: t.Context(), r: r, root: root, sources: map[int64]string{}, containers: map[int64]string{},
		copies: map[facts.Ref]string{}}
	w.inventory()
	logs, err := r.Logs(w.ctx)
	w.check(err)
	for _, log := range logs {
		w.log(log)
	}
	for ref, name := range w.copies {
		w.copy(ref, name)
	}
	slices.Sort(w.rows[w.ordered():])
	w.batches()
	return w.rows
}

func (w *witness) check(err error) {
	w.t.Helper()
	must.Do(w.t, err)
}

func (w *witness) row(kind string, values ...any) {
	doc, err := json.Marshal(values)
	w.check(err)
	w.rows = append(w.rows, kind+" "+string(doc))
}

// ordered returns the index of the first row that is in map order.
func (w *witness) ordered() int {
	n := slices.IndexFunc(w.rows, func(s string) bool { return len(s) > 5 && s[:5] == "copy " })
	if n < 0 {
		return len(w.rows)
	}
	return n
}

// nameOfCopy names a copy by the facts that every reader knows of it: a judged event need not
// have everything that its digest covers.
func nameOfCopy(log facts.Log, e *facts.Event) string {
	recorded, content := e.Recorded, e.ContentHash()
	return fmt.Sprintf("%s %s %d %x %x", log.TenantID, log.LogID, e.Link.Sequence, recorded[:8], content[:8])
}

func (w *witness) eventRow(kind string, log facts.Log, e *facts.Event, more ...any) {
	w.row(kind, append([]any{nameOfCopy(log, e), e.Recorded, e.Link.Previous, e.Link.Skip, e.ContentHash(), e.KeyID,
		e.Type, e.OccurredAt, e.Fidelity}, more...)...)
}

func (w *witness) log(log facts.Log) {
	last, err := w.r.Last(w.ctx, log)
	w.check(err)
	w.row("log", log.TenantID, log.LogID, last)
	var sequences []uint64
	var valid []evidence.Typed
	for e, err := range w.r.Events(w.ctx, log, 0, math.MaxInt64) {
		w.check(err)
		if e.Ref.IsZero() || int(e.Ref.Variant) != e.Variant || e.Ref.Sequence != e.Sequence {
			w.t.Fatalf("the reference %+v is of copy %d", e.Ref, e.Variant)
		}
		w.eventRow("event", log, e, e.Variant, e.Copies)
		w.copies[e.Ref] = nameOfCopy(log, e)
		sequences = append(sequences, e.Link.Sequence)
	}
	for p, err := range w.r.Placed(w.ctx, log, 1, math.MaxInt64) {
		w.check(err)
		w.eventRow("placed", log, p.Event, p.Variant, p.Copies, w.boxes(p.Containers))
	}
	for _, from := range []int{len(sequences) / 3, len(sequences) / 2} {
		to := sequences[min(len(sequences)-1, from+3)]
		for e, err := range w.r.Events(w.ctx, log, sequences[from], to) {
			w.check(err)
			w.eventRow("some", log, e, e.Variant, e.Copies)
		}
	}
	for same, err := range w.r.Arrivals(w.ctx, log) {
		w.check(err)
		w.arrivals(same)
	}
	transactions := map[string]bool{}
	for e, err := range w.r.Chosen(w.ctx, log, evidence.Choice{Types: evidence.StatementTypes(log.LogID)}) {
		w.check(err)
		w.eventRow("typed", log, &e.Event, e.TransactionID)
		transactions[e.TransactionID] = true
		if w.closed(log, e) {
			valid = append(valid, *e)
		}
	}
	w.said(log, valid)
	w.chosen(log, transactions)
}

// closed reports whether to request the data of an event.
func (w *witness) closed(log facts.Log, e *evidence.Typed) bool {
	return slices.Contains(closedTypes, e.Type) && w.signed(log, e)
}

var closedTypes = []string{event.ApprovalSigned, event.ApprovalRecorded, event.CheckpointWitness, event.NodeReported,
	event.CapabilityObserved, event.DecisionRecorded, event.IssuanceCompleted, event.CertificateRevoked}

// signed reports whether the owner of the log signed a copy.
func (w *witness) signed(log facts.Log, e *evidence.Typed) bool {
	if e.Judged() {
		return e.Valid()
	}
	role, node := trust.Audit, ""
	if id, ok := log.Node(); ok {
		role, node = trust.Node, id
	} else if !log.IsTenant() {
		return false
	}
	key, ok := w.root.Key(role, e.KeyID)
	return ok && key.Node == node && e.Intact() && verifies(key.Public, e.Recorded, e.Signature)
}

func (w *witness) said(log facts.Log, events []evidence.Typed) {
	said := make([]string, len(events))
	w.check(w.r.Said(w.ctx, log, events, func(i int, s *evidence.Said) error {
		said[i] = w.saying(s)
		return nil
	}))
	for i := range events {
		w.row("said", nameOfCopy(log, &events[i].Event), said[i])
	}
}

func (w *witness) saying(s *evidence.Said) string {
	r := s.Report
	return fmt.Sprintf("%x %s %s %s %d %x %s %d %x %x %x %x %s", s.Digest, s.Node, s.Domain, s.Decision, s.Sequence,
		s.Head, r.Node, r.Link.Sequence, r.Link.Previous, r.Link.Skip, r.Recorded, r.ContentHash(), r.KeyID)
}

func (w *witness) boxes(numbers []int64) []string {
	var all []string
	must.That(w.t, slices.IsSorted(numbers), "the containers %v do not ascend", numbers)
	for _, n := range numbers {
		all = append(all, w.containers[n])
	}
	slices.Sort(all)
	return all
}

func (w *witness) arrivals(same []evidence.Arrived) {
	batches := map[int64]int{0: 0}
	for _, a := range same {
		if _, known := batches[a.Batch]; !known {
			batches[a.Batch] = len(batches)
		}
		w.row("arrived", w.copies[a.Ref], a.Sequence, a.OccurredAt, a.ObservedAt, a.Fidelity, w.containers[a.Container],
			w.sources[a.Source], a.Record, batches[a.Batch], a.Several, a.Offset)
	}
	for first, later := range evidence.Later(same) {
		w.row("later", w.copies[first.Ref], first.Record, later.Record)
	}
}

// chosen asks for the statements about transactions.
func (w *witness) chosen(log facts.Log, transactions map[string]bool) {
	types := evidence.StatementTypes(log.LogID)
	for _, id := range w.some(transactions) {
		for e, err := range w.r.Chosen(w.ctx, log, evidence.Choice{Types: types, TransactionID: id}) {
			w.check(err)
			w.eventRow("chosen", log, &e.Event, e.TransactionID)
		}
	}
	for _, t := range types {
		w.row("repeated", t, collect(w, w.r.Repeated(w.ctx, log, t)))
		for _, err := range w.r.Repeated(w.ctx, log, t) {
			w.check(err)
			break // one is enough
		}
		w.row("late", t, collect(w, w.r.Late(w.ctx, log, t, types[:3])))
	}
}

// some returns some of the transactions, and one that is not there.
func (w *witness) some(transactions map[string]bool) (ids []string) {
	for i, id := range slices.Sorted(maps.Keys(transactions)) {
		if id != "" && (i < 8 || i%16 == 0) {
			ids = append(ids, id)
		}
	}
	return append(ids, "none")
}

func collect(w *witness, all iter.Seq2[string, error]) (list []string) {
	for id, err := range all {
		w.check(err)
		list = append(list, id)
	}
	return list
}

// copy asks for one copy again.
func (w *witness) copy(ref facts.Ref, name string) {
	e, err := w.r.Copy(w.ctx, ref)
	w.check(err)
	w.row("copy", name, e.Link.Sequence, e.Recorded.String(), e.KeyID, e.Type, e.OccurredAt,
		e.Fidelity)
	all, err := w.r.Deliveries(w.ctx, ref)
	w.check(err)
	for i, d := range all {
		w.row("delivery", name, i, w.place(d.Place), d.Batches, d.ObservedAt)
	}
}

func (w *witness) batches() {
	for b, err := range w.r.Batches(w.ctx) {
		w.check(err)
		w.row("batch", b)
	}
	n, err := w.r.Unbatched(w.ctx, string(read.Journal))
	w.check(err)
	w.row("unbatched", n)
}
