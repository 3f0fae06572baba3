package read

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// sniffSize is how much of a stream is examined to recognise its format. A log that begins
// with the torn rest of a line shows a whole line within it.
const sniffSize = 256 << 10

const (
	sevenZipMagic = "7z\xbc\xaf\x27\x1c"
	rarMagic      = "Rar!\x1a\x07"
)

var (
	gzipMagic = []byte{0x1f, 0x8b, 8}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	bom       = []byte("\ufeff")
)

// contents are the kinds of content of a format.
type contents int

const (
	ofRecords contents = iota
	ofStreams          // another stream, which was encoded
	ofMembers          // other streams as they are: an archive
	ofOctets           // another stream as it is: compressed data
)

// sign is the beginning of the streams of a format, and their reader.
type sign struct {
	of    Format
	holds contents
	in    func(b []byte) bool
	why   string
	read  func(*stream) error
}

// signs are the formats by their beginnings. The first that fits counts. Their readers lead
// back here, so that they are set when the program begins.
var signs []sign

func init() {
	for _, c := range codecs {
		signs = append(signs, sign{c.format, ofOctets, c.starts, c.why, func(s *stream) error { return s.readCompressed(c) }})
	}
	signs = append(signs, []sign{
		{ZstdFrames, ofStreams, zstdFrame, "begins with a length and the magic number of a zstd frame",
			(*stream).zstdFrames},
		{Tar, ofMembers, tarStart, "has a tar header with the right checksum", (*stream).readTar},
		{Zip, ofMembers, zipStart, "begins with a header of zip", (*stream).readZip},
		{SevenZip, ofMembers, beginsWith(sevenZipMagic), "begins with the magic number of 7z", decodingReader(SevenZip)},
		{Rar, ofMembers, beginsWith(rarMagic), "begins with the magic number of RAR", decodingReader(Rar)},
		{SQLite, ofStreams, beginsWith(sqlite.Magic), "begins with the header of an SQLite file", decodingReader(SQLite)},
		{Avro, ofStreams, beginsWith("Obj\x01"), "begins with the magic number of an Avro file", decodingReader(Avro)},
		{UTF32, ofStreams, isUTF32, "begins with the byte order mark of UTF-32", (*stream).readUTF32},
		{UTF16, ofStreams, isUTF16, "begins with the byte order mark of UTF-16", (*stream).readUTF16},
		{OTLPFrames, ofRecords, protoFrame, "begins with a length and a message of logs", (*stream).protoFrames},
		{OTLPProto, ofRecords, protoLogs, "begins as a message of logs", (*stream).readMessage},
		{DockerLocal, ofRecords, isLocal, "begins with the length of a record, and the name of an output",
			(*stream).readDockerLocal},
		{HTTPRequests, ofStreams, isRequest, "begins with the request line of a POST", (*stream).readRequests},
		{CRI, ofRecords, isCRI, "lines begin as a container's log does", (*stream).readCRI},
		{RuntimeLines, ofRecords, isPrefixed, "lines have a record of a shipper behind a prefix", (*stream).readPrefixed},
		{JournalExport, ofRecords, isJournalExport, "begins with a field of an entry of a systemd journal",
			(*stream).journalExport},
		{CSV, ofRecords, isCSV, "begins with the names of columns", (*stream).readCSV},
	}...)
}

// decodingReader makes a reader of a format that a library decodes.
func decodingReader(f Format) func(*stream) error {
	return func(s *stream) error { return s.decodeForeign(f) }
}

// signOf returns the sign of a format, nil if its streams are not known by their beginnings.
func signOf(f Format) *sign {
	if i := slices.IndexFunc(signs, func(s sign) bool { return s.of == f }); i >= 0 {
		return &signs[i]
	}
	return nil
}

// findSign returns the sign that b begins with, of the formats that hold least or a later one
// of [contents]; nil if there is none.
func findSign(b []byte, least contents) *sign {
	i := slices.IndexFunc(signs, func(s sign) bool { return len(b) > 0 && s.holds >= least && s.in(b) })
	if i < 0 {
		return nil
	}
	return &signs[i]
}

func beginsWith[T string | []byte](magic T) func([]byte) bool {
	m := []byte(magic)
	return func(b []byte) bool { return bytes.HasPrefix(b, m) }
}

