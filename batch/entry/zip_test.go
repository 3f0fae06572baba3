package entry

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
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
func plainZip(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range []packed{{"a", "11"}, {"b", "222"}} {
		f, err := w.CreateRaw(&zip.FileHeader{Name: m.name, CRC32: crc32.ChecksumIEEE([]byte(m.data)),
			CompressedSize64: uint64(len(m.data)), UncompressedSize64: uint64(len(m.data))})
		must(t, err)
		must2(t)(f.Write([]byte(m.data)))
	}
	must(t, w.Close())
	return b.String()
}

func put16(b []byte, at int, v uint16) { binary.LittleEndian.PutUint16(b[at:], v) }
func put32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }

// TestHostileZip has archives that are not the same for every reader, or damaged.
func TestHostileZip(t *testing.T) {
	behind := func(n string, why error) string {
		return "the archive cannot be read behind its first " + n + " members: " + why.Error()
	}
	a, b := told{Name: "f!a", Data: "11"}, told{Name: "f!b", Data: "222"}
	both := func(change func(z *zipParts, local, entry []byte)) func(*zipParts) {
		return func(z *zipParts) { change(z, z.local[1], z.entry[1]) }
	}
	for name, c := range map[string]struct {
		change func(*zipParts)
		want   []told
	}{
		"nothing": {func(*zipParts) {}, []told{a, b}},
		"a name": {func(z *zipParts) { z.local[1][zipLocalSize] = 'c' },
			[]told{a, {Name: "f", Err: behind("1", errZipDiffers)}}},
		"a size": {func(z *zipParts) { put32(z.local[1], 22, 4) }, []told{a, {Name: "f", Err: behind("1", errZipDiffers)}}},
		"a method": {func(z *zipParts) { put16(z.local[1], 8, 8) },
			[]told{a, {Name: "f", Err: behind("1", errZipDiffers)}}},
		"encrypted for one": {func(z *zipParts) { put16(z.local[1], 6, 1) },
			[]told{a, {Name: "f", Err: behind("1", errZipDiffers)}}},
		"a checksum": {func(z *zipParts) { put32(z.local[1], 14, 1) },
			[]told{a, {Name: "f", Err: behind("1", errZipDiffers)}}},
		"both checksums": {both(func(_ *zipParts, l, e []byte) { put32(l, 14, 1); put32(e, 16, 1) }),
			[]told{a, {Name: "f!b", Err: "the member is damaged: it has another checksum than the archive says"}}},
		"encrypted": {both(func(_ *zipParts, l, e []byte) { put16(l, 6, 1); put16(e, 8, 1) }),
			[]told{a, {Name: "f!b", Err: "it is encrypted"}}},
		"another method": {both(func(_ *zipParts, l, e []byte) { put16(l, 8, 14); put16(e, 10, 14) }),
			[]told{a, {Name: "f!b", Err: "it is compressed by the method 14 of zip, which is not read"}}},
		"a link": {both(func(_ *zipParts, _, e []byte) { e[5] = 3; put32(e, 38, 0o120777<<16) }),
			[]told{a, {Name: "f!b", Err: "expected a regular file, found a link or device in an archive"}}},
		"a file of unix": {both(func(_ *zipParts, _, e []byte) { e[5] = 3; put32(e, 38, 0o100644<<16) }), []told{a, b}},
		"from a pipe":    {both(func(_ *zipParts, _, e []byte) { e[5] = 3; put32(e, 38, 0o010600<<16) }), []told{a, b}},
		"a member twice": {func(z *zipParts) { z.entry[1] = bytes.Clone(z.entry[0]) },
			[]told{{Name: "f", Err: behind("0", errZipPlace)}}},
		"the other order": {func(z *zipParts) { z.entry[0], z.entry[1] = z.entry[1], z.entry[0] },
			[]told{{Name: "f", Err: errZipPlace.Error()}}},
		"a member that the directory leaves out": {func(z *zipParts) {
			z.entry[1] = nil
			put16(z.end, 8, 1)
			put16(z.end, 10, 1)
			put32(z.end, 12, uint32(len(z.entry[0])))
		}, []told{{Name: "f", Err: behind("0", errZipPlace)}}},
		"a first member that the directory leaves out": {func(z *zipParts) {
			z.entry[0] = nil
			put16(z.end, 8, 1)
			put16(z.end, 10, 1)
			put32(z.end, 12, uint32(len(z.entry[1])))
		}, []told{{Name: "f", Err: errZipPlace.Error()}}},
		"a header and a member that reach behind the end": {func(z *zipParts) {
			put16(z.local[0], 28, max16)
			put32(z.entry[1], 42, 1<<30)
		}, []told{{Name: "f", Err: behind("0", errZipPlace)}}},
		"another number of members": {func(z *zipParts) { put16(z.end, 8, 3); put16(z.end, 10, 3) },
			[]told{a, b, {Name: "f", Err: behind("2", errors.New("its directory has 2 members, and is said to have 3"))}}},
		"one of several": {func(z *zipParts) { put16(z.end, 4, 1) }, []told{{Name: "f", Err: errZipParts.Error()}}},
		"more behind it": {func(z *zipParts) { z.end = append(z.end, 'x') }, []told{{Name: "f", Err: errZipCut.Error()}}},
		"a comment":      {func(z *zipParts) { put16(z.end, 20, 1); z.end = append(z.end, 'x') }, []told{a, b}},
		"another end in the comment": {func(z *zipParts) {
			put16(z.end, 20, zipEndSize)
			z.end = append(z.end, z.end...)
			put16(z.end[zipEndSize:], 20, 0)
		}, []told{{Name: "f", Err: errZipPlace.Error()}}},
		"cut": {func(z *zipParts) { z.end = nil }, []told{{Name: "f", Err: errZipCut.Error()}}},
	} {
		t.Run(name, func(t *testing.T) {
			z := zipIn(t, plainZip(t))
			for _, part := range []*[]byte{&z.local[0], &z.local[1], &z.entry[0], &z.entry[1], &z.end} {
				*part = bytes.Clone(*part)
			}
			c.change(z)
			alike{data: z.bytes(), want: c.want}.check(t)
		})
	}
}

