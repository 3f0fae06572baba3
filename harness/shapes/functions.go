package shapes

import (
	"archive/zip"
	"compress/flate"
	"compress/zlib"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"mime/quotedprintable"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// functions can be called by templates, besides those of [text/template]. Their last
// argument is the text that they change, so that they can be chained in a pipeline.
var functions = template.FuncMap{
	// Texts and numbers.
	"add":      func(a, b any) int64 { return number(a) + number(b) },
	"multiply": func(a, b any) int64 { return number(a) * number(b) },
	"center":   center,
	"chunks":   chunks,
	"cut":      cut,
	"first":    func(size int, text string) string { return text[:min(size, len(text))] },
	"fold":     fold,
	"has":      func(characters, text string) bool { return strings.ContainsAny(text, characters) },
	"lines":    func(text string) []string { return strings.Split(text, "\n") },
	"pad":      pad,
	"part":     part,
	"repeat":   func(times int, text string) string { return strings.Repeat(text, times) },
	"replace":  replace,
	"valid":    utf8.ValidString,
	"whole":    func(size int, text string) string { return records{{Line: text}}.Parts(size)[0].Line },
	"wrap":     wrap,

	// Escapes.
	"cell":       cell,
	"clixml":     func(text string) string { return units("_x%04X_", hasXML, text) },
	"colored":    colored,
	"double":     double,
	"inspected":  inspected,
	"misread":    misread,
	"octets":     octets,
	"printable":  printable,
	"pythonRepr": pythonRepr,
	"pyYAML":     pyYAML,
	"rtf":        rtf,
	"shellOctal": shellOctal,
	"slashes":    slashes,
	"unicode":    unicoded,
	"unprinted":  unprinted,
	"units":      func(format, text string) string { return units(format, ascii, text) },
	"xlsx":       func(text string) string { return xlsxCode.ReplaceAllString(text, "_x005F_$1") },
	"xml":        strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace,

	// JSON, and what is like it.
	"json":       spelling{}.quote,
	"quote":      func(words, text string) string { return escaping(words).quote(text) },
	"respell":    respell,
	"indent":     indent,
	"dynamo":     dynamo.respell,
	"extended":   extended.respell,
	"javascript": javascript.respell,
	"pythonDict": pythonDict.respell,
	"rockets": func(open, arrow, text string) string {
		return spelling{colon: arrow, comma: ", ", object: [2]string{open, "}"}}.respell(text)
	},

	// Encodings.
	"base64":          func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	"base64url":       func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) },
	"big":             big,
	"bson":            bson,
	"castagnoli":      func(text string) int64 { return int64(crc32.Checksum([]byte(text), castagnoli)) },
	"cpio":            cpio,
	"crlf":            func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
	"deflate":         through(func(w io.Writer) *flate.Writer { return must(flate.NewWriter(w, flate.BestSpeed)) }),
	"gzip":            through(gzip.NewWriter),
	"little":          little,
	"md5":             func(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) },
	"numbers":         numbers,
	"quotedPrintable": through(quotedprintable.NewWriter),
	"snappy":          through(snappy.NewBufferedWriter),
	"sqlite":          sqlite,
	"tar":             tarred,
	"utf16be":         func(text string) string { return encodeUTF16(binary.BigEndian, text) },
	"utf16le":         func(text string) string { return encodeUTF16(binary.LittleEndian, text) },
	"varint":          func(n any) string { return string(binary.AppendUvarint(nil, uint64(number(n)))) },
	"xz":              through(func(w io.Writer) *xz.Writer { return must(xz.NewWriter(w)) }),
	"zigzag":          func(n any) string { return string(binary.AppendVarint(nil, number(n))) },
	"zip":             func(files ...string) string { return zipped(zip.Deflate, files) },
	"zipStored":       func(files ...string) string { return zipped(zip.Store, files) },
	"zlib":            through(zlib.NewWriter),
	"zstd":            func(text string) string { return string(must(zstd.NewWriter(nil)).EncodeAll([]byte(text), nil)) },
}

// number is an integer of any type with a sign.
func number(n any) int64 { return reflect.ValueOf(n).Int() }

// castagnoli is the table of Kafka's checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// center fills a text with spaces on both sides.
func center(to int, text string) string {
	margin := (to - utf8.RuneCountInString(text)) / 2
	return strings.Repeat(" ", margin) + pad(to-margin, text)
}

// pad fills a text with spaces at its right.
func pad(to int, text string) string {
	return text + strings.Repeat(" ", max(0, to-utf8.RuneCountInString(text)))
}

// chunk is a piece of a text.
type chunk struct {
	At   int
	Text string
}

// chunks breaks a text after every so many bytes.
func chunks(size int, text string) (all []chunk) {
	for at := 0; at < len(text); at += size {
		all = append(all, chunk{at, text[at:min(at+size, len(text))]})
	}
	return all
}

// wrap breaks a text as chunks does, with another between the pieces.
func wrap(size int, between, text string) string {
	var parts []string
	for _, c := range chunks(size, text) {
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, between)
}

// part is the nth of the parts that split cuts a text into.
func part(n, parts int, text string) string {
	size := len(text)/parts + 1
	return text[min(n*size, len(text)):min((n+1)*size, len(text))]
}

// fold breaks a text after every so many characters.
func fold(size int, text string) (all []string) {
	for part := range slices.Chunk([]rune(text), size) {
		all = append(all, string(part))
	}
	return all
}

// cut keeps so many characters of a text that has more than most, behind which it
// puts a mark.
func cut(most, keep int, mark, text string) string {
	if all := []rune(text); len(all) > most {
		return string(all[:keep]) + mark
	}
	return text
}

// replace replaces the first of each pair of texts by the second, in the last text.
func replace(texts ...string) string {
	last := len(texts) - 1
	return strings.NewReplacer(texts[:last]...).Replace(texts[last])
}
