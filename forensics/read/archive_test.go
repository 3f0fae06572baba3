package read_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestRealArchives: what real programs packed is read whole, in every prefix to
// the cut, and again behind itself.
func TestRealArchives(t *testing.T) {
	all := packedBodies(t)
	for name, copies := range map[string]int{"zip": 1, "zip-streamed": 1, "zip-64": 1, "zip-Copy": 1, "zip-BZip2": 1,
		"cpio-newc": 3, "cpio-crc": 3, "cpio-odc": 3, "cpio-bin": 3, "ar": 2} {
		want := slices.Repeat(all, copies)
		whole := packed(t, name)
		rows(t, []row{
			{name, whole, want, nil},
			{name + ", in gzip", zipped(whole), want, nil},
			{name + ", something behind", whole + "something else", want, behind(name)},
		})
		twice := sound(t, []byte(whole+whole), read.Options{})
		if len(twice.Records) != 2*len(want) {
			t.Errorf("%s, again behind itself: %d records, %+v", name, len(twice.Records), twice.Skips)
		}
		for n := 0; n < len(whole); n += 1 + n/150 {
			a := sound(t, []byte(whole[:n]), read.Options{})
			padding := strings.Trim(whole[n:], "\x00") == "" && strings.HasPrefix(name, "cpio")
			if len(a.Skips) == 0 && !padding && !(name == "ar" && len(a.Records) > 0) {
				t.Errorf("%s: nothing is said of the first %d bytes", name, n)
			}
		}
	}
	for name, what := range map[string]string{"zip-encrypted": "is encrypted", "zip-aes": "is encrypted",
		"zip-Deflate64": "deflate64", "zip-LZMA": "LZMA"} {
		a := sound(t, []byte(packed(t, name)), read.Options{})
		if len(a.Skips) != 1 || a.Skips[0].Code != finding.SourceUnknownFormat ||
			!strings.Contains(a.Skips[0].Detail, what) || !strings.Contains(a.Skips[0].Detail, `"journal"`) {
			t.Errorf("%s: %+v", name, a.Skips)
		}
	}
}

// behind is what comes of text behind an archive: ar has no end of its own.
func behind(name string) []finding.Code {
	if name == "ar" {
		return []finding.Code{finding.SourceTruncated}
	}
	return []finding.Code{finding.SourceTrailingData, finding.SourceNoRecord}
}

// file is a member of an archive.
type file struct {
	name    string
	content string
	stored  bool
	sizes   bool // that the header says them, not a descriptor
}

// zipOf packs files.
func zipOf(files ...file) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.stored {
			h.Method = zip.Store
		}
		create := w.CreateHeader
		if f.sizes {
			h.Method = zip.Store
			h.CRC32, h.CompressedSize64, h.UncompressedSize64 = crc32.ChecksumIEEE([]byte(f.content)),
				uint64(len(f.content)), uint64(len(f.content))
			create = w.CreateRaw
		}
		part := must.Have(create(h))
		fmt.Fprint(part, f.content)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

func journalOf(from, to int) string {
	return string(bytes.Join(dumps.Bodies(to)[from:], []byte("\n"))) + "\n"
}

func exactly(from, to int) []string {
	var all []string
	for _, b := range dumps.Bodies(to)[from:] {
		all = append(all, "exact:"+string(b))
	}
	return all
}

