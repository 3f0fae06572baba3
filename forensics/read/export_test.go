package read

import (
	"context"
	"io"
)

// ReadTraced lets the tests in package read_test see every unit that was
// consumed.
func ReadTraced(ctx context.Context, r io.Reader, o Options, h Handler, trace func(container string, from, to int64)) error {
	return readTraced(ctx, r, o, h, func(container string, from, to int64) {
		if container != lookedAt {
			trace(container, from, to)
		}
	})
}

// Looked reads, and returns how many octets were looked at.
func Looked(ctx context.Context, r io.Reader, o Options, h Handler) (looked int64, err error) {
	err = readTraced(ctx, r, o, h, func(container string, _, to int64) {
		if container == lookedAt {
			looked = to
		}
	})
	return looked, err
}
