package read

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
)

// ReadUnits is [Read], and reports every unit that was consumed.
func ReadUnits(ctx context.Context, r io.Reader, o Options, h Handler,
	units func(container string, from, to int64)) error {
	rd := newReader(ctx, r, o, h)
	rd.units = units
	return rd.readAs(o.Format)
}

// Looked reads, and returns how many bytes were looked at.
func Looked(ctx context.Context, r io.Reader, o Options, h Handler) (int64, error) {
	rd := newReader(ctx, r, o, h)
	err := rd.readAs(o.Format)
	return rd.looked, err
}

// Searched reads, and returns how many bytes were searched for events, some more than once.
func Searched(ctx context.Context, r io.Reader, o Options, h Handler) (int64, error) {
	rd := newReader(ctx, r, o, h)
	err := rd.readAs(o.Format)
	return rd.searched, err
}

// ReadInBlocks is [Read], and searches text in blocks of these sizes.
func ReadInBlocks(ctx context.Context, r io.Reader, o Options, h Handler, first, most int) error {
	rd := newReader(ctx, r, o, h)
	rd.blocks = blockSizes{first, most}
	return rd.readAs(o.Format)
}

// ReadInPieces is [Read] by several goroutines, of pieces of about a size. It returns how
// many bytes were read by others than the caller's.
func ReadInPieces(ctx context.Context, r io.Reader, o Options, h Handler, size int) (int64, error) {
	rd := newReader(ctx, r, o, h)
	rd.pieceSize = size
	err := rd.readAs(o.Format)
	return rd.aside, err
}

// IsFolder reports whether a member of a zip archive is a folder, which nothing
// is reported of.
func IsFolder(header []byte) bool {
	const fixed = 30
	if len(header) < fixed || !bytes.HasPrefix(header, []byte("PK\x03\x04")) {
		return false
	}
	name := header[fixed:min(len(header), fixed+int(binary.LittleEndian.Uint16(header[26:])))]
	return bytes.HasSuffix(name, []byte("/"))
}
