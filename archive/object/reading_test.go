package object

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
)

// readerOf returns a reader of a folder with one file.
func readerOf(t *testing.T, octets []byte) (*Reader, *os.File) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(name, octets, 0o644))
	root := must.Get(listing.Open(dir))(t)
	f := must.Get(os.Open(name))(t)
	r := NewReader(root, &sync.Mutex{})
	t.Cleanup(func() { r.Close(); root.Close(); f.Close() })
	return r, f
}

// TestRead reads files with sizes around the sizes of buffers, and digests of a beginning.
func TestRead(t *testing.T) {
	for _, size := range []int{0, 1, usual - 1, usual, usual + 1, large, large + 1, Most, Most + 1} {
		octets := bytes.Repeat([]byte("0123456789abcde"), size/15+1)[:size]
		r, _ := readerOf(t, octets)
		beginnings := []int64{0, 1, int64(size) / 2, int64(size), int64(size) + 1}
		if size >= Most {
			beginnings = beginnings[2:3]
		}
		for _, beginning := range beginnings {
			got, fault, err := r.Read(context.Background(), "file", beginning)
			must.That(t, fault == nil && err == nil && got.Size == int64(size) && got.SHA256 == sha256.Sum256(octets),
				"%d octets: %+v, %v, %v", size, got, fault, err)
			want := [sha256.Size]byte{}
			if beginning > 0 && beginning <= int64(size) {
				want = sha256.Sum256(octets[:beginning])
			}
			check.That(t, got.Beginning == want, "the first %d of %d octets have another digest", beginning, size)
			inMemory := got.File == nil
			check.That(t, inMemory == (size <= Most) && (!inMemory || bytes.Equal(got.Content, octets)),
				"%d octets: in memory %v", size, inMemory)
			if err := r.Done(got); err != nil || r.holds || len(r.buffer) > large+1 {
				t.Errorf("after %d octets: %v, a buffer of %d", size, err, len(r.buffer))
			}
		}
	}
}

// TestReadChanging: a file with more or fewer bytes than its stated size is not read.
func TestReadChanging(t *testing.T) {
	octets := bytes.Repeat([]byte("x"), 200_000)
	for _, said := range []int64{0, 1, 199_999, 200_001, 300_000} {
		r, f := readerOf(t, octets)
		check.Is(t, r.whole(f, &Reading{Size: said}, 0), listing.ErrChanged, "whole: %d of 200,000 octets", said)
		check.Do(t, r.Done(nil))
		must.Get(f.Seek(0, 0))(t)
		check.Is(t, r.stream(context.Background(), f, &Reading{Size: said}, 0), listing.ErrChanged,
			"stream: %d of 200,000 octets", said)
	}
}

// TestReadFaults: a missing object, a folder and a context that is done are distinguished.
func TestReadFaults(t *testing.T) {
	r, _ := readerOf(t, nil)
	if _, fault, err := r.Read(context.Background(), "absent", 0); !errors.Is(fault, listing.ErrGone) || err != nil {
		t.Errorf("%v, %v", fault, err)
	}
	if _, fault, err := r.Read(context.Background(), "file/below", 0); fault == nil || err != nil {
		t.Errorf("%v, %v", fault, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := r.Read(ctx, "file", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
