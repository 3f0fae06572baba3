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
