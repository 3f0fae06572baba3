package spool_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// TestFile compares a file with a list in memory.
func TestFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := must.Get(spool.New(""))(t)
		defer f.Close()
		var want [][]byte
		for _, record := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 300)).Draw(t, "records") {
			must.Do(t, f.Add(record))
			want = append(want, record)
			i := rapid.IntRange(0, len(want)-1).Draw(t, "index")
			got, err := f.At(i)
			must.That(t, err == nil && bytes.Equal(got, want[i]), "record %d is %q, %v", i, got, err)
		}
		for range 2 {
			i := 0
			for got, err := range f.All() {
				must.That(t, err == nil && bytes.Equal(got, want[i]), "record %d is %q, %v", i, got, err)
				i++
			}
			must.That(t, i == len(want) && f.Len() == i, "%d records of %d, and Len is %d", i, len(want), f.Len())
		}
	})
}

// TestNothingStays: after Close the folder is empty.
func TestNothingStays(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(spool.New(dir))(t)
	must.Do(t, f.Close())
	left, err := os.ReadDir(dir)
	check.That(t, err == nil && len(left) == 0, "%v, %v", left, err)
}

// TestNoFolder: where there is no folder, there is an error.
func TestNoFolder(t *testing.T) {
	check.That(t, check.Err(spool.New(t.TempDir()+"/absent")) != nil, "a file in a folder that is not there")
}

// TestSorter compares a sorter with slices.SortFunc, with buffers that hold from
// nearly nothing to everything.
func TestSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := spool.NewSorter("", rapid.IntRange(1, 4000).Draw(t, "room"))
		defer s.Close()
		want := rapid.SliceOf(rapid.SliceOfN(rapid.ByteRange(0, 3), 0, 200)).Draw(t, "records")
		for _, record := range want {
			must.Do(t, s.Add(record))
		}
		slices.SortFunc(want, bytes.Compare)
		i := 0
		for got, err := range s.All() {
			must.That(t, err == nil && i != len(want) && bytes.Equal(got, want[i]), "record %d of %d is %q, %v", i, len(want),
				got, err)
			i++
		}
		must.That(t, i == len(want), "%d records of %d", i, len(want))
	})
}

// TestSorterFiles: records that fit in the buffer make no file; more records make one, which
// closing removes.
func TestSorterFiles(t *testing.T) {
	for name, c := range map[string]struct {
		records int
		spilled bool
	}{"fits": {64, false}, "one more": {65, true}} {
		dir := t.TempDir()
		must.Do(t, os.Mkdir(dir+"/in", 0o700))
		s := spool.NewSorter(dir+"/in", 1024)
		// Without the folder no file can be made.
		must.Do(t, os.Remove(dir+"/in"))
		var err error
		for i := range c.records {
			if err = s.Add(binary.BigEndian.AppendUint64(nil, uint64(i))); err != nil {
				break
			}
		}
		check.That(t, (err != nil) == c.spilled, "%s: error %v, want one: %t", name, err, c.spilled)
		check.OK(t, s.Close(), "%s", name)
	}
}
