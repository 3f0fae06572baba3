package walk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// toldAgain returns the testimony that the document of a testimony contains.
func toldAgain(t testing.TB, said *facts.Testimony) *facts.Testimony {
	t.Helper()
	doc, _ := must.Two(said.Documents())(t)
	must.That(t, len(doc) <= facts.MaxTestimony, "%d octets", len(doc))
	again, err := facts.ParseTestimony(doc, nil)
	must.That(t, err == nil, "%v in %.300s", err, doc)
	if !reflect.DeepEqual(said, again) {
		t.Fatalf("what was written and what was read differ:\n%s", cmp.Diff(said, again))
	}
	return again
}

// conformance returns the trust files of the conformance cases, each with its bundles.
func conformance(t testing.TB) map[string][][]byte {
	t.Helper()
	cases := must.Get(fixtures.Cases())(t)
	all := map[string][][]byte{}
	for i, c := range cases {
		if testing.Short() && i%12 > 0 {
			continue
		}
		if _, err := trust.Parse(c.Trust); err == nil {
			all[string(c.Trust)] = append(all[string(c.Trust)], c.Bundle)
		}
	}
	return all
}

// told is evidence whose documents are there as testimony alone.
type told struct {
	walk.Reader
	t    testing.TB
	root *trust.Root
	more [][]byte // documents besides the evidence's own
}

func (r told) Documents(ctx context.Context) iter.Seq2[walk.Document, error] {
	return func(yield func(walk.Document, error) bool) {
		for d, err := range r.written().Documents(ctx) {
			said := toldAgain(r.t, facts.TestimonyOf(d.Kind, d.Bytes, r.root, facts.ForWalk))
			d.Document = facts.Document{}
			d.Walk, d.Cross, _ = said.Documents()
			if !yield(d, err) {
				return
			}
		}
	}
}

// written is the same evidence with the documents themselves.
func (r told) written() walk.Reader { return written{r.Reader, r.more} }

type written struct {
	walk.Reader
	more [][]byte
}

func (r written) Documents(ctx context.Context) iter.Seq2[walk.Document, error] {
	return func(yield func(walk.Document, error) bool) {
		for d, err := range r.Reader.Documents(ctx) {
			if !yield(d, err) {
				return
			}
		}
		for i, doc := range r.more {
			at := finding.Evidence{Source: fmt.Sprint("bundles/", i), Length: int64(len(doc))}
			if !yield(walk.Document{Document: facts.Document{Bytes: doc}, Evidence: at}, nil) {
				return
			}
		}
	}
}

// walked is all that a walk gives, as text.
func walked(t testing.TB, r walk.Reader, root *trust.Root) string {
	t.Helper()
	var facts walk.Facts
	result, state := must.Two(walk.Run(context.Background(), r, root,
		walk.Options{Facts: func(f walk.Facts) { facts = f }}))(t)
	var b bytes.Buffer
	must.Do(t, json.NewEncoder(&b).Encode([]any{result, state, facts.Keys}))
	return b.String()
}

// TestTestimonyStandsForItsDocument: a walk over testimonies in place of their documents gives
// the same result, byte for byte.
func TestTestimonyStandsForItsDocument(t *testing.T) {
	empty := walktest.Evidence{}.Reader()
	for file, bundles := range conformance(t) {
		root := must.Get(trust.Parse([]byte(file)))(t)
		r := told{empty, t, root, bundles}
		d := cmp.Diff(walked(t, r.written(), root), walked(t, r, root))
		must.That(t, d == "", "over %d bundles (-documents +testimony):\n%s", len(bundles), d)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := walktest.DamagedWorld(rt)
		r := told{w.Reader(), t, w.Root, nil}
		d := cmp.Diff(walked(t, r.written(), w.Root), walked(t, r, w.Root))
		must.That(rt, d == "", "(-documents +testimony):\n%s", d)
	})
}

// TestTestimonySays looks at each kind of thing that a document can say: the test
// above would pass if none of them were there.
func TestTestimonySays(t *testing.T) {
	var known, faults, uses, witnessed, disclosed int
	for file, bundles := range conformance(t) {
		root, _ := trust.Parse([]byte(file))
		for _, doc := range bundles {
			said := toldAgain(t, facts.TestimonyOf("", doc, root, facts.ForWalk))
			known, uses = known+len(said.Known), uses+len(said.Uses)
			if said.Fault != nil {
				faults++
			}
			if said.Anchor != nil && said.Anchor.By == facts.WitnessedCheckpoint {
				witnessed++
			}
			for _, k := range said.Known {
				if k.Disclosed {
					disclosed++
				}
			}
		}
	}
	check.That(t, known != 0 && faults != 0 && uses != 0 && witnessed != 0 && disclosed != 0,
		"%d known, %d faults, %d uses, %d witnessed, %d disclosed", known, faults, uses, witnessed, disclosed)
}

