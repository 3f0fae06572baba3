//go:build heavy

package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/shapes"
)

// formatInputs are of formats with a structure of their own: archives, tables,
// databases and mail.
var formatInputs = []costInput{
	{"rows of SQLite", shaped("sqlite/file", 10_000, "{}")},
	{"events in SQLite", shapedEvents("sqlite/file", 300)},
	{"cells of a workbook", shaped("excel/xlsx", 2_000, "{}")},
	{"events in a workbook", shapedEvents("excel/xlsx", 300)},
	{"events in inline cells", shapedEvents("excel/xlsx-inline", 300)},
	{"events in a folder of mail", shapedEvents("mail/mbox", 100)},
	{"blocks of rows of Avro", avroRows},
	{"many files of Avro", manyOf("tables/null.avro", 60)},
	{"many frames of LZ4", func(g genuine, n int) files {
		return repeated(string(stored("packed/lz4.base64")), 200)(g, n)
	}},
	{"LZ4 of short lines", lz4Lines},
	{"many 7z archives", manyOf("packed/7z-LZMA2.base64", 60)},
	{"a zip whose entries overlap", overlappingZip},
	{"a mail with many attachments", func(_ genuine, n int) files {
		part := "--b\r\nContent-Type: text/plain; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\ne30K\r\n"
		return one(mailHead("b") + strings.Repeat(part, n*1000) + "--b--\r\n")
	}},
	{"a mail in a mail", func(_ genuine, n int) files {
		var b strings.Builder
		for i := range n * 300 {
			fmt.Fprintf(&b, "%s--b%d\r\n", mailHead(fmt.Sprint("b", i)), i)
		}
		return one(b.String())
	}},
	{"a tar in a tar", func(_ genuine, n int) files {
		b := []byte("{}\n")
		for range n * 30 {
			b = tarOf(files{"x": b})
		}
		return one(b)
	}},
	{"a zip in a zip", func(_ genuine, n int) files {
		b := []byte("{}\n")
		for range n * 300 {
			b = zipOf(files{"x": b}, zip.Store)
		}
		return one(b)
	}},
}

// shaped is so many records of a shape of the harness, each with the same text.
func shaped(name string, n int, text string) maker {
	return func(_ genuine, times int) files {
		return shapeOf(name, bytes.Split([]byte(strings.Repeat(text+"\n", n*times-1)+text), []byte("\n")))
	}
}

// shapedEvents is so many events in a shape, of one log with gaps.
func shapedEvents(name string, n int) maker {
	return func(g genuine, times int) files {
		all := events(g, n*times, func(_, body map[string]any, i int) { body["sequence"] = 1 + 3*i })
		return shapeOf(name, bytes.Split(bytes.TrimSuffix(all, []byte("\n")), []byte("\n")))
	}
}

func shapeOf(name string, lines [][]byte) files {
	for _, s := range shapes.All() {
		if s.Name != name {
			continue
		}
		for _, b := range s.Write(shapes.Log{Lines: lines, Time: time.Unix(1772442000, 0)}) {
			return one(b)
		}
	}
	panic("no shape " + name)
}

// stored is a file that another program wrote, of the tests of the readers.
func stored(name string) []byte {
	b, err := os.ReadFile(filepath.Join("..", "..", "forensics", "read", "testdata", filepath.FromSlash(name)))
	if err == nil && strings.HasSuffix(name, ".base64") {
		b, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(string(b), "\n", ""))
	}
	if err != nil {
		panic(err)
	}
	return b
}

// manyOf is so many copies of such a file. They differ at the end, as no reader reads
// the same bytes twice.
func manyOf(name string, n int) maker {
	return func(_ genuine, times int) files {
		return many(n*times, func(i int) string { return string(stored(name)) + strings.Repeat("\n", i) })
	}
}

// avroRows repeats the blocks of an Avro file.
func avroRows(_ genuine, n int) files {
	b := stored("tables/null.avro")
	mark := b[len(b)-16:]
	head := bytes.Index(b, mark) + len(mark)
	return one(append(bytes.Clone(b[:head]), bytes.Repeat(b[head:], n*100)...))
}

// lz4Lines is a frame of the first format of LZ4, whose every block is one line many
// times: no library here writes it.
func lz4Lines(_ genuine, n int) files {
	const longer = 1000 // times 255 bytes
	block := "\x2fa\n\x02\x00" + strings.Repeat("\xff", longer) + "\x00" + "\x50aaaa\n"
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(block)))
	return one("\x02\x21\x4c\x18" + strings.Repeat(string(size)+block, n*4))
}

// overlappingZip is an archive with one member that its directory names many times.
func overlappingZip(_ genuine, n int) files {
	const endSize = 22
	b := zipOf(files{"x": bytes.Repeat([]byte("{}\n"), n*1_000)}, zip.Store)
	end := bytes.Clone(b[len(b)-endSize:])
	at := binary.LittleEndian.Uint32(end[16:])
	entry := b[at : len(b)-endSize]
	directory := bytes.Repeat(entry, n*200)
	binary.LittleEndian.PutUint16(end[8:], uint16(n*200))
	binary.LittleEndian.PutUint16(end[10:], uint16(n*200))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(directory)))
	return one(append(append(bytes.Clone(b[:at]), directory...), end...))
}

// mailHead is the head of a mail of several parts.
func mailHead(boundary string) string {
	return "From: a@example.org\r\nTo: b@example.org\r\nSubject: logs\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=\"" + boundary + "\"\r\n\r\n"
}