// TestZipDescriptor refuses what describes a member otherwise than the directory.
func TestZipDescriptor(t *testing.T) {
	data := zipOf(t, zip.Deflate, packed{"a", "11"}, packed{"b", "222"})
	alike{data: data, want: []told{{Name: "f!a", Data: "11"}, {Name: "f!b", Data: "222"}}}.check(t)
	at := strings.Index(data, zipDescriptor)
	for _, place := range []int{0, 4, 8, 12} {
		b := []byte(data)
		b[at+place]++
		alike{data: string(b), want: []told{{Name: "f",
			Err: "the archive cannot be read behind its first 0 members: " + errZipDiffers.Error()}}}.check(t)
	}
}

// TestZipSizes refuses members that are not as long as the archive says.
func TestZipSizes(t *testing.T) {
	for _, c := range []struct {
		size uint64
		more string
		want told
	}{
		{2, "", told{Name: "f!a", Data: "11"}},
		{3, "", told{Name: "f!a", Err: "expected 3 bytes, as the archive says, found 2"}},
		{1, "", told{Name: "f!a", Err: "expected 1 bytes, as the archive says, found more"}},
		{2, "x", told{Name: "f!a", Err: "there is more behind the compressed data"}},
	} {
		var deflated, b bytes.Buffer
		d, err := flate.NewWriter(&deflated, 1)
		must(t, err)
		must2(t)(d.Write([]byte("11")))
		must(t, d.Close())
		deflated.WriteString(c.more)
		w := zip.NewWriter(&b)
		f, err := w.CreateRaw(&zip.FileHeader{Name: "a", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE([]byte("11")),
			CompressedSize64: uint64(deflated.Len()), UncompressedSize64: c.size})
		must(t, err)
		must2(t)(f.Write(deflated.Bytes()))
		must(t, w.Close())
		alike{data: b.String(), want: []told{c.want}}.check(t)
	}
}

// TestZip64 reads an end of 64 bits, and refuses one that differs from the usual end.
func TestZip64(t *testing.T) {
	a, b := told{Name: "f!a", Data: "11"}, told{Name: "f!b", Data: "222"}
	place, parts := []told{{Name: "f", Err: errZipPlace.Error()}}, []told{{Name: "f", Err: errZipParts.Error()}}
	for name, c := range map[string]struct {
		change func(end64, locator, end []byte)
		want   []told
	}{
		"the same twice": {func(_, _, _ []byte) {}, []told{a, b}},
		"only there": {func(_, _, end []byte) {
			put16(end, 8, max16)
			put16(end, 10, max16)
			put32(end, 12, max32)
			put32(end, 16, max32)
		}, []told{a, b}},
		"another number":       {func(end64, _, _ []byte) { put32(end64, 24, 3); put32(end64, 32, 3) }, place},
		"another place":        {func(end64, _, _ []byte) { put32(end64, 48, 1) }, place},
		"another size":         {func(end64, _, _ []byte) { put32(end64, 40, 1) }, place},
		"another size of it":   {func(end64, _, _ []byte) { put32(end64, 4, 45) }, place},
		"no such end":          {func(end64, _, _ []byte) { end64[0] = 'x' }, place},
		"a place behind it":    {func(_, locator, _ []byte) { put32(locator, 8, 1<<30) }, place},
		"a place without end":  {func(_, locator, _ []byte) { put32(locator, 12, 1<<31) }, place},
		"of several":           {func(end64, _, _ []byte) { put32(end64, 16, 1) }, parts},
		"the locator's number": {func(_, locator, _ []byte) { put32(locator, 16, 2) }, parts},
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
			alike{data: z.bytes(), want: c.want}.check(t)
		})
	}
}

// TestZip64Values reads what does not fit into 32 bits.
func TestZip64Values(t *testing.T) {
	const field = "\x01\x00\x10\x00" + "\x05\x00\x00\x00\x00\x00\x00\x00" + "\x06\x00\x00\x00\x00\x00\x00\x00"
	for _, c := range []struct {
		extra      string
		one, other int64
		want       [2]int64
		ok         bool
	}{
		{"", 1, 2, [2]int64{1, 2}, true},
		{"", max32, 2, [2]int64{max32, 2}, false},
		{field, 1, 2, [2]int64{1, 2}, true},
		{field, max32, 2, [2]int64{5, 2}, true},
		{field, 1, max32, [2]int64{1, 5}, true},
		{field, max32, max32, [2]int64{5, 6}, true},
		{"ab\x01\x00x" + field, max32, max32, [2]int64{5, 6}, true},
		{"ab\xff\x00x" + field, max32, max32, [2]int64{max32, max32}, false},
		{strings.Replace(field, "\x10", "\x08", 1), max32, max32, [2]int64{max32, max32}, false},
		{field[:18], max32, max32, [2]int64{max32, max32}, false},
	} {
		got := [2]int64{c.one, c.other}
		if ok := zip64([]byte(c.extra), &got[0], &got[1]); ok != c.ok || got != c.want {
			t.Errorf("%q for %d and %d: found %v, %v", c.extra, c.one, c.other, got, ok)
		}
	}
}
