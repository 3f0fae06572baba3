package read

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// samples are the beginnings of files that marks alone do not make.
var samples = map[string]func([]byte){
	"a compressed segment of Kafka": func(b []byte) {
		binary.BigEndian.PutUint32(b[8:], 1000)
		binary.BigEndian.PutUint16(b[21:], 4) // zstd
		binary.BigEndian.PutUint32(b[23:], 9)
		binary.BigEndian.PutUint32(b[57:], 10)
	},
	"a table or index of PostgreSQL": func(b []byte) {
		binary.LittleEndian.PutUint16(b[12:], 40)
		binary.LittleEndian.PutUint16(b[14:], 8000)
		binary.LittleEndian.PutUint16(b[16:], 8192)
	},
	"a segment of PostgreSQL's write-ahead log": func(b []byte) {
		copy(b, "\x16\xd1\x07\x00")
		binary.LittleEndian.PutUint32(b[32:], 16<<20)
		binary.LittleEndian.PutUint32(b[36:], 8192)
	},
	"a tablespace of InnoDB (MySQL, MariaDB)": func(b []byte) { b[37], b[41] = 5, 5 },
	"a dead letter queue of Logstash": func(b []byte) {
		copy(b[1:], "c\x00\x00\x00\x04\xff\xff\xff\xff____body")
		binary.BigEndian.PutUint32(b[10:], crc32.ChecksumIEEE([]byte("body")))
	},
	"compress (.Z)": func(b []byte) { b[2] = 0x90 },
	"a font":        func(b []byte) { copy(b[4:], "\x00\x09\x00\x80") },
	"the small pictures of a folder (Windows, Thumbs.db)": func(b []byte) {
		b[48] = 1
		writeEntries(b[1024:], "Root Entry", "Catalog", "256_af09", "1")
	},
	"text in EBCDIC": func(b []byte) {
		copy(b, bytes.Repeat([]byte("\xc1\x40\x93\x89\x95\x85\x40\x96\x86\x40\xa3\x85\xa7\xa3\x25"), len(b)/15+1))
	},
	"LZMA without a container": func(b []byte) {
		copy(b[1:], "\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00")
	},
	"a program (Windows)":              func(b []byte) { b[60] = 128; copy(b[128:], "PE\x00\x00") },
	"a message encrypted with OpenPGP": func(b []byte) { copy(b, "\x85\x02\x0c\x03abcdefgh\x01") },
	"an armoured message encrypted with OpenPGP": func(b []byte) {
		copy(b[27:], "\n\n"+base64.StdEncoding.EncodeToString([]byte("\x85\x02\x0c\x03abcdefgh\x01 and the rest of it")))
	},
	"a disk image with partitions":      func(b []byte) { copy(b, "\xeb\x63\x90") },
	"an ext2, ext3 or ext4 file system": func(b []byte) { b[1024] = 1 },
}

// writeEntries writes the names of streams as the directory of a compound file has them.
func writeEntries(b []byte, names ...string) {
	for i, name := range names {
		entry := b[128*i:]
		for j, c := range name {
			entry[2*j] = byte(c)
		}
		entry[64] = byte(2*len(name) + 2)
	}
}

// sampleOf returns the beginning of a file of a row.
func sampleOf(s *stranger) []byte {
	b := make([]byte, 33<<10)
	for _, m := range s.marks {
		copy(b[m.at:], m.octets)
	}
	if more := samples[s.what]; more != nil && (len(s.marks) == 0 || s.also != nil) {
		more(b)
	}
	return b
}

// TestStrangers: each row names the files of its format and no other row does, and
// without any byte of its marks it names them no more.
func TestStrangers(t *testing.T) {
	begins, _ := strangers()
	for i := range begins {
		s := &begins[i]
		sample := sampleOf(s)
		if format, why := sniffFormat(sample); format != "" || why != s.what || strangerOf(sample).help != s.help {
			t.Errorf("row %d, %s: recognised as %q: %s", i, s.what, format, why)
		}
		for _, m := range s.marks {
			for at := range len(m.octets) {
				near := slices.Clone(sample)
				near[m.at+at] ^= 0x20 | 0x01
				check.That(t, !s.hasFormat(near), "row %d, %s: it does not need octet %d", i, s.what, m.at+at)
			}
		}
		check.That(t, s.also == nil || !s.also(bytes.Repeat([]byte("a line of text\n"), 100)),
			"row %d, %s: it names a text", i, s.what)
		for n := range 70 { // whatever is cut short is looked at safely
			s.hasFormat(sample[:n])
		}
	}
}

// TestStrangersAreKnown: these formats are named. They are written out once more, so
// that no row is lost.
func TestStrangersAreKnown(t *testing.T) {
	for _, row := range must.Rows(t, "testdata", "strangers.txt") {
		magic, want := row[0], row[1]
		s := strangerOf([]byte(magic))
		check.That(t, s != nil && strings.Contains(s.what+s.help, want), "%q: %+v, want %s", magic, s, want)
	}
}

