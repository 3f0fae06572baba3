package read

import (
	"bytes"
	"io"
)

// The window of an input starts with firstWindow bytes and grows with the examined unit; above
// keepWindow it is given back when it is empty.
const (
	firstWindow = 64 << 10
	keepWindow  = 4 << 20
	leastRead   = 512 // room for each read, so that none is tiny
)

// input is a stream with a window on the next bytes. Slices of the window are valid until the
// input is read further.
type input struct {
	r        io.Reader
	buf      []byte
	pos, end int   // the window is buf[pos:end]
	offset   int64 // of buf[pos] in the stream
	asked    int64 // where a line was requested
	clean    int64 // no line feed is between there and here
	err      error // why the stream ended; io.EOF at its end
	short    bool  // more was requested than there is, behind bytes that are not consumed
	enough   int   // the window is not doubled beyond this: a unit of the largest size, and its continuation
}

// newInput is an input whose units of up to so many bytes are examined.
func newInput(r io.Reader, unit int) *input {
	return &input{r: r, buf: make([]byte, firstWindow), enough: unit + firstWindow}
}

// borrowInput makes an input, if possible out of one that was given back.
func (r *reader) borrowInput(from io.Reader, offset int64) *input {
	if n := len(r.free); n > 0 {
		in := r.free[n-1]
		r.free = r.free[:n-1]
		*in = input{r: from, buf: in.buf, offset: offset, enough: in.enough}
		return in
	}
	in := newInput(from, r.limits.Unit)
	in.offset = offset
	return in
}

func (r *reader) giveBack(in *input) {
	if len(in.buf) <= keepWindow && len(r.free) < 16 {
		in.r = nil
		r.free = append(r.free, in)
	}
}

func (in *input) window() []byte { return in.buf[in.pos:in.end] }

// fillWindow reads more into the window. It returns false at the end of the stream.
func (in *input) fillWindow() bool {
	if in.err != nil {
		in.short = in.short || in.pos < in.end
		return false
	}
	if len(in.buf)-in.end < leastRead {
		in.makeRoom()
	}
	for range 100 {
		n, err := in.r.Read(in.buf[in.end:])
		in.end += n
		in.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	in.err = io.ErrNoProgress
	return false
}

func (in *input) makeRoom() {
	size := in.end - in.pos
	switch {
	case size == 0 && len(in.buf) > keepWindow:
		in.buf = make([]byte, firstWindow)
	case size > len(in.buf)/2:
		wanted := 2 * len(in.buf)
		if len(in.buf) < in.enough {
			wanted = min(wanted, in.enough)
		}
		larger := make([]byte, wanted)
		copy(larger, in.window())
		in.buf = larger
	default:
		copy(in.buf, in.window())
	}
	in.pos, in.end = 0, size
}

// peekBytes returns the next n bytes, or fewer if the stream ends before.
func (in *input) peekBytes(n int) []byte {
	for in.end-in.pos < n && in.fillWindow() {
	}
	return in.buf[in.pos:min(in.end, in.pos+n)]
}

// peekLine returns the bytes after the first n of the window, up to and with the next line
// feed, or up to the end of the stream. It returns false if that would make more than limit
// bytes altogether. A repeated call, also after consuming a part of the line, costs nothing.
func (in *input) peekLine(n, limit int) ([]byte, bool) {
	from := n
	if asked := in.offset + int64(n); asked >= in.asked && asked <= in.clean {
		from = int(in.clean - in.offset)
	} else {
		in.asked = asked
	}
	for {
		w := in.window()
		i := bytes.IndexByte(w[min(from, len(w)):], '\n')
		if i >= 0 {
			in.clean = in.offset + int64(from+i)
			return w[n : from+i+1], from+i < limit
		}
		from = len(w)
		in.clean = in.offset + int64(from)
		if from > limit {
			return nil, false
		}
		if !in.fillWindow() {
			return in.window()[n:], true
		}
	}
}

// peekUntil is peekLine for another separator, and without its memory: it returns the bytes
// after the first n of the window, up to and with the next separator.
func (in *input) peekUntil(n int, separator byte, limit int) ([]byte, bool) {
	for from := n; ; {
		w := in.window()
		if i := bytes.IndexByte(w[min(from, len(w)):], separator); i >= 0 {
			return w[n : from+i+1], from+i < limit
		}
		if from = len(w); from > limit {
			return nil, false
		}
		if !in.fillWindow() {
			return in.window()[min(n, from):], true
		}
	}
}

// skipBytes consumes n bytes of the window.
func (in *input) skipBytes(n int) {
	in.pos += n
	in.offset += int64(n)
}

// putBack puts bytes that were consumed back in front of the window.
func (in *input) putBack(octets []byte) {
	if len(octets) == 0 {
		return
	}
	in.buf = append(octets, in.window()...)
	in.pos, in.end = 0, len(in.buf)
	in.offset -= int64(len(octets))
	in.asked, in.clean = 0, 0
}

// unreadBytes gives back the last n bytes that were consumed, if nothing was looked at since.
func (in *input) unreadBytes(n int) {
	n = min(n, in.pos)
	in.pos -= n
	in.offset -= int64(n)
}

// dropWindow consumes the window, and fills it if it was empty. It returns false at
// the end of the stream.
func (in *input) dropWindow() bool {
	if in.pos == in.end && !in.fillWindow() {
		return false
	}
	in.skipBytes(in.end - in.pos)
	return true
}

// discardBytes consumes up to n bytes and returns how many there were.
func (in *input) discardBytes(n int64) int64 {
	left := n
	for left > 0 && (in.pos < in.end || in.fillWindow()) {
		step := int(min(left, int64(in.end-in.pos)))
		in.skipBytes(step)
		left -= int64(step)
	}
	return n - left
}

// Read and ReadByte make the input a reader for decompressors, which then consume exactly the
// bytes of their data.
func (in *input) Read(p []byte) (int, error) {
	if in.pos == in.end && !in.fillWindow() {
		return 0, in.err
	}
	n := copy(p, in.window())
	in.skipBytes(n)
	return n, nil
}

// ReadByte consumes one byte.
func (in *input) ReadByte() (byte, error) {
	if in.pos == in.end && !in.fillWindow() {
		return 0, in.err
	}
	c := in.buf[in.pos]
	in.skipBytes(1)
	return c, nil
}
