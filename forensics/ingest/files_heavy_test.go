//go:build heavy

package ingest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestByReference: the case is small, gives the same bytes, and sees when the
// source is no longer the same.
func TestByReference(t *testing.T) {
	dir := t.TempDir()
	want := journal(berlin, 4000, 1)
	evidence := write(t, dir, "journal", file(want))
	kept, referring := newCase(t, Options{}, evidence), newCase(t, Options{ByReference: true}, evidence)
	if got := lines(t, referring, berlin); !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatal("other lines than were ingested")
	}
	sameDump(t, dump(t, referring), dump(t, kept))
	if a, b := sizeOf(t, referring), sizeOf(t, kept); a >= b*9/10 {
		t.Errorf("by reference the case has %d bytes, else %d", a, b)
	}
	write(t, dir, "journal", file(journal(berlin, 4000, 2)))
	c := openRead(t, referring)
	bodies := must.Get(c.Bodies())(t)
	defer bodies.Close()
	logs := must.Get(c.Logs(t.Context()))(t)
	for e, err := range c.Events(t.Context(), logs[0], 0, 10) {
		must.Do(t, err)
		if _, err := bodies.Line(t.Context(), e); err == nil {
			t.Error("an event was read from a source that has changed")
		}
	}
}
