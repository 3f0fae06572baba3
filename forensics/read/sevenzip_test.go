package read_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestSevenZip: what 7-Zip packed is read whole. If the list of members of an archive is gone,
// uncompressed events are found.
func TestSevenZip(t *testing.T) {
	all := packedBodies(t)
	for name, copies := range map[string]int{"7z-Copy": 1, "7z-LZMA": 1, "7z-LZMA2": 1, "7z-Deflate": 1, "7z-BZip2": 1,
		"7z-PPMd": 1, "7z-solid": 3} {
		want, whole := slices.Repeat(all, copies), packed(t, name)
		var codes []finding.Code
		if name == "7z-solid" { // an empty file, and a link
			codes = []finding.Code{finding.SourceNoRecord, finding.SourceNoRecord}
		}
		left, last := []string(nil), finding.SourceUnknownFormat
		if name == "7z-Copy" {
			left, last = want, finding.SourceNoRecord
		}
		rows(t, []row{
			{name, whole, want, codes},
			{name + ", in gzip", must.Gzip(whole), want, codes},
			{name + ", something behind", whole + "more", want, append(slices.Clone(codes), finding.SourceTrailingData)},
			{name + ", cut", whole[:len(whole)-1], left, []finding.Code{finding.SourceTruncated, last}},
			{name + ", its first header", broken(whole, 13), left, []finding.Code{finding.SourceUnparseable, last}},
			{name + ", its last header", broken(whole, len(whole)-2), left,
				[]finding.Code{finding.SourceUnparseable, last}},
		})
		a := sound(t, []byte(broken(whole, 50)), read.Options{})
		check.That(t, slices.Contains(a.Codes(), finding.SourceUnparseable), "%s, altered: %v", name, a.Codes())
	}
	for _, name := range []string{"7z-encrypted", "7z-names-encrypted"} {
		a := sound(t, []byte(packed(t, name)), read.Options{})
		check.That(t, len(a.Skips) != 0 && a.Skips[0].Code == finding.SourceUnknownFormat &&
			strings.Contains(a.Skips[0].Detail, "encrypted"), "%s: %+v", name, a.Skips)
	}
	names := sound(t, []byte(packed(t, "7z-solid")), read.Options{})
	check.That(t, len(names.Records) != 0 &&
		strings.HasPrefix(names.Records[0].Place.Container, "logs/"), "%+v", names.Records)
}

// TestEveryOctetOfSevenZip: whatever is altered, all of it is accounted for, and
// nothing is read that was not there.
func TestEveryOctetOfSevenZip(t *testing.T) {
	for _, name := range []string{"7z-LZMA", "7z-LZMA2", "7z-solid", "7z-names-encrypted"} {
		whole := packed(t, name)
		for at := 0; at < len(whole); at += chance.Sized(3, 23) {
			for _, flip := range []byte{0xff, 0x01, 0x80} {
				b := []byte(whole)
				b[at] ^= flip
				a := sound(t, resummed(b), read.Options{})
				check.That(t, len(a.Records) <= 9, "%s, altered at %d: %d records", name, at, len(a.Records))
			}
		}
	}
}

// TestSevenZipTooSmall: an archive that claims to be larger than it is.
func TestSevenZipTooSmall(t *testing.T) {
	whole := []byte(packed(t, "7z-LZMA2"))
	for at, value := range map[int]byte{12 + 6: 0x10, 20 + 4: 1} { // of the data, and of the header
		b := bytes.Clone(whole)
		b[at] = value
		a := sound(t, resummed(b), read.Options{})
		codes := a.Codes()
		check.That(t, slices.Contains(codes, finding.SourceTruncated), "at %d: %v", at, codes)
	}
}

// TestUndecoded: where no child may be started, the archive is named, and searched.
func TestUndecoded(t *testing.T) {
	for name, want := range map[string]int{"7z-Copy": len(packedBodies(t)), "7z-LZMA": 0} {
		a := sound(t, []byte(packed(t, name)), read.Options{Confinement: read.Undecoded})
		check.That(t, len(a.Records) == want && a.Skips[0].Code == finding.SourceUnreadable,
			"%s: %d records, %+v", name, len(a.Records), a.Skips)
	}
}

// resummed makes the checksums of the headers right, as an attacker does.
func resummed(b []byte) []byte {
	u64 := binary.LittleEndian.Uint64
	at, size := u64(b[12:]), u64(b[20:])
	if end := 32 + at + size; at < 1<<40 && size < 1<<40 && end <= uint64(len(b)) {
		binary.LittleEndian.PutUint32(b[28:], crc32.ChecksumIEEE(b[32+at:end]))
	}
	binary.LittleEndian.PutUint32(b[8:], crc32.ChecksumIEEE(b[12:32]))
	return b
}

// rarBlock is a block of RAR 5 with data behind it.
func rarBlock(kind, flags byte, fields, data string) string {
	number := func(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) }
	head := string([]byte{kind, flags})
	if data != "" {
		head = string([]byte{kind, flags | 2}) + number(len(data))
	}
	head += fields
	head = number(len(head)) + head
	sum := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(head)))
	return string(sum) + head + data
}

// rarOf is an archive of RAR 5 whose members are not compressed.
func rarOf(names []string, contents map[string]string) string {
	out := "Rar!\x1a\x07\x01\x00" + rarBlock(1, 0, "\x00", "")
	for _, name := range names {
		text := contents[name]
		fields := binary.AppendUvarint([]byte{4}, uint64(len(text)))
		fields = binary.AppendUvarint(fields, 0o100644)
		fields = binary.LittleEndian.AppendUint32(fields, crc32.ChecksumIEEE([]byte(text)))
		fields = append(fields, 0, 1, byte(len(name)))
		out += rarBlock(2, 0, string(fields)+name, text)
	}
	return out + rarBlock(5, 0, "\x00", "")
}

// TestRar: the members of an archive are read, and damage to one costs it.
func TestRar(t *testing.T) {
	all := packedBodies(t)
	journal := journalFile(t)
	whole := rarOf([]string{"logs/a", "b"}, map[string]string{"logs/a": journal, "b": journal})
	twice := slices.Repeat(all, 2)
	rows(t, []row{
		{"rar", whole, twice, nil},
		{"rar, in gzip", must.Gzip(whole), twice, nil},
		{"rar, something behind", whole + "more", twice, []finding.Code{finding.SourceTrailingData}},
	})
	a := sound(t, []byte(whole[:len(whole)-len(journal)/2]), read.Options{})
	if len(a.Records) < len(all) || len(a.Records) >= len(twice) || !slices.Contains(a.Codes(), finding.SourceTruncated) {
		t.Errorf("cut: %d records, %v", len(a.Records), a.Codes())
	}
	a = sound(t, []byte(broken(whole, len(journal)/2)), read.Options{})
	check.That(t, slices.Contains(a.Codes(), finding.SourceUnparseable), "altered: %v", a.Codes())
	a = sound(t, []byte(broken(whole, 12)), read.Options{})
	check.That(t, len(a.Records) == len(twice) && a.Codes()[0] == finding.SourceUnparseable,
		"its first header: %d records, %v", len(a.Records), a.Codes())
}
