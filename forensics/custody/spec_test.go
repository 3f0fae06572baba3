package custody

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
)

// TestChain: each value that chains an entry to the one before counts by itself.
func TestChain(t *testing.T) {
	rows := chained(t, entries(2))
	for what, change := range map[string]func(e *Entry) (number int64){
		"nothing":  func(*Entry) int64 { return 3 },
		"a gap":    func(e *Entry) int64 { e.Number = 4; return 4 },
		"its own":  func(e *Entry) int64 { e.Number = 4; return 3 },
		"previous": func(e *Entry) int64 { e.Previous = digest; return 3 },
	} {
		e := entries(2)[1]
		e.Number, e.Previous = 3, readRows(rows).Head.SHA256
		number := change(&e)
		doc, sum, err := e.Document()
		must.Do(t, err)
		j := readRows(append(slices.Clone(rows), row{number, doc, sum[:]}))
		check.That(t, (len(j.Faults) == 0) == (what == "nothing"), "%s: %v", what, j.Faults)
	}
}

// TestSpecification: the example of the appendix is an entry.
func TestSpecification(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/spec.md"))(t)
	_, after, found := bytes.Cut(text, []byte("```json custody-entry\n"))
	doc, _, _ := bytes.Cut(after, []byte("\n"))
	_, err := parseEntry(doc)
	check.That(t, found && err == nil, "%s: %v", doc, err)
}

// FuzzEntry: an entry that is read is one by its schema.
func FuzzEntry(f *testing.F) {
	for _, r := range chained(f, entries(3)) {
		f.Add(r.doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if _, err := parseEntry(doc); err == nil {
			check.OK(t, schemas.Conformance("custody-entry", doc), "%q", doc)
		}
	})
}
