package read_test

import (
	"archive/tar"
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
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestRealArchives: archives by real programs are read whole, in every prefix to the cut, and
// again behind themselves.
func TestRealArchives(t *testing.T) {
	want := packedBodies(t)
	for _, name := range []string{"zip", "zip-streamed", "zip-64", "zip-Copy", "zip-BZip2"} {
		whole := packed(t, name)
		rows(t, []row{
			{name, whole, want, nil},
			{name + ", in gzip", must.Gzip(whole), want, nil},
			{name + ", something behind", whole + "something else", want,
				[]finding.Code{finding.SourceTrailingData, finding.SourceNoRecord}},
		})
		twice := sound(t, []byte(whole+whole), read.Options{})
		check.That(t, len(twice.Records) == 2*len(want),
			"%s, again behind itself: %d records, %+v", name, len(twice.Records), twice.Skips)
		for n := 0; n < len(whole); n += 1 + n/chance.Sized(100, 10) {
			a := sound(t, []byte(whole[:n]), read.Options{})
			check.That(t, len(a.Skips) != 0, "%s: nothing is said of the first %d bytes", name, n)
		}
	}
	for name, what := range map[string]string{"zip-encrypted": "is encrypted", "zip-aes": "is encrypted",
		"zip-Deflate64": "deflate64", "zip-LZMA": "LZMA"} {
		a := sound(t, []byte(packed(t, name)), read.Options{})
		check.That(t, len(a.Skips) == 1 && a.Skips[0].Code == finding.SourceUnknownFormat &&
			strings.Contains(a.Skips[0].Detail, what) && strings.Contains(a.Skips[0].Detail, `"journal"`),
			"%s: %+v", name, a.Skips)
	}
}

// file is a member of an archive.
type file struct {
	name    string
	content string
	stored  bool
	sizes   bool // whether the header has them, not a descriptor
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
	must.Have(0, w.Close())
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
		{"gzip in zip", zipOf(file{"outer", must.Gzip(a), true, false}), exactly(0, 1), nil},
		{"again behind itself", deflated + deflated, append(exactly(0, 2), exactly(0, 2)...),
			[]finding.Code{finding.SourceTrailingData}},
		{"another size", sized[:22] + string([]byte{sized[22] + 1}) + sized[23:], exactly(0, 2),
			[]finding.Code{ambiguous, ambiguous}},
		{"an event a member", zipOf(file{"a", strings.TrimSpace(a), false, false},
			file{"b", strings.TrimSpace(b), true, true}), exactly(0, 2), nil},
		{"a member without a line feed", zipOf(file{"a", a + strings.TrimSpace(b), false, false}), exactly(0, 2),
			[]finding.Code{finding.SourcePartialTail}},
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

// TestSeparators: one letter that separates texts can be between two values. A block of zeros
// between them is none: records may have been there.
func TestSeparators(t *testing.T) {
	a, b := strings.TrimSpace(journalOf(0, 1)), strings.TrimSpace(journalOf(1, 2))
	var all []row
	for _, c := range []string{"\x00", "\f", "\x1e", "\u0085", "\u2028"} {
		all = append(all, row{fmt.Sprintf("%q", c), a + c + b + "\n", exactly(0, 2), nil})
	}
	for _, n := range []int{2, 5000} {
		all = append(all, row{fmt.Sprint(n, " zeros"), a + strings.Repeat("\x00", n) + b + "\n", exactly(0, 2),
			[]finding.Code{finding.SourceTrailingData}})
	}
	rows(t, all)
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
	for _, r := range valueAt(t, []byte(dump), read.Options{}).Records {
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

func TestMembersOfZip(t *testing.T) {
	a := sound(t, []byte(zipOf(file{"a", "{}", true, false}, file{"b", "{}", true, false})),
		read.Options{Limits: read.Limits{Members: 1}})
	check.That(t, slices.Contains(a.Codes(), finding.SourceLimit), "%v", a.Codes())
}

// TestArchivesGoOn: behind a header that is damaged, the next one is found, and so is the
// content between them.
func TestArchivesGoOn(t *testing.T) {
	end := strings.Repeat("\x00", 1024)
	packed := must.Tar("x", journalOf(0, 3)) + must.Tar("y", journalOf(0, 3)) + must.Tar("z", journalOf(0, 3))
	whole := strings.ReplaceAll(packed, end, "")
	at := strings.Index(whole[9:], "y\x00\x00") + 9
	a := sound(t, []byte(whole[:at]+"xx"+whole[at+2:]), read.Options{})
	check.That(t, len(a.Records) == 9 && slices.Contains(a.Codes(), finding.SourceUnparseable),
		"%d records of 9, %v", len(a.Records), a.Codes())
}

// TestMembersThatAreNoFiles: a link, a device or a pipe leads nowhere, whatever it is
// called.
func TestMembersThatAreNoFiles(t *testing.T) {
	member := func(flag byte, name, content string) string {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		must.Do(t, w.WriteHeader(&tar.Header{Typeflag: flag, Name: name, Linkname: "../../etc/passwd", Mode: 0o600,
			Size: int64(len(content))}))
		fmt.Fprint(w, content)
		must.Do(t, w.Flush())
		return out.String()
	}
	end := strings.Repeat("\x00", 1024)
	file := member(tar.TypeReg, "a", journalOf(0, 1)) + end
	for name, flag := range map[string]byte{"link": tar.TypeSymlink, "device": tar.TypeBlock, "pipe": tar.TypeFifo} {
		rows(t, []row{{name, member(flag, "etc/shadow", "") + file, exactly(0, 1), []finding.Code{finding.SourceNoRecord}}})
	}
	rows(t, []row{
		{"a folder", member(tar.TypeDir, "logs/", "") + file, exactly(0, 1), nil},
		{"an absolute name", member(tar.TypeReg, "/etc/passwd", journalOf(0, 1)) + end, exactly(0, 1),
			[]finding.Code{finding.SourceNoRecord}},
	})
}
