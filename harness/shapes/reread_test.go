package shapes

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// awkward is a log with text that encoders like to change.
func awkward() Log {
	lines := dumps.Bodies(8)
	for _, text := range []string{"two  spaces", "]]>", "_x0041_", "'';|`$x`", `ends \\`} {
		lines = append(lines, bytes.Replace(lines[0], []byte(`"n":9`), []byte(`"m":"`+text+`","n":9`), 1))
	}
	return Log{Lines: lines, Batch: "01HZX", Time: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
}

// only returns the one file of a shape.
func only(t *testing.T, name string) (Log, []byte) {
	t.Helper()
	l := awkward()
	for _, s := range All() {
		if s.Name == name {
			for _, content := range s.Write(l) {
				return l, content
			}
		}
	}
	t.Fatalf("there is no file of %s", name)
	return l, nil
}

// wantLines checks that texts are the lines of the log.
func wantLines(t *testing.T, l Log, got []string) {
	t.Helper()
	for i, line := range l.Lines {
		if i >= len(got) || got[i] != string(line) {
			t.Fatalf("text %d of %d is not the line\n%s\nbut\n%q", i, len(got), line, got[min(i, len(got)):min(i+1, len(got))])
		}
	}
	check.That(t, len(got) <= len(l.Lines), "%d texts of %d lines", len(got), len(l.Lines))
}

func TestTablesReread(t *testing.T) {
	for name, comma := range map[string]rune{
		"csv/rfc-4180": ',', "csv/semicolon": ';', "csv/tab": '\t', "csv/pipe": '|', "postgresql/copy-csv-header": ',',
		"postgresql/psql-csv": ',', "sqlite/csv": ',', "athena/csv": ',', "bigquery/csv": ',', "clickhouse/CSVWithNames": ',',
	} {
		t.Run(name, func(t *testing.T) {
			l, content := only(t, name)
			r := csv.NewReader(bytes.NewReader(content))
			r.Comma = comma
			rows, err := r.ReadAll()
			if err != nil || strings.Join(rows[0], " ") != "id received_at x_svc_edge_audit_batch body" {
				t.Fatal(rows[0], err)
			}
			var got []string
			for _, row := range rows[1:] {
				got = append(got, row[3])
			}
			wantLines(t, l, got)
		})
	}
}

// texts are the texts of elements and attributes that begin as events do.
func texts(t *testing.T, content []byte) (all []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict = true
	begins := func(text string) {
		if strings.HasPrefix(text, `{"body"`) {
			all = append(all, text)
		}
	}
	var text strings.Builder
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			for _, a := range token.Attr {
				begins(a.Value)
			}
			if token.Name.Local == "s" { // a space, in OpenDocument
				text.WriteByte(' ')
			} else {
				text.Reset()
			}
		case xml.EndElement:
			if token.Name.Local != "s" {
				begins(text.String())
				text.Reset()
			}
		}
	}
}

func TestMarkupReread(t *testing.T) {
	for _, name := range []string{
		"activemq/artemis-xml", "apple/plist", "confluence/storage", "excel/xml-2003", "libreoffice/fods",
		"mysql/mysqldump-xml", "mysql/xml", "sqlserver/for-xml", "xml/attribute", "xml/cdata", "xml/element", "xml/numeric",
	} {
		t.Run(name, func(t *testing.T) {
			l, content := only(t, name)
			if bytes.HasPrefix(content, []byte("<?xml")) {
				_, content, _ = bytes.Cut(content, []byte("?>"))
			}
			wantLines(t, l, texts(t, slices.Concat([]byte("<all>"), content, []byte("</all>"))))
		})
	}
}

func TestZipsReread(t *testing.T) {
	for name, file := range map[string]string{
		"excel/xlsx": "xl/sharedStrings.xml", "excel/xlsx-inline": "xl/worksheets/sheet1.xml",
		"libreoffice/ods": "content.xml",
		"word/docx":       "word/document.xml",
	} {
		t.Run(name, func(t *testing.T) {
			l, content := only(t, name)
			z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			part, err := z.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			text := seal.Must(io.ReadAll(part))
			if strings.HasPrefix(name, "excel/") {
				text = bytes.ReplaceAll(text, []byte("_x005F_"), []byte("_"))
			}
			wantLines(t, l, texts(t, text))
		})
	}
}

