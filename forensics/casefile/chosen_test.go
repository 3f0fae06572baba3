package casefile

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestChosenByType: a question for some types yields all events of these types, complete but
// for the number of deliveries.
func TestChosenByType(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, logs := fillLong(rt, t.TempDir())
		defer w.Close()
		types := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"type.0", "type.1", "type.2", "none"}),
			rapid.ID[string]).Draw(rt, "types")
		plain := func(e facts.Event) facts.Event {
			e.Deliveries, e.Variant, e.Copies = 0, 0, 0
			return e
		}
		for _, log := range logs {
			var want, got []facts.Event
			for e, err := range w.Events(rt.Context(), log, 0, 100) {
				must.Do(rt, err)
				if slices.Contains(types, e.Type) {
					want = append(want, plain(e))
				}
			}
			for e, err := range w.Chosen(rt.Context(), log, Choice{Types: types}) {
				must.Do(rt, err)
				got = append(got, plain(e.Event))
			}
			must.That(rt, slices.Equal(got, want), "%+v\nwant %+v", got, want)
		}
	})
}

// TestData: the data of events is what their lines have, wherever their bodies are.
func TestData(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	chunk := &Chunk{Containers: []Container{{Format: "journal"}}}
	data := map[string][]byte{} // by salt
	for _, doc := range eventLines(t) {
		a := Arrival{Fidelity: facts.Exact, Line: &event.Line{}}
		if event.Scan(doc, a.Line) && len(doc)%7 > 0 {
			chunk.Events = append(chunk.Events, a)
			data[string(a.Line.Body)] = a.Line.Data
		}
	}
	p := must.Get(w.Start(1, [32]byte{}))(t)
	chunk.Source = p.Source
	must.Do(t, errors.Join(w.Add(chunk, p), w.Commit()))
	logs := must.Get(w.Logs(t.Context()))(t)
	b := must.Get(w.Bodies())(t)
	defer b.Close()
	seen := 0
	for _, log := range logs {
		var all []Typed
		for e, err := range w.Chosen(t.Context(), log, Choice{Types: []string{event.ApprovalSigned, event.NodeReported,
			event.CapabilityObserved}}) {
			must.Do(t, err)
			all = append(all, *e)
		}
		slices.Reverse(all)
		must.Do(t, b.Data(t.Context(), log, all, func(i int, got []byte) error {
			doc, err := b.Line(t.Context(), all[i].Event)
			var l event.Line
			if err != nil || !event.Scan(doc, &l) || !bytes.Equal(got, l.Data) || !bytes.Equal(got, data[string(l.Body)]) {
				t.Errorf("event %d: %s, %v, want %s", all[i].Link.Sequence, got, err, l.Data)
			}
			seen++
			return nil
		}))
		if len(all) > 0 {
			all[0].Link.Body[0] ^= 1
			if err := b.Data(t.Context(), log, all[:1], func(int, []byte) error { return nil }); err == nil {
				t.Error("a body of another digest was taken")
			}
		}
	}
	if seen < 3 {
		t.Errorf("only %d events", seen)
	}
}
