package read_test

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
)

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
		{"rar, in gzip", zipped(whole), twice, nil},
		{"rar, something behind", whole + "more", twice, []finding.Code{finding.SourceTrailingData}},
	})
	a := sound(t, []byte(whole[:len(whole)-len(journal)/2]), read.Options{})
	if len(a.Records) < len(all) || len(a.Records) >= len(twice) || !slices.Contains(a.Codes(), finding.SourceTruncated) {
		t.Errorf("cut: %d records, %v", len(a.Records), a.Codes())
	}
	a = sound(t, []byte(broken(whole, len(journal)/2)), read.Options{})
	if !slices.Contains(a.Codes(), finding.SourceUnparseable) {
		t.Errorf("altered: %v", a.Codes())
	}
	a = sound(t, []byte(broken(whole, 12)), read.Options{})
	if len(a.Records) != len(twice) || a.Codes()[0] != finding.SourceUnparseable {
		t.Errorf("its first header: %d records, %v", len(a.Records), a.Codes())
	}
}
