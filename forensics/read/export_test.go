package read

import (
	"context"
	"io"
)

// ReadUnits is [Read], and tells of every unit that was consumed.
func ReadUnits(ctx context.Context, r io.Reader, o Options, h Handler,
	units func(container string, from, to int64)) error {
	rd := newReader(ctx, r, o, h)
	rd.units = units
	return rd.read(o.Format)
}

// Looked reads, and returns how many octets were looked at.
func Looked(ctx context.Context, r io.Reader, o Options, h Handler) (int64, error) {
	rd := newReader(ctx, r, o, h)
	err := rd.read(o.Format)
	return rd.looked, err
}

// ReadInBlocks is [Read], and searches text in blocks of these sizes.
func ReadInBlocks(ctx context.Context, r io.Reader, o Options, h Handler, first, most int) error {
	rd := newReader(ctx, r, o, h)
	rd.blocks = blockSizes{first, most}
	return rd.read(o.Format)
}

// IsCpioFolder reports whether a member of a cpio archive is a folder, which nothing is
// reported of.
func IsCpioFolder(header []byte) bool {
	h, ok := cpioHead(header)
	return ok && h.kind() == isAside
}
