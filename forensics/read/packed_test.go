package read_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// packed returns testdata/packed/journal as a real program packed it.
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

// through sends a text through a compressor.
func through[W io.WriteCloser](compressor func(io.Writer) (W, error), parts ...string) string {
	var out bytes.Buffer
	w := must.Have(compressor(&out))
	for _, part := range parts {
		must.Have(io.WriteString(w, part))
		if f, ok := any(w).(*snappy.Writer); ok { // each part is a chunk
			f.Flush()
		}
	}
	must.Have(0, w.Close())
	return out.String()
}

// always is a compressor that can be made of anything.
func always[W any](compressor func(io.Writer) W) func(io.Writer) (W, error) {
	return func(w io.Writer) (W, error) { return compressor(w), nil }
}

func zlibbed(part string) string { return through(always(zlib.NewWriter), part) }
func xzed(part string) string    { return through(xz.NewWriter, part) }

func deflated(part string) string {
	return through(func(w io.Writer) (*flate.Writer, error) { return flate.NewWriter(w, flate.BestSpeed) }, part)
}

func lz4ed(part string) string {
	return through(always(func(w io.Writer) *lz4.Writer { return lz4.NewWriter(w) }), part)
}

func snapped(part string) string {
	return through(always(snappy.NewBufferedWriter), slices.Collect(strings.Lines(part))...)
}

// compressors make a stream of each codec: of testdata/packed/journal, by real programs
// where Go has no compressor.
func compressors(t *testing.T) map[string]string {
	t.Helper()
	whole := journalFile(t)
	all := map[string]string{"gzip": must.Gzip(whole), "zstd": zstded(whole), "zlib": zlibbed(whole),
		"deflate": deflated(whole), "snappy": snapped(whole)}
	for _, name := range []string{"bzip2", "bzip2-two", "xz", "xz-blocks", "xz-two", "lz4", "lz4-linked", "lz4-two",
		"lz4-legacy"} {
		all[name] = packed(t, name)
	}
	return all
}

// TestCodecs checks the same for every codec: a whole stream gives all events and no finding,
// whether in one member, in several, behind zeros or within another codec.
func TestCodecs(t *testing.T) {
	all := packedBodies(t)
	twice := append(slices.Clone(all), all...)
	zeros := strings.Repeat("\x00", 512)
	for name, whole := range compressors(t) {
		deep := whole
		for range 7 {
			deep = must.Gzip(deep)
		}
		rows(t, []row{
			{name, whole, all, nil},
			{name + ", again behind itself", whole + whole, twice, nil},
			{name + ", zeros behind", whole + zeros, all, nil},
			{name + ", zeros between", whole + zeros + whole, twice, nil},
			{name + ", something behind", whole + "more", all, []finding.Code{finding.SourceTrailingData}},
			{name + ", something behind zeros", whole + zeros + "more", all, []finding.Code{finding.SourceTrailingData}},
			{name + ", as deep as may be", deep, all, nil},
			{name + ", too deep", must.Gzip(deep), nil, []finding.Code{finding.SourceLimit}},
		})
		if name != "zlib" && name != "deflate" { // which have no mark to be found by
			rows(t, []row{{name + ", again behind something", whole + "more" + whole, twice,
				[]finding.Code{finding.SourceTrailingData}}})
		}
	}
}

// TestDamagedCodecs: of a stream that is cut or altered anywhere, the whole events before come
// out, nothing comes out that is not in it, and something is reported.
func TestDamagedCodecs(t *testing.T) {
	all := packedBodies(t)
	step := func(n int) int { return 1 + n/chance.Sized(64, 3) }
	for name, whole := range compressors(t) {
		cut := row{name + ", cut at the end", whole[:len(whole)-1], all, []finding.Code{finding.SourceTruncated}}
		if name == "snappy" {
			cut.bodies = all[:2] // a chunk comes out whole or not at all
		}
		rows(t, []row{cut})
		before := 0
		for n := 0; n < len(whole); n += step(n) {
			a := sound(t, []byte(whole[:n]), read.Options{})
			if member := len(a.Records) == 1 && strings.HasSuffix(name, "-two"); len(a.Skips) == 0 && !member &&
				name != "lz4-legacy" && name != "snappy" { // which have no end
				t.Errorf("%s: nothing is said of the first %d bytes", name, n)
			}
			if got := withBodies(a.Records); len(got) < before || !slices.Equal(got, all[:len(got)]) {
				t.Errorf("%s, cut at %d: %d records, %d of less", name, n, len(got), before)
			}
			before = len(a.Records)
		}
		tried, lost := 0, 0
		for n := len("\xff\x06\x00\x00sNaPpY"); n < len(whole); n += step(n) {
			b := []byte(whole + whole)
			b[n] ^= 0x10
			a := sound(t, b, read.Options{})
			got := withBodies(a.Records)
			check.That(t, len(a.Skips) != 0 || len(got) == 2*len(all) || name == "lz4-legacy",
				"%s, altered at %d: %d records, and nothing is said", name, n, len(got))
			if tried++; len(got) < len(all) || !slices.Equal(got[len(got)-len(all):], all) {
				lost++
			}
		}
		// Some damage lets a decoder run on into later data. zlib and deflate have no mark to be found by.
		check.That(t, name == "zlib" || name == "deflate" || lost*10 <= tried,
			"%s: altered in %d places, all behind is lost in %d", name, tried, lost)
	}
}

