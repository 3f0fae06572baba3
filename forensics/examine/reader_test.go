package examine

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// openReader opens what fill and add have made.
func openReader(t *testing.T, path string) *reader {
	t.Helper()
	c := must.Get(store.OpenCase(path, fleettest.As(1)))(t)
	r := c
	s := must.Get(newReader(t.Context(), r, nil))(t)
	t.Cleanup(func() { check.That(t, r.Close() == nil && c.Close() == nil, "close") })
	return s
}

// TestUnread: between two events only what stands between them counts, and from one
// to the end of a source only what stands behind it.
func TestUnread(t *testing.T) {
	dir := t.TempDir()
	path, _ := fill(t, dir)
	whole := must.Get(os.ReadFile(filepath.Join(dir, "tenant.ndjson")))(t)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	junk := []byte("{\"body\":\n")
	part := bytes.Join([][]byte{lines[0], junk, lines[1], lines[2], junk, junk}, nil)
	must.Do(t, os.WriteFile(filepath.Join(dir, "part.ndjson"), part, 0o600))
	add(t, path, dir, "part.ndjson")
	s := openReader(t, path)
	logs, err := s.Logs(t.Context())
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	events := []facts.Event{{}}
	for e, err := range s.Events(t.Context(), logs[0], 0) {
		must.Do(t, err)
		events = append(events, *e)
	}
	for _, tt := range []struct{ before, after, want int }{{1, 2, 1}, {2, 3, 0}, {1, 3, 1}, {3, 0, 2}, {1, 0, 3},
		{2, 1, 0}} {
		got, err := s.Unread(t.Context(), logs[0], events[tt.before], events[tt.after])
		check.That(t, err == nil && len(got) == tt.want,
			"from event %d to %d: %d spans, %v, want %d", tt.before, tt.after, len(got), err, tt.want)
	}
}

// TestCopiesAreFoundByTheirRow: the source looks at no other copy of a sequence to
// find one again, so that a crowd is not gone through for each of its copies.
func TestCopiesAreFoundByTheirRow(t *testing.T) {
	dir := t.TempDir()
	path, _ := fill(t, dir, "tenant.ndjson")
	s := openReader(t, path)
	logs := must.Get(s.Logs(t.Context()))(t)
	for e, err := range s.Events(t.Context(), logs[0], 4) {
		must.Do(t, err)
		alone := facts.Event{Ref: e.Ref} // nothing that a search could go by
		places, err := s.Places(t.Context(), logs[0], alone)
		must.That(t, err == nil && len(places) == 1, "%v, %v", places, err)
		if explains, err := s.Explains(t.Context(), logs[0], alone, alone); err != nil || explains {
			t.Fatalf("%t, %v: nothing was lost", explains, err)
		}
		return
	}
}
