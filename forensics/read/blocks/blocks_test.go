package blocks_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/forensics/read/blocks"
	"github.com/svc-edge/svc-verify/internal/must"
)

// sample is decompressed from each codec. The block of LZ4 was written by hand: a
// literal of "ab" and a match of 2 back with 8 octets, then a literal of 5.
const sample = "abababababhello"

func compressed(t *testing.T, text string) map[blocks.Codec][]byte {
	t.Helper()
	written := func(w io.WriteCloser, b *bytes.Buffer) []byte {
		_, err := io.WriteString(w, text)
		must.Do(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}
	var g, f, z bytes.Buffer
	deflate, err := flate.NewWriter(&f, 9)
	zs, err2 := zstd.NewWriter(&z)
	must.Do(t, errors.Join(err, err2))
	return map[blocks.Codec][]byte{
		blocks.None:    []byte(text),
		blocks.Snappy:  snappy.Encode(nil, []byte(text)),
		blocks.Gzip:    written(gzip.NewWriter(&g), &g),
		blocks.Deflate: written(deflate, &f),
		blocks.Zstd:    written(zs, &z),
	}
}

func TestDecode(t *testing.T) {
	d := blocks.Decoder{Limit: len(sample)}
	less := blocks.Decoder{Limit: len(sample) - 1}
	defer d.Close()
	defer less.Close()
	all := compressed(t, sample)
	all[blocks.LZ4] = []byte("\x24ab\x02\x00\x50hello")
	for c, block := range all {
		got, err := d.Decode([]byte("x"), c, block)
		if err != nil || string(got) != "x"+sample {
			t.Errorf("%s: %q %v", c, got, err)
		}
		if _, err := less.Decode(nil, c, block); !errors.Is(err, blocks.ErrLimit) {
			t.Errorf("%s beyond the limit: %v", c, err)
		}
		if _, err := d.Decode(nil, c, block[:len(block)-6]); err == nil && c != blocks.None && c != blocks.LZ4 {
			t.Errorf("%s: no error of half a block", c)
		}
	}
	if _, err := d.Decode(nil, "lzo", nil); !errors.Is(err, blocks.ErrCodec) {
		t.Error(err)
	}
}

// TestBombs: no block takes more memory than the limit admits, whatever it says.
func TestBombs(t *testing.T) {
	const limit = 1 << 16
	bombs := compressed(t, strings.Repeat("0", 100<<20))
	bombs[blocks.LZ4] = slices.Concat([]byte("\x1f0\x01\x00"), bytes.Repeat([]byte{255}, 1<<20), []byte{0})
	for c, block := range bombs {
		d := blocks.Decoder{Limit: limit}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := d.Decode(nil, c, block)
		runtime.ReadMemStats(&after)
		d.Close()
		if !errors.Is(err, blocks.ErrLimit) {
			t.Errorf("%s: %v", c, err)
		}
		n := after.TotalAlloc - before.TotalAlloc
		if n > 64*limit {
			t.Errorf("%s: %d bytes allocated", c, n)
		}
	}
	d := blocks.Decoder{Limit: limit}
	if _, err := d.Decode(nil, blocks.Snappy, []byte("\xff\xff\x03\x00")); !errors.Is(err, blocks.ErrDamaged) {
		t.Error(err)
	}
}

// FuzzDecode wants that no block makes more than the limit, or a panic.
func FuzzDecode(f *testing.F) {
	f.Add("lz4", []byte("\x24ab\x02\x00\x50hello"))
	f.Add("snappy", snappy.Encode(nil, []byte(sample)))
	f.Fuzz(func(t *testing.T, c string, b []byte) {
		d := blocks.Decoder{Limit: 1 << 12}
		defer d.Close()
		if out, err := d.Decode(nil, blocks.Codec(c), b); len(out) > d.Limit && err == nil {
			t.Fatalf("%d octets", len(out))
		}
	})
}