// sniffFormat recognises the format of a stream by its beginning, and returns the reason. textual is
// for all formats of JSON values: these are recognised value by value. It returns "" and the
// reason if the stream is none of all.
func sniffFormat(b []byte) (Format, string) {
	if len(b) == 0 {
		return "", "the stream is empty"
	}
	if s := findSign(b, ofRecords); s != nil {
		return s.of, s.why
	}
	if s := strangerOf(b); s != nil {
		return "", s.what
	}
	if isText(b) {
		return textual, "holds JSON values"
	}
	return "", beginningOf(b)
}

// blankLines reports whether nothing but blank lines is in front of a JSON object
// or array. As a message of logs, the first brace or bracket would be a length
// that is greater than those around it.
func blankLines(b []byte) bool {
	t := bytes.TrimLeft(b, " \t\r\n")
	return len(t) > 0 && bytes.ContainsAny(t[:1], "{[")
}

// isText reports whether there seem to be JSON values: at the beginning, or
// after a line that was torn.
func isText(b []byte) bool {
	t := bytes.TrimLeft(bytes.TrimPrefix(b, bom), " \t\r\n")
	return len(t) == 0 || isPrintable(b[:min(len(b), 4<<10)]) || bytes.ContainsAny(t[:1], `{["`) ||
		bytes.Contains(b, []byte("\n{\"")) || bytes.Contains(b, []byte("\n\"{"))
}

// isCSV reports whether b begins with a header of a table, and records that fit it.
func isCSV(b []byte) bool {
	_, ok := csvHeader(b, len(b) == sniffSize)
	return ok
}

// isSkippable reports whether b begins with a frame that readers of zstd and LZ4 pass.
func isSkippable(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && string(b[1:4]) == "\x2a\x4d\x18"
}

// zstdFrame reports whether b begins with a length and a zstd frame.
func zstdFrame(b []byte) bool {
	return len(b) >= 8 && bytes.HasPrefix(b[4:], zstdMagic) && binary.BigEndian.Uint32(b) > 8
}

// protoFrame reports whether b begins with a length and a message of logs. As text the
// length would be one of 150 MB and more.
func protoFrame(b []byte) bool {
	if len(b) < 6 || b[0] >= '\t' || b[4] != 0x0a {
		return false
	}
	size := uint64(binary.BigEndian.Uint32(b))
	first, n := protowire.ConsumeVarint(b[5:])
	if n < 0 || 1+uint64(n)+first > size {
		return false
	}
	return plausibleLogs(b[4:min(uint64(len(b)), 4+size)])
}

// protoLogs reports whether b begins with a message of logs, and is no text.
func protoLogs(b []byte) bool { return b[0] == 0x0a && !blankLines(b) && plausibleLogs(b) }

// plausibleLogs reports whether b, which may be cut off, begins with the field
// resource_logs and this with fields that it may have. Text that begins with a
// line feed, which is the same byte, does not.
func plausibleLogs(b []byte) bool {
	size, n := protowire.ConsumeVarint(b[1:])
	if n < 0 {
		return false
	}
	b = b[1+n:]
	if size == 0 {
		return len(b) == 0 || b[0] == 0x0a
	}
	inner := wire{b: b[:min(uint64(len(b)), size)]}
	for n := 0; n < maxLook && inner.nextField(); n++ {
		if inner.typ != protowire.BytesType || inner.num > 3 && inner.num != 1000 {
			return false
		}
		if inner.num <= 2 && !plausibleResource(inner.v) {
			return false
		}
	}
	return inner.bad < 0 && inner.i > 0
}

// maxLook is how many fields of a message are examined, so that searching for a message at
// every byte of a damaged file is fast.
const maxLook = 16

// plausibleResource looks into a Resource or a ScopeLogs.
func plausibleResource(b []byte) bool {
	w := wire{b: b}
	for n := 0; n < maxLook && w.nextField(); n++ {
		if w.num > 4 {
			return false
		}
	}
	return w.bad < 0
}

// isTar checks the header's checksum, since "ustar" alone can stand in a text.
func isTar(b []byte) bool {
	if len(b) < 512 || string(b[257:262]) != "ustar" {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(b[:512])).Next()
	return !errors.Is(err, tar.ErrHeader)
}

// tarStart is isTar for the beginning of a stream, where only the checksum shows a header of
// the oldest format, which has a name.
func tarStart(b []byte) bool {
	if isTar(b) || len(b) < headerSize || b[0] == 0 {
		return isTar(b)
	}
	_, err := tar.NewReader(bytes.NewReader(b[:headerSize])).Next()
	return !errors.Is(err, tar.ErrHeader)
}

func isUTF32(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff"))
}

func isUTF16(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff"))
}
