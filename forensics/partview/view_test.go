package partview_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

func verifies(key trust.PublicKey, hash chain.Hash, signature [event.SignatureSize]byte) bool {
	return ed25519.Verify(ed25519.PublicKey(key[:]), trust.PAE(event.Protocol, hash[:]), signature[:])
}

var limits = read.Options{Limits: read.Limits{Unit: cases.LongestUnit}}

// sameAnswers holds a view of files, and a case of them that is judged as it is read, against a
// case that no one judges, and returns the answers.
func sameAnswers(t *testing.T, files map[string]fleet.File, root *trust.Root) []string {
	t.Helper()
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	must.Do(t, (&fleet.Evidence{Files: files}).Write(given))
	f := caseOf(t, dir, given)
	unjudged := viewOfCase(t, f, nil)
	answers := testimony(t, unjudged, root)
	for _, v := range []*partview.View{viewOf(t, []string{given}, root), viewOfCase(t, f, walk.NewJudge(root))} {
		compare(t, answers, testimony(t, v, root))
		sameVerdict(t, unjudged, v, root)
	}
	return answers
}

// sameVerdict compares the verdict on one reader of evidence with that on another.
func sameVerdict(t *testing.T, want, got evidence.Reader, root *trust.Root) {
	t.Helper()
	var results [2][]byte
	for i, r := range []evidence.Reader{want, got} {
		result, err := examine.Of(t.Context(), r, root, examine.Options{})
		must.Do(t, err)
		if results[i], err = json.MarshalIndent(result, "", " "); err != nil {
			t.Fatal(err)
		}
	}
	a, b := strings.Split(string(results[0]), "\n"), strings.Split(string(results[1]), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d of the verdict\ncase %s\nview %s", i, strings.Join(a[max(0, i-8):i+1], "\n"), b[i])
		}
	}
	must.That(t, len(a) == len(b) && len(a) >= 20, "verdicts of %d and %d lines", len(a), len(b))
}

// viewOf reads evidence into a view.
func viewOf(t *testing.T, paths []string, root *trust.Root) *partview.View {
	t.Helper()
	s := must.Get(share.Read(t.Context(), paths, root, share.Options{Options: ingest.Options{Workers: 1,
		Read: limits}}))(t)
	t.Cleanup(func() { s.Close() })
	return view(t, s)
}

func view(t testing.TB, content part.Content) *partview.View {
	t.Helper()
	options := partview.Options{Read: limits, Again: ingest.Again}
	v := must.Get(partview.New(context.WithoutCancel(t.Context()), content, options))(t)
	return v.Bounded(5, 2)
}

func compare(t *testing.T, want, got []string) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			t.Errorf("the view has more: %s", got[i])
			return
		case i >= len(got):
			t.Errorf("the view lacks %s", want[i])
			return
		case want[i] != got[i]:
			t.Errorf("row %d\ncase %s\nview %s", i, want[i], got[i])
			return
		}
	}
	must.That(t, len(want) >= 3, "only %d rows", len(want))
}

// given are the files that an investigator is given after a script.
func given(before, after *fleet.Evidence, damage tamper.Damage) map[string]fleet.File {
	files := map[string]fleet.File{}
	for _, name := range after.Names(tamper.Given(before, after, damage)...) {
		files[name] = after.Files[name]
	}
	return files
}

// TestAnswers: a view of evidence, however it is laid out and whatever was done to it, answers as a
// case does.
func TestAnswers(t *testing.T) {
	e, every := cases.Evidence(t, fleet.Scene), 16
	if testing.Short() {
		every = 400
	}
	for i, l := range must.Get(layout.All(e))(t) {
		if i%every == 5 && !testing.Short() {
			t.Run(l.Name, func(t *testing.T) { sameAnswers(t, l.Files, cases.Root(t, e)) })
		}
	}
	for i, s := range tamper.Scripts() {
		if i%every == 5 {
			t.Run(s.Name, func(t *testing.T) {
				after, damage := must.Two(s.Apply(e))(t)
				sameAnswers(t, given(e, after, damage), cases.Root(t, after))
			})
		}
	}
}

// caseOf makes a case of evidence in a folder.
func caseOf(t *testing.T, dir string, given ...string) *store.File {
	t.Helper()
	path := filepath.Join(dir, "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	must.Get(ingest.Paths(t.Context(), w, given, ingest.Options{Workers: 1, Read: limits}, nil))(t)
	must.Do(t, w.Close())
	f := must.Get(store.OpenRead(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// viewOfCase is a view of a case. The judge can be nil.
func viewOfCase(t *testing.T, f *store.File, judge *walk.Judge) *partview.View {
	t.Helper()
	v := must.Get(partview.New(context.WithoutCancel(t.Context()), f.Content,
		partview.Options{Read: limits, Judge: judge, Workers: 2, Line: f.CopyLine}))(t)
	return v.Bounded(5, 2)
}

// inventory writes the sources, skips and documents of the evidence.
func (w *witness) inventory() {
	sources, err := w.r.Sources(w.ctx)
	w.check(err)
	for _, s := range sources {
		w.sources[s.Number] = s.SHA256.String()
		s.Number = 0
		w.row("source", s)
	}
	containers, err := w.r.Containers(w.ctx)
	w.check(err)
	var boxes []string
	for _, c := range containers {
		w.containers[c.Container] = w.sources[c.Source] + "!" + c.Path
		boxes = append(boxes, w.containers[c.Container]+" "+c.Format)
	}
	slices.Sort(boxes)
	w.row("containers", boxes)
	paths, err := w.r.Paths(w.ctx)
	w.check(err)
	for _, p := range paths {
		w.row("path", w.sources[p.Source], p.Path, p.Absolute)
	}
	unread, err := w.r.Unread(w.ctx)
	w.check(err)
	w.row("unread", unread)
	last := map[int64]facts.Skip{}
	for s, err := range w.r.Skips(w.ctx) {
		w.check(err)
		w.row("skip", w.place(s.Place), s.Code, s.Detail, string(s.Excerpt), s.Spans, s.Through)
		last[s.Source] = s
	}
	for _, source := range sources {
		for _, between := range [][2]int64{{-1, math.MaxInt64}, {last[source.Number].Record / 2, last[source.Number].Record},
			{last[source.Number].Record, math.MaxInt64}} {
			for s, err := range w.r.HiddenBetween(w.ctx, source.Number, between[0], between[1]) {
				w.check(err)
				w.row("hidden", between, w.place(s.Place))
			}
		}
	}
	for d, err := range w.r.Documents(w.ctx) {
		w.check(err)
		w.document(&d)
	}
}

// document writes the testimonies of a document: from its bytes, or the testimonies in their
// place.
func (w *witness) document(d *facts.Document) {
	var places []string
	for _, p := range d.Places {
		places = append(places, w.place(p))
	}
	forWalk, forCross := d.Walk, d.Cross
	if d.Bytes != nil {
		var err error
		said := facts.TestimonyOf(d.Kind, d.Bytes, w.root, facts.ForWalk|facts.ForComparison)
		forWalk, forCross, err = said.Documents()
		w.check(err)
	}
	w.row("document", d.SHA256, d.Kind, places, forWalk, forCross)
}

func (w *witness) place(p facts.Place) string {
	return fmt.Sprintf("%s!%s %d+%d #%d", w.sources[p.Source], p.Container, p.Offset, p.Length, p.Record)
}
