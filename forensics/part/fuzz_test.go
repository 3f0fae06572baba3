package part_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// readWhole reads all records of a part, and returns the first error.
func readWhole(f *part.File) error {
	ctx := context.Background()
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	for _, err := range f.Skips(ctx) {
		note(err)
	}
	for _, err := range f.Documents(ctx) {
		note(err)
	}
	for _, log := range f.Logs() {
		for _, err := range f.Copies(ctx, log, 0) {
			note(err)
		}
		for _, err := range f.Statements(ctx, log, 0) {
			note(err)
		}
	}
	for _, err := range f.Batches(ctx) {
		note(err)
	}
	return errors.Join(errs...)
}

// FuzzOpen: whatever is read without a fault is the one form of what it says: it is
// written again octet for octet.
func FuzzOpen(f *testing.F) {
	for seed := range 12 {
		w := rapid.Custom(drawWorld).Example(seed)
		f.Add(framesOf(octets(f, w.content(w.whole()...), nil)))
	}
	f.Add(framesOf(octets(f, ordinary(1, 2, 1, 500), nil)))
	f.Fuzz(func(t *testing.T, frames []byte) { oneForm(t, part.Sealed(frames)) })
}

// FuzzCopies is FuzzOpen for what is in one block of copies.
func FuzzCopies(f *testing.F) {
	frames := part.Split(octets(f, ordinary(1, 2, 1, 200), nil))
	n := slices.IndexFunc(frames, func(f part.Frame) bool { return f.Kind == part.OfCopies })
	for _, frame := range frames {
		if frame.Kind == part.OfCopies {
			f.Add(frame.Content)
		}
	}
	for seed := range 12 {
		w := rapid.Custom(drawWorld).Example(seed)
		for _, frame := range part.Split(octets(f, w.content(w.whole()...), nil)) {
			if frame.Kind == part.OfCopies {
				f.Add(frame.Content)
			}
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		frames[n].Content = content
		oneForm(t, part.Join(frames[:n+1]...))
	})
}

// oneForm fails if a part is read without a fault and written again otherwise. It
// reports whether it was read.
func oneForm(t *testing.T, b []byte) bool {
	p, err := part.Open(context.Background(), bytes.NewReader(b), int64(len(b)), nil)
	if err != nil || readWhole(p) != nil {
		return false
	}
	var again bytes.Buffer
	must.OK(t, check.Err(part.Write(context.Background(), &again, p, nil)), "what was read cannot be written")
	if !bytes.Equal(again.Bytes(), b) {
		t.Fatalf("%d octets are written again as %d:\n%x\n%x", len(b), again.Len(), b, again.Bytes())
	}
	return true
}

// framesOf returns a part without its trailer.
func framesOf(b []byte) []byte { return b[:len(b)-part.TrailerSize] }

// TestFewerFrames: a part without its last frames, or without one of them, is refused
// or is the one form of what it says.
func TestFewerFrames(t *testing.T) {
	refused, kept := 0, 0
	for seed := range 12 {
		w := rapid.Custom(drawWorld).Example(seed)
		frames := part.Split(octets(t, w.content(w.whole()...), nil))
		for i := range frames {
			for _, fewer := range [][]part.Frame{frames[:i], slices.Delete(slices.Clone(frames), i, i+1)} {
				if oneForm(t, part.Join(fewer...)) {
					kept++
				} else {
					refused++
				}
			}
		}
	}
	check.That(t, refused != 0 && kept != 0, "%d were refused and %d kept", refused, kept)
}

// TestMutated: each change of one octet, with a digest that is right again, is noticed,
// or gives a part that is the one form of what it says.
func TestMutated(t *testing.T) {
	w := rapid.Custom(drawWorld).Example(3)
	frames := framesOf(octets(t, w.content(w.whole()...), nil))
	refused, kept, every := 0, 0, 1
	if testing.Short() {
		every = 5
	}
	for i := 0; i < len(frames); i += every {
		changed := bytes.Clone(frames)
		changed[i] ^= []byte{1, 0x80}[i%2]
		if oneForm(t, part.Sealed(changed)) {
			kept++
		} else {
			refused++
		}
	}
	check.That(t, refused != 0 && kept != 0, "%d changes were refused and %d kept", refused, kept)
}
