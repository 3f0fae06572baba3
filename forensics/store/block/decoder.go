package block

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
)

// Decoder reads the content of a frame. After a fault it reads nothing more, and all
// values are zero.
type Decoder struct {
	B     []byte
	At    int64 // bytes before B, in the file
	Fault *Damaged
}

// Fail notes a fault, unless there was one, and ends the reading.
func (r *Decoder) Fail(expected, found string) {
	if r.Fault == nil {
		r.Fault = &Damaged{Place: fmt.Sprintf("octet %d", r.At), Expected: expected, Found: found}
		r.B = nil
	}
}

// Check fails unless a condition holds.
func (r *Decoder) Check(ok bool, expected string) {
	if !ok {
		r.Fail(expected, "something else")
	}
}

// Take returns so many bytes, which must be there.
func (r *Decoder) Take(n int) []byte {
	b := r.B[:n:n]
	r.B, r.At = r.B[n:], r.At+int64(n)
	return b
}

// Uvarint reads a number in its shortest form.
func (r *Decoder) Uvarint() uint64 {
	v, n := binary.Uvarint(r.B)
	if n <= 0 || n > 1 && r.B[n-1] == 0 {
		r.Fail("a number in its shortest form", "something else")
		return 0
	}
	r.Take(n)
	return v
}

// Number reads a number from 0 to most.
func (r *Decoder) Number(most int64) int64 {
	v := r.Uvarint()
	if v > uint64(most) {
		r.Fail("a number of at most "+strconv.FormatInt(most, 10), strconv.FormatUint(v, 10))
		return 0
	}
	return int64(v)
}

// Octets reads bytes after their number, which is at most so many.
func (r *Decoder) Octets(most int) []byte {
	n := int(r.Number(int64(most)))
	if n > len(r.B) {
		r.Fail(fmt.Sprintf("%d octets", n), strconv.Itoa(len(r.B)))
		return nil
	}
	return r.Take(n)
}

// Text reads a text.
func (r *Decoder) Text() string { return string(r.Octets(MaxText)) }

// Fixed reads bytes into b.
func (r *Decoder) Fixed(b []byte) {
	if len(r.B) < len(b) {
		r.Fail(fmt.Sprintf("%d octets", len(b)), strconv.Itoa(len(r.B)))
		return
	}
	copy(b, r.Take(len(b)))
}

// Hash reads a hash.
func (r *Decoder) Hash() (h chain.Hash) {
	r.Fixed(h[:])
	return h
}

// Flag reads 0 or 1.
func (r *Decoder) Flag() bool { return r.Number(1) == 1 }

// Count reads how many values follow that take at least so many bytes each.
func (r *Decoder) Count(least int) int { return int(r.Number(int64(len(r.B) / least))) }

// AppendText appends a text with its length.
func AppendText[T ~string | ~[]byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// AppendInt appends a number that is not negative.
func AppendInt(b []byte, n int64) []byte { return binary.AppendUvarint(b, uint64(n)) }

// AppendFlag appends 0 or 1.
func AppendFlag(b []byte, f bool) []byte {
	if f {
		return append(b, 1)
	}
	return append(b, 0)
}