func TestZip(t *testing.T) {
	a, b := journalOf(0, 1), journalOf(1, 2)
	deflated := zipOf(file{"a", a, false, false}, file{"b", b, false, false})
	stored := zipOf(file{"a", a, true, false}, file{"b", b, true, false})
	sized := zipOf(file{"a", a, true, true}, file{"b", b, true, true})
	directory := strings.Index(deflated, "PK\x01\x02")
	second := strings.LastIndex(deflated[:directory], "PK\x03\x04")
	inner := zipOf(file{"inner", a, true, false})
	ambiguous, truncated := finding.SourceAmbiguous, finding.SourceTruncated
	damaged := finding.SourceUnparseable
	rows(t, []row{
		{"deflated", deflated, exactly(0, 2), nil},
		{"stored, sizes behind", stored, exactly(0, 2), nil},
		{"stored, sizes before", sized, exactly(0, 2), nil},
		{"stored zip in zip", zipOf(file{"outer", inner + b, true, false}), exactly(0, 2),
			[]finding.Code{finding.SourceTrailingData}},
		{"gzip in zip", zipOf(file{"outer", zipped(a), true, false}), exactly(0, 1), nil},
		{"again behind itself", deflated + deflated, append(exactly(0, 2), exactly(0, 2)...),
			[]finding.Code{finding.SourceTrailingData}},
		{"another size", sized[:22] + string([]byte{sized[22] + 1}) + sized[23:], exactly(0, 2),
			[]finding.Code{ambiguous, ambiguous}},
		{"empty", zipOf(), nil, []finding.Code{finding.SourceNoRecord}},
		{"only a folder", zipOf(file{"folder/", "", true, true}), nil, []finding.Code{finding.SourceNoRecord}},
		{"no directory", deflated[:directory], exactly(0, 2), []finding.Code{truncated}},
		{"half a directory", deflated[:directory+60], exactly(0, 2), []finding.Code{truncated}},
		{"cut within a member", deflated[:second+60], exactly(0, 1), []finding.Code{finding.SourceNoRecord,
			finding.SourceTruncated, truncated}},
		{"a member that the directory leaves out", leftOut(deflated), exactly(0, 2), []finding.Code{ambiguous, ambiguous}},
		{"something between members", deflated[:second] + "between" + deflated[second:], exactly(0, 2),
			[]finding.Code{damaged, finding.SourceNoRecord, ambiguous}},
		{"a wrong checksum of stored data", strings.Replace(sized, "berlin", "berlim", 1),
			[]string{"exact:" + strings.Replace(strings.TrimSpace(a), "berlin", "berlim", 1), exactly(1, 2)[0]},
			[]finding.Code{damaged}},
		{"other names in the directory", deflated[:directory] + strings.Replace(deflated[directory:], "a", "x", 1),
			exactly(0, 2), []finding.Code{ambiguous}},
		{"another count", broken(deflated, len(deflated)-12), exactly(0, 2), []finding.Code{ambiguous}},
		{"one name twice", zipOf(file{"a", a, true, false}, file{"a", b, true, false}), exactly(0, 2), nil},
		{"a name that climbs", zipOf(file{`..\..\a`, a, true, false}), exactly(0, 1), []finding.Code{finding.SourceNoRecord}},
		{"an absolute name", zipOf(file{`c:\a`, a, true, false}), exactly(0, 1), []finding.Code{finding.SourceNoRecord}},
		{"a name of no text", zipOf(file{"\xff!\"\n", a, true, false}), exactly(0, 1), nil},
		{"overlapping", overlapping(sized), exactly(0, 2), []finding.Code{ambiguous, ambiguous}},
	})
}

// leftOut removes the first entry of a directory.
func leftOut(archive string) string {
	at := strings.Index(archive, "PK\x01\x02")
	second := at + 4 + strings.Index(archive[at+4:], "PK\x01\x02")
	return archive[:at] + archive[second:]
}

// overlapping lets the second entry of a directory point into the first member.
func overlapping(archive string) string {
	b := []byte(archive)
	second := strings.LastIndex(archive, "PK\x01\x02")
	binary.LittleEndian.PutUint32(b[second+42:], 40)
	b[second+16]++ // of another checksum: it is not the next member
	return string(b)
}

// TestPlacesInArchives: each member has a place of its own, under a safe name.
func TestPlacesInArchives(t *testing.T) {
	dump := zipOf(file{"logs/a", journalOf(0, 1), false, false}, file{"logs/a", journalOf(0, 1), false, false},
		file{"../a!b", journalOf(0, 1), false, false}, file{"x\x1b[2J", journalOf(0, 1), false, false})
	var got []string
	for _, r := range find(t, []byte(dump), read.Options{}).Records {
		got = append(got, r.Place.Container)
	}
	if len(got) != 4 || got[0] != "logs/a" || !strings.HasPrefix(got[1], "logs/a@") || got[2] != `"../a!b"` ||
		got[3] != `"x\x1b[2J"` {
		t.Errorf("%q", got)
	}
}