const sound = `{"anchor":{"at":"2026-01-02T03:04:05.006Z","by":"checkpoint","hash":"` + zeros + `"},` +
	`"known":[{"hash":"` + zeros + `","sequence":7,"transaction_id":"tx","type":"issuance.completed"}],` +
	`"log_id":"tenant/a","sequence":7,"tenant_id":"a",` +
	`"uses":[{"key_id":"audit-1","kind":"parts","pinning":"holds","role":"audit"}]}`

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// TestTestimonyIsRefused: testimony that no document gives is refused.
func TestTestimonyIsRefused(t *testing.T) {
	must.Get(facts.ParseTestimony([]byte(sound), nil))(t)
	for name, replace := range map[string][2]string{
		"a space":                {`"known":[`, `"known": [`},
		"an unknown member":      {`"log_id"`, `"kog":1,"log_id"`},
		"an unknown pinning":     {`"holds"`, `"hopes"`},
		"an unknown kind":        {`"parts"`, `"party"`},
		"events":                 {`"parts"`, `"events"`},
		"a node's report":        {`"checkpoint"`, `"node-report"`},
		"no log":                 {`"log_id":"tenant/a",`, ``},
		"no tenant":              {`,"tenant_id":"a"`, ``},
		"sequence 0":             {`"sequence":7,"tenant`, `"sequence":0,"tenant`},
		"a sequence of an event": {`"sequence":7,"trans`, `"sequence":0,"trans`},
		"an empty list": {`"known":[{"hash":"` + zeros +
			`","sequence":7,"transaction_id":"tx","type":"issuance.completed"}]`, `"known":[]`},
		"a transaction of no one": {`,"type":"issuance.completed"`, ``},
		"a time of another form":  {`.006Z`, `Z`},
		"a short hash":            {`00"}`, `"}`},
		"a malformed document":    {`"known"`, `"fault":{"code":"document.malformed","expected":"a","found":"b"},"known"`},
		"a code of another kind":  {`"known"`, `"fault":{"code":"chain.gap","expected":"a","found":"b"},"known"`},
		"a long text": {`"known"`, `"fault":{"code":"checkpoint.under-quorum","expected":"a","found":"` +
			strings.Repeat("x", facts.MaxText+4) + `"},"known"`},
	} {
		doc := strings.Replace(sound, replace[0], replace[1], 1)
		_, err := facts.ParseTestimony([]byte(doc), nil)
		check.That(t, err != nil && doc != sound, "%s is taken", name)
	}
	twice := strings.Replace(sound, `"known":[`, `"known":[{"hash":"`+zeros+`","sequence":7},`, 1)
	check.That(t, check.Err(facts.ParseTestimony([]byte(twice), nil)) != nil, "a sequence twice is taken")
	check.That(t, check.Err(facts.ParseTestimony(make([]byte, facts.MaxTestimony+1), nil)) != nil,
		"more than MaxTestimony is taken")
}

// TestTestimonyIsBounded: the largest testimony is smaller than MaxTestimony, a usual bundle's
// is smaller than 16 KiB, and a long text of a document is cut.
func TestTestimonyIsBounded(t *testing.T) {
	toldAgain(t, walk.LargestTestimony())
	for file, bundles := range conformance(t) {
		root, _ := trust.Parse([]byte(file))
		for _, doc := range bundles {
			said, _, err := facts.TestimonyOf("", doc, root, facts.ForWalk).Documents()
			most := max(16<<10, len(doc)/4)
			check.That(t, err == nil && len(said) <= most, "%d octets of a bundle of %d, %v", len(said), len(doc), err)
		}
	}
	long := []byte(`{"protocol":"` + strings.Repeat("\u20ac", facts.MaxText) + `"}`)
	said := toldAgain(t, facts.TestimonyOf("", long, plain(t).Root, facts.ForWalk))
	n := len(said.Fault.Found)
	check.That(t, n > facts.MaxText-3 && n <= facts.MaxText+3 && strings.HasSuffix(said.Fault.Found, "..."),
		"%d octets", n)
}

// FuzzTestimony: whatever a document is, its testimony can be written and read; and testimony
// that can be read has one form.
func FuzzTestimony(f *testing.F) {
	w := plain(f)
	f.Add([]byte(sound))
	for d := range w.Reader().Documents(context.Background()) {
		f.Add(d.Bytes)
	}
	f.Add(conformance(f)[firstOf(conformance(f))][0])
	f.Fuzz(func(t *testing.T, doc []byte) {
		toldAgain(t, facts.TestimonyOf("", doc, w.Root, facts.ForWalk))
		if said, err := facts.ParseTestimony(doc, nil); err == nil {
			again, _, err := said.Documents()
			check.That(t, err == nil && bytes.Equal(again, doc),
				"read from\n%s\nwritten as\n%s, %v", doc, again, err)
		}
	})
}

func firstOf(all map[string][][]byte) (first string) {
	for name := range all {
		if first == "" || name < first {
			first = name
		}
	}
	return first
}
