package read_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func zstded(part string) string {
	w := must.Have(zstd.NewWriter(nil))
	defer w.Close()
	return string(w.EncodeAll([]byte(part), nil))
}

func broken(s string, at int) string {
	b := []byte(s)
	b[at] ^= 0xff
	return string(b)
}

// TestCompressionTraps has traps of single codecs; TestCodecs tries the same traps on all of
// them.
func TestCompressionTraps(t *testing.T) {
	a, b, c := journalOf(0, 1), journalOf(1, 2), journalOf(2, 3)
	skippable := "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	rows(t, []row{
		{"wrong checksum, then a member", broken(must.Gzip(a), len(must.Gzip(a))-8) + must.Gzip(b), exactly(0, 2),
			[]finding.Code{finding.SourceUnparseable}},
		{"frames of zstd", zstded(a) + skippable + zstded(b), exactly(0, 2), nil},
		{"wrong checksum of zstd, then a frame", zstded(a) + broken(zstded(b), len(zstded(b))-1) + zstded(c),
			exactly(0, 3), []finding.Code{finding.SourceUnparseable}},
		{"empty member", must.Gzip(""), nil, []finding.Code{finding.SourceNoRecord}},
		{"UTF-16", utf16Text("\ufeff"+a, binary.LittleEndian), exactly(0, 1), nil},
		{"UTF-16, the other order", utf16Text("\ufeff"+a+b, binary.BigEndian), exactly(0, 2), nil},
		{"UTF-16 with an odd end", utf16Text("\ufeff"+a, binary.LittleEndian) + "x", exactly(0, 1),
			[]finding.Code{finding.SourceTrailingData}},
	})
}

func utf16Text(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func archive(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		content := dumps.Named("journal").Write(dumps.Bodies(2), dumps.Options{})
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		must.Do(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			must.Get(w.Write(content))(t)
		}
	}
	must.Do(t, w.Close())
	return out.Bytes()
}

func TestArchives(t *testing.T) {
	dump := archive(
		t,
		tar.Header{Name: "logs/", Typeflag: tar.TypeDir},
		tar.Header{Name: "logs/a", Typeflag: tar.TypeReg},
		tar.Header{Name: "../../etc/passwd", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		tar.Header{Name: "logs/a", Typeflag: tar.TypeReg},
	)
	containers := func(found *Found) []string {
		var all []string
		for _, r := range found.Records {
			all = append(all, r.Place.Container)
		}
		return all
	}
	found := &sound(t, dump, read.Options{}).Found
	second := fmt.Sprintf("logs/a@%d", bytes.LastIndex(dump, dumps.Bodies(2)[0]))
	if want := []string{"logs/a", "logs/a", second, second}; !slices.Equal(containers(found), want) {
		t.Errorf("%v, want %v", containers(found), want)
	}
	check.That(t, slices.Equal(found.Codes(), []finding.Code{finding.SourceNoRecord}), "%v", found.Skips)
	zipped := valueAt(t, must.Gzip(dump), read.Options{})
	got := containers(zipped)
	check.That(t, got[0] == "gzip!logs/a", "%v", got)
	for name, damaged := range map[string]struct {
		dump []byte
		code finding.Code
	}{
		"cut":       {dump[:len(dump)-3000], finding.SourceTruncated},
		"header":    {[]byte(broken(string(dump), bytes.LastIndex(dump, []byte("logs/a")))), finding.SourceUnparseable},
		"more":      {append(bytes.Clone(dump), "more"...), finding.SourceTrailingData},
		"two tars":  {append(bytes.Clone(dump), dump...), finding.SourceTrailingData},
		"no member": {make([]byte, 1024), finding.SourceUnknownFormat},
	} {
		codes := sound(t, damaged.dump, read.Options{}).Codes()
		check.That(t, slices.Contains(codes, damaged.code), "%s: %v", name, codes)
	}
	limited := valueAt(t, dump, read.Options{Limits: read.Limits{Members: 2}})
	check.That(t, slices.Contains(limited.Codes(), finding.SourceLimit), "%v", limited.Codes())
}

// TestDamagedFrames: a fault in one of several frames of zstd is reported, even at its end,
// and the others are read.
func TestDamagedFrames(t *testing.T) {
	framed := func(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }
	a, b := zstded(journalOf(0, 1)), zstded(journalOf(1, 2))
	unknown := "\x28\xb5\x2f\xfd\x21\x05\x01\x09\x00\x00a"
	large := "\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00"
	rows(t, []row{
		{"whole", framed(a) + framed(b), exactly(0, 2), nil},
		{"a wrong checksum", framed(broken(a, len(a)-1)) + framed(b), exactly(0, 2),
			[]finding.Code{finding.SourceUnparseable}},
		{"cut", framed(a) + framed(b)[:len(b)], exactly(0, 2), []finding.Code{finding.SourceTruncated}},
		{"ends too early", framed(a[:len(a)-4]) + framed(b), exactly(0, 2), []finding.Code{finding.SourceTruncated}},
		{"something behind", framed(a+"more") + framed(b), exactly(0, 2), []finding.Code{finding.SourceTrailingData}},
		{"a dictionary", framed(unknown) + framed(b), exactly(1, 2),
			[]finding.Code{finding.SourceNoRecord, finding.SourceUnknownFormat}},
		{"too large a window", framed(large) + framed(b), exactly(1, 2),
			[]finding.Code{finding.SourceNoRecord, finding.SourceLimit}},
	})
}
