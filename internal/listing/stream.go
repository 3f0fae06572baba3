package listing

import (
	"context"
	"io"
)

// cancellable ends with a context.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

// Cancellable returns a reader that ends with the context's error.
func Cancellable(ctx context.Context, r io.Reader) io.Reader { return &cancellable{ctx, r} }

// Read implements io.Reader.
func (c *cancellable) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// Unblocked returns a reader that ends with the context. A read from a terminal or a
// pipe cannot be called off: one that still waits at the end is left behind.
func Unblocked(ctx context.Context, from io.Reader) (r io.Reader, end func()) {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, from)
		in.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out, func() {
		stop()
		_ = out.Close() // of a pipe, which cannot fail
	}
}
