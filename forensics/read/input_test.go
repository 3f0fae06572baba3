package read

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestWindowIsBounded: while a line is looked for, the window grows to what a
// unit of the largest size needs, and not to twice that.
func TestWindowIsBounded(t *testing.T) {
	const unit = 5 << 20 // no power of two
	for name, c := range map[string]struct {
		line int
		ok   bool
	}{
		"short":          {100, true},
		"at the limit":   {unit, true},
		"over the limit": {unit + 1, false},
		"far over it":    {4 * unit, false},
	} {
		in := newInput(io.MultiReader(strings.NewReader(strings.Repeat("x", c.line-1)), strings.NewReader("\n{}\n")), unit)
		line, ok := in.line(0, unit)
		if ok != c.ok || ok && len(line) != c.line {
			t.Errorf("%s: %d bytes, %v", name, len(line), ok)
		}
		if most := unit + firstWindow; len(in.buf) > most {
			t.Errorf("%s: a window of %d bytes, want at most %d", name, len(in.buf), most)
		}
		if name == "short" && len(in.buf) != firstWindow {
			t.Errorf("%s: a window of %d bytes", name, len(in.buf))
		}
	}
	// Whoever asks for more than a unit gets it all the same.
	in := newInput(bytes.NewReader(make([]byte, 2*unit)), unit)
	if got := in.peek(2 * unit); len(got) != 2*unit {
		t.Errorf("%d bytes, want %d", len(got), 2*unit)
	}
}
