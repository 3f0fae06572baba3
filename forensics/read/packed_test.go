package read_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/ulikunitz/xz"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/must"
)

// packed returns what a real program made of testdata/packed/journal.
func packed(t testing.TB, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/packed/" + name + ".base64"))(t)
	b := must.Get(base64.StdEncoding.DecodeString(strings.ReplaceAll(string(text), "\n", "")))(t)
	return string(b)
}

func journalFile(t *testing.T) string {
	t.Helper()
	b := must.Get(os.ReadFile("testdata/packed/journal"))(t)
	return string(b)
}

// packedBodies are the bodies of testdata/packed/journal, as rows want them.
func packedBodies(t *testing.T) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(journalFile(t)) {
		all = append(all, "exact:"+strings.TrimSuffix(line, "\n"))
	}
	return all
}

func zlibbed(part string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	fmt.Fprint(w, part)
	w.Close()
	return out.String()
}

func snapped(part string) string {
	var out bytes.Buffer
	w := snappy.NewBufferedWriter(&out)
	for line := range strings.Lines(part) {
		fmt.Fprint(w, line)
		w.Flush()
	}
	w.Close()
	return out.String()
}

func xzed(part string) string {
	var out bytes.Buffer
	w := must.Have(xz.NewWriter(&out))
	must.Have(w.Write([]byte(part)))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// TestRealCompressors: what real programs compressed is read whole, and what was
// done to it is said.
func TestRealCompressors(t *testing.T) {
	all := packedBodies(t)
	twice := append(slices.Clone(all), all...)
	truncated, unparseable := finding.SourceTruncated, finding.SourceUnparseable
	wholes := map[string]string{"zlib": zlibbed(journalFile(t)), "snappy": snapped(journalFile(t))}
	for _, name := range []string{"bzip2", "bzip2-two", "xz", "xz-blocks", "xz-two", "lz4", "lz4-linked", "lz4-two",
		"lz4-legacy"} {
		wholes[name] = packed(t, name)
	}
	for name, whole := range wholes {
		rows(t, []row{
			{name, whole, all, nil},
			{name + ", again behind itself", whole + whole, twice, nil},
			{name + ", something behind", whole + "more", all, []finding.Code{finding.SourceTrailingData}},
			{name + ", in gzip", zipped(whole), all, nil},
		})
		cut := row{name + ", cut at the end", whole[:len(whole)-1], all, []finding.Code{truncated}}
		if name == "snappy" {
			cut.bodies = all[:2] // a chunk comes out whole or not at all
		}
		rows(t, []row{cut})
		for _, at := range []int{len(whole) / 2, len(whole) - 9} {
			a := sound(t, []byte(broken(whole, at)+whole), read.Options{})
			codes := a.Codes()
			if !slices.Contains(codes, unparseable) && !slices.Contains(codes, finding.SourceLimit) {
				t.Errorf("%s, altered at %d: %v", name, at, codes)
			}
			if n := len(a.Records); n > 6 || n < 3 && name != "zlib" {
				t.Errorf("%s, altered at %d: %d records", name, at, n)
			}
		}
		for n := 0; n < len(whole); n += 1 + n/150 {
			a := sound(t, []byte(whole[:n]), read.Options{})
			if whole := len(a.Records) == 1 && strings.HasSuffix(name, "-two"); len(a.Skips) == 0 && !whole {
				t.Errorf("%s: nothing is said of the first %d bytes", name, n)
			}
		}
	}
	rows(t, []row{
		{"filtered", packed(t, "xz-filtered"), nil, []finding.Code{finding.SourceNoRecord, unparseable}},
		{"a large dictionary", packed(t, "xz-large"), nil, []finding.Code{finding.SourceNoRecord, finding.SourceLimit}},
	})
}

// TestChecksOfXZ: a checksum that is wrong is seen, and an index that says other
// things than the blocks.
func TestChecksOfXZ(t *testing.T) {
	whole := []byte(packed(t, "xz"))
	footer := len(whole) - 12
	index := footer - 4*(int(binary.LittleEndian.Uint32(whole[footer+4:]))+1)
	for name, at := range map[string]int{"checksum": index - 1, "count": index + 1, "size": index + 2} {
		b := bytes.Clone(whole)
		b[at] ^= 2
		binary.LittleEndian.PutUint32(b[footer-4:], crc32.ChecksumIEEE(b[index:footer-4]))
		rows(t, []row{{name, string(b), packedBodies(t), []finding.Code{finding.SourceUnparseable}}})
	}
}

// TestLinkedBlocks: a block can refer to those before it, through many blocks.
func TestLinkedBlocks(t *testing.T) {
	rows(t, []row{{"200 copies", packed(t, "lz4-many"), slices.Repeat(packedBodies(t), 200), nil}})
}

// TestManySmallParts: a file of many parts, each of which needs much memory, is
// given up before that takes long.
func TestManySmallParts(t *testing.T) {
	part := packed(t, "bzip2")
	part = part[:14] // the head of a stream and of a block, and nothing
	a := find(t, []byte(strings.Repeat(part, 50_000)), read.Options{})
	if codes := a.Codes(); !slices.Contains(codes, finding.SourceLimit) {
		t.Errorf("%d skips, no limit", len(codes))
	}
}
