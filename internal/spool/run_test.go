package spool

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestChangedRun changes one byte of a run, or cuts the file off. Records that are yielded
// before the error are right.
func TestChangedRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSorter("", rapid.IntRange(500, 60_000).Draw(t, "room"))
		defer s.Close()
		const records = 6000
		for i := range records {
			must.Do(t, s.Add(binary.BigEndian.AppendUint64(nil, uint64(i))))
		}
		must.Do(t, s.writeRun())
		at := rapid.Int64Range(0, s.Size()-1).Draw(t, "at")
		if rapid.Bool().Draw(t, "cut") {
			s.file.Truncate(at)
		} else {
			b := make([]byte, 1)
			s.file.ReadAt(b, at)
			b[0] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
			s.file.WriteAt(b, at)
		}
		var last error
		next := uint64(0)
		for record, err := range s.All() {
			if last = err; err != nil {
				break
			}
			got := binary.BigEndian.Uint64(record)
			must.That(t, got == next, "record %d is %d", next, got)
			next++
		}
		must.That(t, errors.Is(last, ErrChanged), "error %v after %d records, want ErrChanged", last, next)
	})
}

// TestNamedFile is about systems on which a file in use keeps its name: closing
// removes it.
func TestNamedFile(t *testing.T) {
	f := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	kept := &Temporary{f, true}
	check.Do(t, kept.Close())
	_, err := os.Stat(f.Name())
	check.That(t, errors.Is(err, os.ErrNotExist), "the file is still there, %v", err)
}
