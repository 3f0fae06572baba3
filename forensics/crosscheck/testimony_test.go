package crosscheck

import (
	"context"
	"encoding/json"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/trust"
)

// toldAgain returns what the document of a testimony says.
func toldAgain(t testing.TB, said *Testimony) *Testimony {
	t.Helper()
	doc, err := said.Document()
	if err != nil {
		t.Fatal(err)
	}
	if len(doc) > MaxTestimony {
		t.Fatalf("%d octets", len(doc))
	}
	again, err := ParseTestimony(doc)
	if err != nil {
		t.Fatalf("%v in %.300s", err, doc)
	}
	if d := cmp.Diff(said, again); d != "" {
		t.Fatalf("what was written and what was read differ:\n%s", d)
	}
	return again
}

// told is evidence whose documents are there as testimony alone.
type told struct {
	evidence.Reader
	root *trust.Root
}

func (r told) Documents(ctx context.Context) iter.Seq2[casefile.Document, error] {
	return func(yield func(casefile.Document, error) bool) {
		for d, err := range r.Reader.Documents(ctx) {
			d.Cross, d.Bytes = must(TestimonyOf(d.Kind, d.Bytes, r.root).Document()), nil
			if !yield(d, err) {
				return
			}
		}
	}
}

// standsForDocuments checks that a crosscheck gives the same to the byte with what the
// documents say in their place.
func standsForDocuments(t *testing.T, in evidence.Reader, root *trust.Root, want *Result) {
	t.Helper()
	got, err := Run(t.Context(), told{in, root}, root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(must(json.Marshal(want))), string(must(json.Marshal(got)))); d != "" {
		t.Errorf("(-documents +testimony):\n%s", d)
	}
}

func must(doc []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return doc
}