// TestArchivesInArchives: down to the limit, and no further.
func TestArchivesInArchives(t *testing.T) {
	for _, deflated := range []bool{true, false} {
		dump := journalOf(0, 1)
		for range 8 {
			dump = zipOf(file{"a", dump, !deflated, false})
		}
		rows(t, []row{
			{"eight", dump, exactly(0, 1), nil},
			{"nine", zipOf(file{"a", dump, !deflated, false}), nil, []finding.Code{finding.SourceLimit}},
		})
	}
}

func TestBombsOfZip(t *testing.T) {
	zeros := strings.Repeat("\x00", read.FreeExpansion+1<<20)
	dump := zipOf(file{"bomb", zeros, false, false}, file{"behind", journalOf(0, 1), false, false})
	a := sound(t, []byte(dump), read.Options{Limits: read.Limits{Expansion: 1}})
	if !slices.Contains(a.Codes(), finding.SourceLimit) {
		t.Errorf("%v", a.Codes())
	}
	a = sound(t, []byte(zipOf(file{"a", "{}", true, false}, file{"b", "{}", true, false})),
		read.Options{Limits: read.Limits{Members: 1}})
	if !slices.Contains(a.Codes(), finding.SourceLimit) {
		t.Errorf("%v", a.Codes())
	}
}

// TestArchivesGoOn: behind a header that is damaged, the next one is found, and so
// is what stands between.
func TestArchivesGoOn(t *testing.T) {
	end := strings.Repeat("\x00", 1024)
	tar := tarOf("x", journalOf(0, 3)) + tarOf("y", journalOf(0, 3)) + tarOf("z", journalOf(0, 3))
	for name, c := range map[string]struct{ whole, header string }{
		"cpio-newc": {packed(t, "cpio-newc"), "070701"}, "cpio-odc": {packed(t, "cpio-odc"), "070707"},
		"cpio-bin": {packed(t, "cpio-bin"), "\xc7\x71"}, "ar": {packed(t, "ar"), "journal/"},
		"tar": {strings.ReplaceAll(tar, end, ""), "y\x00\x00"},
	} {
		at := strings.Index(c.whole[9:], c.header) + 9
		if name != "tar" && name != "ar" { // behind the first file
			at += 1 + strings.Index(c.whole[at+1:], c.header)
		}
		if name == "ar" {
			at += 48 // where its size is
		}
		a := sound(t, []byte(c.whole[:at]+"xx"+c.whole[at+2:]), read.Options{})
		whole := len(find(t, []byte(c.whole), read.Options{}).Records)
		if len(a.Records) != whole || !slices.Contains(a.Codes(), finding.SourceUnparseable) {
			t.Errorf("%s: %d records of %d, %v", name, len(a.Records), whole, a.Codes())
		}
	}
}

// TestMembersThatAreNoFiles: a link, a device or a socket leads nowhere, whatever
// it is called; what its header says it holds is passed.
func TestMembersThatAreNoFiles(t *testing.T) {
	file := cpioMember(0o100600, "a", journalOf(0, 1))
	for name, mode := range map[string]int{"link": 0o120777, "device": 0o060600, "pipe": 0o010600, "socket": 0o140600} {
		rows(t, []row{{name, cpioMember(mode, "/etc/shadow", "../../etc/passwd") + file + cpioMember(0, "TRAILER!!!", ""),
			exactly(0, 1), []finding.Code{finding.SourceNoRecord}}})
	}
	rows(t, []row{
		{"a folder", cpioMember(0o040700, "/", "") + file + cpioMember(0, "TRAILER!!!", ""), exactly(0, 1), nil},
		{"a folder with content", cpioMember(0o040700, "a", journalOf(0, 1)) + cpioMember(0, "TRAILER!!!", ""),
			exactly(0, 1), nil},
		{"a link with more than a name", cpioMember(0o120777, "a", strings.Repeat(journalOf(0, 1), 200)) +
			cpioMember(0, "TRAILER!!!", ""), slices.Repeat(exactly(0, 1), 200), nil},
		{"an absolute name", cpioMember(0o100600, "/etc/passwd", journalOf(0, 1)) + cpioMember(0, "TRAILER!!!", ""),
			exactly(0, 1), []finding.Code{finding.SourceNoRecord}},
		{"an absurd size", cpioMember(0o100600, "a", "")[:54] + "ffffffff" + cpioMember(0o100600, "a", "")[62:] +
			journalOf(0, 1), exactly(0, 1), []finding.Code{finding.SourceTruncated}},
	})
}
