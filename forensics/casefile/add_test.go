package casefile

import (
	"errors"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestFailedAdd: a chunk of which something cannot be added leaves nothing in
// the case, and what was committed before it stays.
func TestFailedAdd(t *testing.T) {
	w, _ := newWriter(t)
	p := must.Get(w.Start(1, chain.Hash{}))(t)
	add := func(sequence int, skips ...FoundSkip) error {
		d := drawn{sequence: sequence, kind: 1}
		p.Events++
		return w.Add(&Chunk{Source: p.Source, Containers: []Container{{}}, Events: []Arrival{d.arrival(sequence)},
			Skips: skips}, p)
	}
	must.Do(t, errors.Join(add(1), w.Commit(), w.conn.Exec("ALTER TABLE skips RENAME TO other"), add(2)))
	if err := add(3, FoundSkip{}); err == nil {
		t.Fatal("a skip is added without its table")
	}
	must.Do(t, w.Commit())
	c := w.Case
	defer w.Close()
	sources, err := c.Sources(t.Context())
	if err != nil || len(sources) != 1 || sources[0].Events != 1 {
		t.Errorf("%+v, %v, want one event", sources, err)
	}
	logs, err := c.Logs(t.Context())
	must.That(t, err == nil && len(logs) == 1, "%+v, %v", logs, err)
	for e, err := range c.Events(t.Context(), logs[0], 0, 10) {
		if err != nil || e.Link.Sequence != 1 {
			t.Errorf("event %d, %v, want 1 alone", e.Link.Sequence, err)
		}
	}
}
