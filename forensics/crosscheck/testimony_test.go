package crosscheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

func must(doc []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return doc
}
