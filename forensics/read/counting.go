package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash"
	"io"
)

// counting counts what is read of an input, and ends nowhere but at its end:
// what is asked for is missing otherwise.
type counting struct {
	in  *input
	n   int64
	sum hash.Hash32 // of what is taken, if it is set
}

// Read implements io.Reader.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (c *counting) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// take returns the next n octets. They are valid until the input is read further.
func (c *counting) take(n int) ([]byte, error) {
	b := c.in.peek(n)
	c.in.skip(len(b))
	c.n += int64(len(b))
	if c.sum != nil {
		c.sum.Write(b)
	}
	if len(b) < n {
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}

// zeros takes n octets, which fill a place.
func (c *counting) zeros(n int) error {
	b, err := c.take(n)
	if err == nil && len(bytes.Trim(b, "\x00")) > 0 {
		err = errors.New("something is where zeros should be")
	}
	return err
}

// number takes a number of 7 bits in each octet.
func (c *counting) number() (uint64, error) {
	v, n := binary.Uvarint(c.in.peek(binary.MaxVarintLen64))
	if n <= 0 {
		if len(c.in.peek(binary.MaxVarintLen64)) < binary.MaxVarintLen64 {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, errors.New("a number is too long")
	}
	_, err := c.take(n)
	return v, err
}

// fields are numbers of 7 bits in each octet, one after the other.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 || v > 1<<62 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[n:]
	return v
}