// TestStrangersConditions: where marks alone would name too much, each condition
// has a near miss.
func TestStrangersConditions(t *testing.T) {
	formats, _ := strangers()
	for what, near := range map[string]func([]byte){
		"a compressed segment of Kafka":             func(b []byte) { b[60]++ }, // more records than offsets
		"a table or index of PostgreSQL":            func(b []byte) { b[13] = 0xff },
		"a segment of PostgreSQL's write-ahead log": func(b []byte) { b[37]++ },
		"a tablespace of InnoDB (MySQL, MariaDB)":   func(b []byte) { b[37]++ },
		"compress (.Z)":                             func(b []byte) { b[2] = 0x9f },
		"LZMA without a container":                  func(b []byte) { b[3]++ },
		"a program (Windows)":                       func(b []byte) { b[128]++ },
		"a font":                                    func(b []byte) { b[7] = 0x40 },
		"the small pictures of a folder (Windows, Thumbs.db)": func(b []byte) {
			writeEntries(b[1024:], "Root Entry", "Catalog", "WordDocument")
		},
		"a message encrypted with OpenPGP":           func(b []byte) { b[12] = 3 },
		"text in EBCDIC":                             func(b []byte) { copy(b, bytes.Repeat([]byte("na\xefve "), 6000)) },
		"an armoured message encrypted with OpenPGP": func(b []byte) { b[27+2] = 'o' },
		"an ORC file":                                func(b []byte) { copy(b, bytes.Repeat([]byte("ORCHESTRATOR "), 64)) },
	} {
		i := slices.IndexFunc(formats, func(s stranger) bool { return s.what == what && s.also != nil })
		b := sampleOf(&formats[i])
		if near(b); formats[i].hasFormat(b) {
			t.Errorf("%s: the near miss has the name, too", what)
		}
	}
}

// TestStrangersSay: the text about a file is short, printable and in ASCII, and proposes no
// option of this program.
func TestStrangersSay(t *testing.T) {
	begins, _ := strangers()
	for _, s := range begins {
		check.That(t, s.help != "", "%s: nothing helps", s.what)
		says := (&Skip{Detail: s.what, Help: s.help}).Text()
		if len(says) > 200 || strings.Contains(says, "--input-format") || strings.HasSuffix(says, ".") ||
			strings.ContainsFunc(says, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsPrint(r) }) {
			t.Errorf("%s", says)
		}
	}
}

// skips is a handler that keeps skips.
type skips struct{ all []Skip }

func (*skips) Format(string, Format, string) error { return nil }
func (*skips) Record(*Record) error                { return nil }
func (s *skips) Skip(skip Skip) error              { s.all = append(s.all, skip); return nil }

// TestUnknownStreams: a stream that is not read is named as a whole. Where it is one of
// a known format, that leaves the verdict open even if there are events in it: there
// can be others, which are compressed.
func TestUnknownStreams(t *testing.T) {
	journal := "LPKSHHRH\x00\x00" + strings.Repeat("\x00\xff", 100<<10)
	const named, help = "a systemd journal in its binary form", "journalctl --file FILE -o export"
	der := append([]byte{0x30, 0x82, 0x01, 0x00}, make([]byte, 256)...)
	for content, want := range map[string]Skip{
		journal: {Code: finding.SourceUnknownFormat, Detail: named, Help: help},
		journal + "{\"protocol\":\"svc.audit-event.v1\"}": {Code: finding.SourceUnknownFormat,
			Detail: named + ", in which events stand as they are", Help: help},
		"\x00\x01\x02\xff": {Code: finding.SourceUnknownFormat,
			Detail: `no known format, beginning with "\x00\x01\x02\xff"`},
		string(der): {Code: finding.SourceNoRecord, Detail: "a key or certificate in DER, which is no evidence"},
		string(der) + "\x00": {Code: finding.SourceUnknownFormat,
			Detail: `no known format, beginning with "0\x82\x01` + strings.Repeat(`\x00`, 13) + `"...`},
		`{"b":1,"msg":"text"}`: {Code: finding.SourceNoRecord,
			Detail: `a record of another service, with the members "b", "msg"`},
	} {
		var found skips
		must.Do(t, Read(context.Background(), strings.NewReader(content), Options{}, &found))
		last := found.all[len(found.all)-1]
		check.That(t, last.Code == want.Code && last.Text() == want.Text(), "%.20q: %+v, want %+v", content, found.all, want)
	}
}

// TestEnds: a file is named by its end, if its beginning does not tell, in whatever
// pieces it is read.
func TestEnds(t *testing.T) {
	_, ends := strangers()
	for _, s := range ends {
		for _, size := range []int{s.marks[0].at + 3, 600, 200 << 10} {
			for octet := -1; octet < len(s.marks[0].octets); octet++ {
				if size > 600 && octet >= 0 {
					break
				}
				content := bytes.Repeat([]byte{0xfe, 0, 1}, size)[:size]
				copy(content[size-s.marks[0].at:], s.marks[0].octets)
				want := s.what
				if octet >= 0 {
					content[size-s.marks[0].at+octet] ^= 0x21
					want = beginningOf(content)
				}
				var found skips
				slow := iotest.OneByteReader(bytes.NewReader(content))
				must.Do(t, Read(context.Background(), slow, Options{}, &found))
				must.That(t, len(found.all) == 1 && found.all[0].Detail == want,
					"%d octets, without octet %d: %+v, want %s", size, octet, found.all, want)
			}
		}
	}
}

// TestOtherSignals: spans and metrics in protobuf are no log records, unless there is
// an event in them.
func TestOtherSignals(t *testing.T) {
	message := func(record []byte) string {
		scope := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), record)
		resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
		return string(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), resource))
	}
	bytesField := func(b []byte, n protowire.Number, value string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), value)
	}
	span := bytesField(bytesField(nil, 1, strings.Repeat("\x07", 16)), 2, strings.Repeat("\x08", 8))
	span = bytesField(span, 5, "GET /")
	for content, want := range map[string]finding.Code{
		message(span): finding.SourceNoRecord,
		message(bytesField(span, 6, `{"protocol":"svc.audit-event.v1"}`)): finding.SourceUnparseable,
		message(bytesField(nil, 5, "GET /")):                              finding.SourceUnparseable,
	} {
		var found skips
		must.Do(t, Read(context.Background(), strings.NewReader(content), Options{}, &found))
		check.That(t, len(found.all) == 1 && found.all[0].Code == want,
			"%q: %+v, want %s", content, found.all, want)
	}
}
