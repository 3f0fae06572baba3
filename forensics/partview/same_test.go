package partview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/trust"
)

// witness writes what a reader of evidence answers in words that hold for any reader of
// the same evidence: numbers and references as what they stand for.
type witness struct {
	t          testing.TB
	ctx        context.Context
	r          evidence.Reader
	root       *trust.Root
	sources    map[int64]string
	containers map[int64]string
	copies     map[casefile.Ref]string
	rows       []string
}

func (w *witness) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *witness) row(kind string, values ...any) {
	doc, err := json.Marshal(values)
	w.check(err)
	w.rows = append(w.rows, kind+" "+string(doc))
}

// ordered is where the rows begin whose order is that of a map.
func (w *witness) ordered() int {
	n := slices.IndexFunc(w.rows, func(s string) bool { return len(s) > 5 && s[:5] == "copy " })
	if n < 0 {
		return len(w.rows)
	}
	return n
}

// nameOfCopy names a copy by what every reader knows of it: a judged event need not have
// all that its digest is over.
func nameOfCopy(log casefile.Log, e *casefile.Event) string {
	recorded, content := e.Recorded, e.ContentHash()
	return fmt.Sprintf("%s %s %d %x %x", log.TenantID, log.LogID, e.Link.Sequence, recorded[:8], content[:8])
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
func (w *witness) copy(ref casefile.Ref, name string) {
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
