package spool_test

import (
	"bytes"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// TestFile holds a file against a list in memory.
func TestFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := must.Get(spool.New(""))(t)
		defer f.Close()
		var want [][]byte
		for _, record := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 300)).Draw(t, "records") {
			must.Do(t, f.Add(record))
			want = append(want, record)
			i := rapid.IntRange(0, len(want)-1).Draw(t, "index")
			if got, err := f.At(i); err != nil || !bytes.Equal(got, want[i]) {
				t.Fatalf("record %d is %q, %v", i, got, err)
			}
		}
		for range 2 {
			i := 0
			for got, err := range f.All() {
				if err != nil || !bytes.Equal(got, want[i]) {
					t.Fatalf("record %d is %q, %v", i, got, err)
				}
				i++
			}
			if i != len(want) || f.Len() != i {
				t.Fatalf("%d records of %d, and Len is %d", i, len(want), f.Len())
			}
		}
	})
}

// TestNothingStays: after Close the folder is empty.
func TestNothingStays(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(spool.New(dir))(t)
	must.Do(t, f.Close())
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestNoFolder: where there is no folder, there is an error.
func TestNoFolder(t *testing.T) {
	if _, err := spool.New(t.TempDir() + "/absent"); err == nil {
		t.Error("a file in a folder that is not there")
	}
}