// withBodies returns records in the form that rows wants.
func withBodies(records []read.Record) (all []string) {
	for _, r := range records {
		all = append(all, r.Fidelity.String()+":"+string(r.Body))
	}
	return all
}

// TestUnreadCodecs: an intact stream that is not read is no damage.
func TestUnreadCodecs(t *testing.T) {
	for name, c := range map[string]struct {
		dump, help string
		code       finding.Code
	}{
		"filtered": {packed(t, "xz-filtered"), "xz -dc FILE", finding.SourceUnknownFormat},
		"a dictionary": {"\x04\x22\x4d\x18\x61\x40\x01\x02\x03\x04\x05", "lz4 -D DICTIONARY -dc FILE",
			finding.SourceUnknownFormat},
		"a dictionary of zstd": {"\x28\xb5\x2f\xfd\x21\x05\x01\x09\x00\x00a", "zstd -D DICTIONARY -dc FILE",
			finding.SourceUnknownFormat},
		"too large a window": {packed(t, "xz-large"), "", finding.SourceLimit},
		"zstd with a window": {"\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", "", finding.SourceLimit},
	} {
		found := valueAt(t, []byte(c.dump), read.Options{})
		last := found.Skips[len(found.Skips)-1]
		check.That(t, last.Code == c.code && last.Help == c.help, "%s: %+v", name, found.Skips)
	}
	const filter = 14 // where the first block of xz names its filter
	found := valueAt(t, []byte(broken(packed(t, "xz"), filter)), read.Options{})
	check.That(t, slices.Contains(found.Codes(), finding.SourceUnparseable),
		"a damaged header of xz: %+v", found.Skips)
	limited := valueAt(t, []byte(packed(t, "xz-blocks")), read.Options{Limits: read.Limits{Members: 1}})
	check.That(t, slices.Contains(limited.Codes(), finding.SourceLimit), "%v", limited.Codes())
}

// TestBombs: data that expands without end is given up, whatever expands.
func TestBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", read.FreeExpansion+8<<20) // more than snappy leaves of it
	bzip2 := must.Get(base64.StdEncoding.DecodeString(bzip2Bomb))(t)
	bombs := map[string]string{"bzip2": string(bzip2),
		"zip": zipOf(file{"bomb", zeros, false, false}, file{"behind", journalOf(0, 1), false, false})}
	if !testing.Short() {
		maps.Copy(bombs, map[string]string{"gzip": must.Gzip(zeros), "gzip in gzip": must.Gzip(must.Gzip(zeros)),
			"zstd": zstded(zeros), "zlib": zlibbed(zeros), "xz": xzed(zeros), "snappy": snapped(zeros), "lz4": lz4ed(zeros),
			"deflate": deflated(strings.Repeat("a journal, ", len(zeros)/8))})
	}
	// Lines that are too long are passed over: cheaper than a search of them.
	o := read.Options{Format: read.Bodies, Limits: read.Limits{Expansion: 1, Unit: 4096}}
	for name, dump := range bombs {
		found := valueAt(t, []byte(dump), o)
		check.That(t, slices.ContainsFunc(found.Skips, func(s read.Skip) bool {
			return s.Code == finding.SourceLimit && strings.Contains(s.Detail, "expands")
		}), "%s: %+v", name, found.Skips)
	}
}

// bzip2Bomb is 66 MiB of zeros, compressed by bzip2.
const bzip2Bomb = "QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZ" +
	"JlNZJ0GlawCyg9AAwABAAAAIIAAwzAUppqgSKbAgkU8XckU4" +
	"UJA7UmDV"

// TestChecksOfXZ: a wrong checksum is seen, and so is an index that differs from the blocks.
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
