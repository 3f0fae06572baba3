package read

import "io"

// parts is a piece of a stream that is handed on in parts of known sizes. Nothing behind
// it is consumed. A stream that ends within it is cut.
type parts struct {
	in   *input
	left int64        // bytes of the part that is handed on
	next func() error // finds the next part, or returns io.EOF; nil if there is none
}

// noMore is next of data that has no further part.
func noMore() error { return io.EOF }

// readyPart goes to a part that is not empty, or returns the error that ends the piece.
func (p *parts) readyPart() error {
	for p.left == 0 {
		if p.next == nil {
			return io.ErrUnexpectedEOF
		}
		if err := p.next(); err != nil {
			return err
		}
	}
	return nil
}

// Read implements io.Reader.
func (p *parts) Read(b []byte) (int, error) {
	if err := p.readyPart(); err != nil {
		return 0, err
	}
	n, err := p.in.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	return n, cutOff(err)
}

// ReadByte implements io.ByteReader, so that decoders take no more than they need.
func (p *parts) ReadByte() (byte, error) {
	if err := p.readyPart(); err != nil {
		return 0, err
	}
	c, err := p.in.ReadByte()
	if err == nil {
		p.left--
	}
	return c, cutOff(err)
}

// cutOff turns an end that comes too early into an error.
func cutOff(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
