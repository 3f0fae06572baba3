package entry

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// zipParts is an archive in parts that a test can change: two members, a and b.
type zipParts struct {
	local [2][]byte // with the data
	entry [2][]byte
	end   []byte
}

// zipIn splits an archive of two members, whose directory has no extra fields.
func zipIn(t *testing.T, data string) *zipParts {
	t.Helper()
	b := []byte(data)
	end := b[len(b)-zipEndSize:]
	dir := b[u32(end[16:]):]
	first := zipEntrySize + int(u16(dir[28:]))
	second := u32(dir[first+42:])
	return &zipParts{local: [2][]byte{b[:second], b[second:u32(end[16:])]},
		entry: [2][]byte{dir[:first], dir[first : len(dir)-zipEndSize]}, end: end}
}

func (z *zipParts) bytes() string {
	return string(bytes.Join([][]byte{z.local[0], z.local[1], z.entry[0], z.entry[1], z.end}, nil))
}

// plainZip is an archive whose headers say everything.
func plainZip(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range []told{{Name: "a", Data: "11"}, {Name: "b", Data: "222"}} {
		f, err := w.CreateRaw(&zip.FileHeader{Name: m.Name, CRC32: crc32.ChecksumIEEE([]byte(m.Data)),
			CompressedSize64: uint64(len(m.Data)), UncompressedSize64: uint64(len(m.Data))})
		must.Do(t, err)
		must.Get(f.Write([]byte(m.Data)))(t)
	}
	must.Do(t, w.Close())
	return b.String()
}

func put16(b []byte, at int, v uint16) { binary.LittleEndian.PutUint16(b[at:], v) }
func put32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }

// readsAlike holds that both members are read and nothing is wrong, or that something is.
func readsAlike(t *testing.T, data string, bad bool) {
	t.Helper()
	got := stdinEntries(t, data)
	both := []told{{Name: "-!a", Data: "11"}, {Name: "-!b", Data: "222"}}
	check.That(t, (!bad || failed(got)) && (bad || slices.Equal(got, both)), "found %v", got)
}

// The fixed parts of an archive.
const (
	zipDescriptor  = "PK\x07\x08"
	zipEnd64       = "PK\x06\x06"
	zipLocator     = "PK\x06\x07"
	zipLocalSize   = 30
	zipEntrySize   = 46
	zipEndSize     = 22
	zipEnd64Size   = 56
	zipLocatorSize = 20
	zipDescribed   = 1 << 3
	max16          = 1<<16 - 1
	max32          = 1<<32 - 1
)

var u16, u32 = binary.LittleEndian.Uint16, binary.LittleEndian.Uint32

// TestHostileZip has archives that are not the same for every reader, or damaged.
func TestHostileZip(t *testing.T) {
	both := func(change func(z *zipParts, local, entry []byte)) func(*zipParts) {
		return func(z *zipParts) { change(z, z.local[1], z.entry[1]) }
	}
	for name, c := range map[string]struct {
		change func(*zipParts)
		bad    bool
	}{
		"nothing":           {func(*zipParts) {}, false},
		"a name":            {func(z *zipParts) { z.local[1][zipLocalSize] = 'c' }, true},
		"a size":            {func(z *zipParts) { put32(z.local[1], 22, 4) }, true},
		"a method":          {func(z *zipParts) { put16(z.local[1], 8, 8) }, true},
		"encrypted for one": {func(z *zipParts) { put16(z.local[1], 6, 1) }, true},
		"a checksum":        {func(z *zipParts) { put32(z.local[1], 14, 1) }, true},
		"both checksums":    {both(func(_ *zipParts, l, e []byte) { put32(l, 14, 1); put32(e, 16, 1) }), true},
		"encrypted":         {both(func(_ *zipParts, l, e []byte) { put16(l, 6, 1); put16(e, 8, 1) }), true},
		"another method":    {both(func(_ *zipParts, l, e []byte) { put16(l, 8, 14); put16(e, 10, 14) }), true},
		"a link":            {both(func(_ *zipParts, _, e []byte) { e[5] = 3; put32(e, 38, 0o120777<<16) }), true},
		"a file of unix":    {both(func(_ *zipParts, _, e []byte) { e[5] = 3; put32(e, 38, 0o100644<<16) }), false},
		"from a pipe":       {both(func(_ *zipParts, _, e []byte) { e[5] = 3; put32(e, 38, 0o010600<<16) }), false},
		"a member twice":    {func(z *zipParts) { z.entry[1] = bytes.Clone(z.entry[0]) }, true},
		"the other order":   {func(z *zipParts) { z.entry[0], z.entry[1] = z.entry[1], z.entry[0] }, false},
		"a member that the directory leaves out": {func(z *zipParts) {
			z.entry[1] = nil
			put16(z.end, 8, 1)
			put16(z.end, 10, 1)
			put32(z.end, 12, uint32(len(z.entry[0])))
		}, true},
		"a first member that the directory leaves out": {func(z *zipParts) {
			z.entry[0] = nil
			put16(z.end, 8, 1)
			put16(z.end, 10, 1)
			put32(z.end, 12, uint32(len(z.entry[1])))
		}, true},
		"a header and a member that reach behind the end": {func(z *zipParts) {
			put16(z.local[0], 28, max16)
			put32(z.entry[1], 42, 1<<30)
		}, true},
		"a member behind the end":   {func(z *zipParts) { put32(z.entry[1], 42, 1<<30) }, true},
		"a member at the other":     {func(z *zipParts) { put32(z.entry[1], 42, 0) }, true},
		"another number of members": {func(z *zipParts) { put16(z.end, 8, 3); put16(z.end, 10, 3) }, true},
		"one of several":            {func(z *zipParts) { put16(z.end, 4, 1) }, true},
		"more behind it":            {func(z *zipParts) { z.end = append(z.end, 'x') }, true},
		"a descriptor for one":      {func(z *zipParts) { put16(z.entry[1], 8, zipDescribed) }, true},
		"an unknown number":         {func(z *zipParts) { put16(z.end, 8, max16); put16(z.end, 10, max16) }, true},
		"an unknown size":           {func(z *zipParts) { put32(z.end, 12, max32) }, true},
		"an unknown place":          {func(z *zipParts) { put32(z.end, 16, max32) }, false},
		"a comment cut off":         {func(z *zipParts) { put16(z.end, 20, 2); z.end = append(z.end, 'x') }, true},
		"a comment":                 {func(z *zipParts) { put16(z.end, 20, 1); z.end = append(z.end, 'x') }, false},
		"another end in the comment": {func(z *zipParts) {
			put16(z.end, 20, zipEndSize)
			z.end = append(z.end, z.end...)
			put16(z.end[zipEndSize:], 20, 0)
		}, true},
		"cut": {func(z *zipParts) { z.end = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			z := zipIn(t, plainZip(t))
			for _, part := range []*[]byte{&z.local[0], &z.local[1], &z.entry[0], &z.entry[1], &z.end} {
				*part = bytes.Clone(*part)
			}
			c.change(z)
			readsAlike(t, z.bytes(), c.bad)
		})
	}
}

