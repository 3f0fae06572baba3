package partview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
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