func TestMailsReread(t *testing.T) {
	for name, decode := range map[string]func(io.Reader) io.Reader{
		"mail/quoted-printable": func(r io.Reader) io.Reader { return quotedprintable.NewReader(r) },
		"mail/base64":           func(r io.Reader) io.Reader { return base64.NewDecoder(base64.StdEncoding, r) },
		"mail/plain":            func(r io.Reader) io.Reader { return r },
	} {
		t.Run(name, func(t *testing.T) {
			l, content := only(t, name)
			m := seal.Must(mail.ReadMessage(bytes.NewReader(content)))
			text := strings.ReplaceAll(string(seal.Must(io.ReadAll(decode(m.Body)))), "\r\n", "\n")
			wantLines(t, l, strings.Split(strings.TrimSuffix(text, "\n"), "\n"))
		})
	}
	l, content := only(t, "mail/attachment")
	m := seal.Must(mail.ReadMessage(bytes.NewReader(content)))
	_, parameters, _ := mime.ParseMediaType(m.Header.Get("Content-Type"))
	r := multipart.NewReader(m.Body, parameters["boundary"])
	seal.Must(r.NextPart())
	text := string(seal.Must(io.ReadAll(base64.NewDecoder(base64.StdEncoding, seal.Must(r.NextPart())))))
	wantLines(t, l, strings.Split(strings.TrimSuffix(text, "\n"), "\n"))
}

func TestSegmentReread(t *testing.T) {
	l, content := only(t, "kafka/segment")
	big := binary.BigEndian
	if size := big.Uint32(content[8:]); int(size) != len(content)-12 || content[16] != 2 {
		t.Fatalf("%d octets of version %d", size, content[16])
	}
	check.Equal(t, crc32.Checksum(content[21:], crc32.MakeTable(crc32.Castagnoli)), big.Uint32(content[17:]), "the sum")
	r := bytes.NewReader(content[61:])
	var got []string
	for range big.Uint32(content[57:]) {
		seal.Must(binary.ReadVarint(r)) // length
		seal.Must(r.ReadByte())
		for range 3 { // time, offset, key
			seal.Must(binary.ReadVarint(r))
		}
		value := make([]byte, seal.Must(binary.ReadVarint(r)))
		seal.Must(io.ReadFull(r, value))
		got = append(got, string(value))
		seal.Must(binary.ReadVarint(r)) // headers
	}
	check.That(t, r.Len() == 0, "%d octets are left", r.Len())
	wantLines(t, l, got)
}

func TestDocumentsReread(t *testing.T) {
	l, content := only(t, "mongodb/mongodump-document")
	var got []string
	for len(content) > 0 {
		n := binary.LittleEndian.Uint32(content)
		object := bsonText(t, content[:n], false)
		content = content[n:]
		got = append(got, "{"+object[strings.Index(object, `,"body"`)+1:])
	}
	wantLines(t, l, got)
}

// bsonText writes a document as JSON.
func bsonText(t *testing.T, d []byte, list bool) string {
	t.Helper()
	var parts []string
	for d = d[4:]; d[0] != 0; {
		kind := d[0]
		name, rest, _ := bytes.Cut(d[1:], []byte{0})
		n, value := 0, ""
		switch little := binary.LittleEndian; kind {
		case 0x02:
			n = 4 + int(little.Uint32(rest))
			value = spelling{}.writeString(string(rest[4 : n-1]))
		case 0x03, 0x04:
			n = int(little.Uint32(rest))
			value = bsonText(t, rest[:n], kind == 0x04)
		case 0x07:
			n, value = 12, "0"
		case 0x08:
			n, value = 1, fmt.Sprint(rest[0] == 1)
		case 0x10:
			n, value = 4, fmt.Sprint(int32(little.Uint32(rest)))
		case 0x12:
			n, value = 8, fmt.Sprint(int64(little.Uint64(rest)))
		default:
			t.Fatalf("an element of kind %d", kind)
		}
		if !list {
			value = spelling{}.writeString(string(name)) + ":" + value
		}
		parts, d = append(parts, value), rest[n:]
	}
	if list {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestCommandsReread(t *testing.T) {
	l, content := only(t, "redis/aof")
	r := bytes.NewBuffer(content)
	var got []string
	for r.Len() > 0 {
		var words, size int
		seal.Must(fmt.Fscanf(r, "*%d\r\n", &words))
		var word string
		for range words {
			seal.Must(fmt.Fscanf(r, "$%d\r\n", &size))
			word = string(r.Next(size))
			r.Next(2)
		}
		got = append(got, word)
	}
	wantLines(t, l, got[1:]) // SELECT comes first
}

func TestNestedReread(t *testing.T) {
	for depth := 1; depth <= 8; depth++ {
		l, content := only(t, fmt.Sprintf("json/depth-%d", depth))
		var got []string
		for text := range strings.Lines(string(content)) {
			for range depth {
				var object map[string]string
				if err := json.Unmarshal([]byte(text), &object); err != nil {
					t.Fatal(err)
				}
				text = object["message"]
			}
			got = append(got, text)
		}
		wantLines(t, l, got)
	}
}