// TestZipDescriptor refuses a descriptor that differs from the directory.
func TestZipDescriptor(t *testing.T) {
	data := must.Zip(zip.Deflate, "a", "11", "b", "222")
	alike{data: data, want: []told{{Name: "f!a", Data: "11"}, {Name: "f!b", Data: "222"}}}.check(t)
	at := strings.Index(data, zipDescriptor)
	for _, place := range []int{0, 4, 8, 12} {
		b := []byte(data)
		b[at+place]++
		got := stdinEntries(t, string(b))
		check.That(t, failed(got), "with another octet %d: %v", place, got)
	}
}

// TestZip64 reads an end of 64 bits, and refuses one that differs from the usual end.
func TestZip64(t *testing.T) {
	for name, c := range map[string]struct {
		change func(end64, locator, end []byte)
		bad    bool
	}{
		"the same twice": {func(_, _, _ []byte) {}, false},
		"only there": {func(_, _, end []byte) {
			put16(end, 8, max16)
			put16(end, 10, max16)
			put32(end, 12, max32)
			put32(end, 16, max32)
		}, false},
		"another number":       {func(end64, _, _ []byte) { put32(end64, 24, 3); put32(end64, 32, 3) }, true},
		"another place":        {func(end64, _, _ []byte) { put32(end64, 48, 1) }, true},
		"another size":         {func(end64, _, _ []byte) { put32(end64, 40, 1) }, true},
		"another size of it":   {func(end64, _, _ []byte) { put32(end64, 4, 45) }, true},
		"no such end":          {func(end64, _, _ []byte) { end64[0] = 'x' }, true},
		"a place behind it":    {func(_, locator, _ []byte) { put32(locator, 8, 1<<30) }, true},
		"a place without end":  {func(_, locator, _ []byte) { put32(locator, 12, 1<<31) }, true},
		"of several":           {func(end64, _, _ []byte) { put32(end64, 16, 1) }, true},
		"the locator's number": {func(_, locator, _ []byte) { put32(locator, 16, 2) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			z := zipIn(t, plainZip(t))
			end64, locator, end := make([]byte, zipEnd64Size), make([]byte, zipLocatorSize), bytes.Clone(z.end)
			copy(end64, zipEnd64)
			put32(end64, 4, zipEnd64Size-12)
			put32(end64, 24, 2)
			put32(end64, 32, 2)
			put32(end64, 40, u32(end[12:]))
			put32(end64, 48, u32(end[16:]))
			copy(locator, zipLocator)
			put32(locator, 8, u32(end[12:])+u32(end[16:]))
			put32(locator, 16, 1)
			c.change(end64, locator, end)
			z.end = bytes.Join([][]byte{end64, locator, end}, nil)
			readsAlike(t, z.bytes(), c.bad)
		})
	}
}
