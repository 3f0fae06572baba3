package partview_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// inventory writes what the evidence consists of.
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

// document writes what is taken from a document: from its bytes, or what is there in
// their place.
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
