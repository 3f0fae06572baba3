package read

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/read/avrofile"
	"github.com/svc-edge/svc-verify/forensics/read/parquetfile"
	"github.com/svc-edge/svc-verify/forensics/read/sqlitefile"
)

// sniffSize is how much of a stream is looked at to tell what it holds. A log
// that begins with the torn rest of a line shows a whole line within it.
const sniffSize = 256 << 10

var (
	gzipMagic = []byte{0x1f, 0x8b, 8}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	bom       = []byte("\ufeff")
)

// sniff tells from its beginning what a stream holds, and why it thinks so.
// textual stands for all formats of JSON values: these are told apart value by
// value. It returns "" and the reason if the stream is none of all.
func sniff(b []byte) (Format, string) {
	switch {
	case len(b) == 0:
		return "", "the stream is empty"
	case bytes.HasPrefix(b, gzipMagic):
		return Gzip, "begins with 1f 8b 08"
	case zstdStart(b):
		return Zstd, "begins with the magic number of a zstd frame"
	case bzip2Start(b):
		return Bzip2, "begins with BZh and the mark of a block"
	case bytes.HasPrefix(b, xzMagic):
		return XZ, "begins with the magic number of xz"
	case zlibStart(b):
		return Zlib, "begins as zlib does, and its first octets decode"
	case lz4Start(b):
		return LZ4, "begins with the magic number of an LZ4 frame"
	case bytes.HasPrefix(b, snappyMagic):
		return Snappy, "begins with the chunk that begins snappy frames"
	case zstdFrame(b):
		return ZstdFrames, "begins with a length and the magic number of a zstd frame"
	case isTar(b):
		return Tar, "has a tar header with the right checksum"
	case zipStart(b):
		return Zip, "begins with a header of zip"
	case bytes.HasPrefix(b, sevenMagic):
		return SevenZip, "begins with the magic number of 7z"
	case cpioStart(b):
		return Cpio, "begins with a header of cpio"
	case bytes.HasPrefix(b, arMagic):
		return Ar, "begins with the magic number of ar"
	case bytes.HasPrefix(b, []byte(sqlitefile.Magic)):
		return SQLite, "begins with the header of an SQLite file"
	case bytes.HasPrefix(b, []byte(avrofile.Magic)):
		return Avro, "begins with the magic number of an Avro file"
	case bytes.HasPrefix(b, []byte(parquetfile.Magic)):
		return Parquet, "begins with the magic number of a Parquet file"
	case isUTF16(b):
		return UTF16, "begins with the byte order mark of UTF-16"
	case b[0] < '\t' && protoFrame(b): // as text it would be a length of 150 MB and more
		return OTLPFrames, "begins with a length and a message of logs"
	case b[0] == 0x0a && !blankLines(b) && plausibleLogs(b):
		return OTLPProto, "begins as a message of logs"
	case isLetters(b):
		return DeadLetters, "begins with a version and a record with the right checksum"
	case isLocal(b):
		return DockerLocal, "begins with the length of a record, and the name of an output"
	case isRequest(b):
		return HTTPRequests, "begins with the request line of a POST"
	case msgpackStart(b):
		return MessagePack, "begins as a collector keeps records"
	case bsonStart(b):
		return BSON, "begins with a document of BSON"
	case isCRI(b):
		return CRI, "lines begin as a container's log does"
	case isPrefixed(b):
		return RuntimeLines, "lines have a record of a shipper behind a prefix"
	case isJournalExport(b):
		return JournalExport, "begins with a field of an entry of a systemd journal"
	case b[0] == separator:
		return JSONSeq, "begins with the separator of a JSON text sequence"
	case isEvents(b):
		return JSONEvents, "begins with the data of a server-sent event"
	case isCSV(b):
		return CSV, "begins with the names of columns"
	}
	if s := strangerOf(b); s != nil {
		return "", s.what
	}
	if isText(b) {
		return textual, "holds JSON values"
	}
	return "", nameless(b)
}

// blankLines reports whether nothing but blank lines is in front of a JSON object
// or array. As a message of logs, the first brace or bracket would be a length
// that is greater than those around it.
func blankLines(b []byte) bool {
	t := bytes.TrimLeft(b, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// isText reports whether there seem to be JSON values: at the beginning, or
// after a line that was torn.
func isText(b []byte) bool {
	t := bytes.TrimLeft(bytes.TrimPrefix(b, bom), " \t\r\n")
	return len(t) == 0 || isPrintable(b[:min(len(b), 4<<10)]) || bytes.IndexByte([]byte(`{["`), t[0]) >= 0 ||
		bytes.Contains(b, []byte("\n{\"")) || bytes.Contains(b, []byte("\n\"{"))
}

// isCSV reports whether b begins with a header of a table, and records that fit it.
func isCSV(b []byte) bool {
	_, ok := csvHeader(b, len(b) == sniffSize)
	return ok
}

// zstdStart reports whether b begins with a zstd frame or a skippable one.
func zstdStart(b []byte) bool {
	return bytes.HasPrefix(b, zstdMagic) || skippable(b)
}

// skippable reports whether b begins with a frame that readers of zstd and LZ4 pass.
func skippable(b []byte) bool {
	return len(b) >= 4 && b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18
}

// zstdFrame reports whether b begins with a length and a zstd frame.
func zstdFrame(b []byte) bool {
	return len(b) >= 8 && bytes.Equal(b[4:8], zstdMagic) && binary.BigEndian.Uint32(b) > 8
}

// protoFrame reports whether b begins with a length and a message of logs.
func protoFrame(b []byte) bool {
	if len(b) < 6 || b[4] != 0x0a {
		return false
	}
	size := uint64(binary.BigEndian.Uint32(b))
	first, n := protowire.ConsumeVarint(b[5:])
	if n < 0 || 1+uint64(n)+first > size {
		return false
	}
	return plausibleLogs(b[4:min(uint64(len(b)), 4+size)])
}

// plausibleLogs reports whether b, which may be cut off, begins with the field
// resource_logs and this with fields that it may have. Text that begins with a
// line feed, which is the same octet, does not.
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
	for n := 0; n < maxLook && inner.next(); n++ {
		if inner.typ != protowire.BytesType || inner.num > 3 && inner.num != 1000 {
			return false
		}
		if inner.num <= 2 && !plausibleResource(inner.v) {
			return false
		}
	}
	return inner.bad < 0 && inner.i > 0
}

// maxLook is how many fields of a message are looked at, so that looking for a
// message at every octet of a damaged file takes little time.
const maxLook = 16

// plausibleResource looks into a Resource or a ScopeLogs.
func plausibleResource(b []byte) bool {
	w := wire{b: b}
	for n := 0; n < maxLook && w.next(); n++ {
		if w.num > 4 {
			return false
		}
	}
	return w.bad < 0
}

// isTar checks the header's checksum, since "ustar" alone can stand in a text.
func isTar(b []byte) bool {
	if len(b) < 512 || !bytes.Equal(b[257:262], []byte("ustar")) {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(b[:512])).Next()
	return !errors.Is(err, tar.ErrHeader)
}

func isUTF16(b []byte) bool {
	return len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
}
