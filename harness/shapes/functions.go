package shapes

import (
	"archive/zip"
	"bytes"
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

	"github.com/svc-edge/svc-verify/harness/seal"
)

// functions can be called by templates, in addition to the functions of [text/template]. Their
// last argument is the text that they change, so that they can be chained in a pipeline.
var functions = template.FuncMap{
	// Texts and numbers.
	"add":      func(a, b any) int64 { return number(a) + number(b) },
	"multiply": func(a, b any) int64 { return number(a) * number(b) },
	"center":   centerText,
	"chunks":   chunkText,
	"cut":      cutText,
	"first":    func(size int, text string) string { return text[:min(size, len(text))] },
	"fold":     foldText,
	"has":      func(characters, text string) bool { return strings.ContainsAny(text, characters) },
	"lines":    func(text string) []string { return strings.Split(text, "\n") },
	"pad":      func(to int, text string) string { return fmt.Sprintf("%-*s", to, text) },
	"part":     part,
	"repeat":   func(times int, text string) string { return strings.Repeat(text, times) },
	"replace":  replacePairs,
	"valid":    utf8.ValidString,
	"whole":    func(size int, text string) string { return records{{Line: text}}.Parts(size)[0].Line },
	"wrap":     wrapText,

	// Escapes.
	"cell":       csvCell,
	"clixml":     func(text string) string { return formatUnits("_x%04X_", hasXML, text) },
	"colored":    asColoured,
	"double":     doubleQuotes,
	"inspected":  inspectString,
	"misread":    misreadUTF8,
	"octets":     formatOctets,
	"printable":  isPrintable,
	"pythonRepr": pythonRepr,
	"pyYAML":     pyYAML,
	"rtf":        asRTF,
	"shellOctal": shellOctal,
	"slashes":    addSlashes,
	"unicode":    formatUnicode,
	"unprinted":  formatUnprinted,
	"units":      func(format, text string) string { return formatUnits(format, isASCII, text) },
	"xlsx":       func(text string) string { return xlsxCode.ReplaceAllString(text, "_x005F_$1") },
	"xml":        strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace,

	// JSON, and similar forms.
	"json":       spelling{}.writeString,
	"quote":      func(words, text string) string { return escaping(words).writeString(text) },
	"respell":    respellJSON,
	"indent":     indentJSON,
	"members":    membersOf,
	"dynamo":     dynamo.writeRespelled,
	"extended":   extended.writeRespelled,
	"javascript": javascript.writeRespelled,
	"pythonDict": pythonDict.writeRespelled,
	"rockets": func(open, arrow, text string) string {
		return spelling{colon: arrow, comma: ", ", object: [2]string{open, "}"}}.writeRespelled(text)
	},

	// Encodings.
	"base64":    func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	"base64url": func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) },
	"big":       big,
	"bson":      bson,
	"castagnoli": func(text string) int64 {
		return int64(crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
	},
	"cpio":            packCpio,
	"crlf":            func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
	"deflate":         through(func(w io.Writer) *flate.Writer { return seal.Must(flate.NewWriter(w, flate.BestSpeed)) }),
	"gzip":            through(gzip.NewWriter),
	"little":          little,
	"md5":             func(text string) [md5.Size]byte { return md5.Sum([]byte(text)) },
	"numbers":         asNumbers,
	"quotedPrintable": through(quotedprintable.NewWriter),
	"snappy":          through(snappy.NewBufferedWriter),
	"sqlite":          packSQLite,
	"tar":             packTar,
	"utf16be":         encodeUTF16(binary.BigEndian),
	"utf16le":         encodeUTF16(binary.LittleEndian),
	"varint":          func(n any) string { return string(binary.AppendUvarint(nil, uint64(number(n)))) },
	"xz":              through(func(w io.Writer) *xz.Writer { return seal.Must(xz.NewWriter(w)) }),
	"zigzag":          func(n any) string { return string(binary.AppendVarint(nil, number(n))) },
	"zip":             func(files ...string) string { return packZip(zip.Deflate, files) },
	"zipStored":       func(files ...string) string { return packZip(zip.Store, files) },
	"zlib":            through(zlib.NewWriter),
	"zstd":            func(text string) string { return string(seal.Must(zstd.NewWriter(nil)).EncodeAll([]byte(text), nil)) },
}

// number is an integer of any type with a sign.
func number(n any) int64 { return reflect.ValueOf(n).Int() }

// centerText fills a text with spaces on both sides.
func centerText(to int, text string) string {
	return fmt.Sprintf("%-*s", to, strings.Repeat(" ", (to-utf8.RuneCountInString(text))/2)+text)
}

// chunk is a piece of a text.
type chunk struct {
	At   int
	Text string
}

// chunkText breaks a text after every so many bytes.
func chunkText(size int, text string) (all []chunk) {
	for at := 0; at < len(text); at += size {
		all = append(all, chunk{at, text[at:min(at+size, len(text))]})
	}
	return all
}

// wrapText breaks a text as chunkText does, with another between the pieces.
func wrapText(size int, between, text string) string {
	return string(bytes.Join(slices.Collect(slices.Chunk([]byte(text), size)), []byte(between)))
}

// part is the nth of the parts that split cuts a text into.
func part(n, parts int, text string) string {
	size := len(text)/parts + 1
	return text[min(n*size, len(text)):min((n+1)*size, len(text))]
}

// foldText breaks a text after every so many characters.
func foldText(size int, text string) (all []string) {
	for part := range slices.Chunk([]rune(text), size) {
		all = append(all, string(part))
	}
	return all
}

// cutText keeps so many characters of a text that has more than most, behind which it
// puts a mark.
func cutText(most, keep int, mark, text string) string {
	if all := []rune(text); len(all) > most {
		return string(all[:keep]) + mark
	}
	return text
}

// replacePairs replaces the first of each pair of texts by the second, in the last text.
func replacePairs(texts ...string) string {
	last := len(texts) - 1
	return strings.NewReplacer(texts[:last]...).Replace(texts[last])
}
