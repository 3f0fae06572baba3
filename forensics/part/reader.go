package part

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
)

// reader reads the content of a frame. After a fault it reads nothing more, and all
// values are zero.
type reader struct {
	b     []byte
	at    int64 // octets before b, in the file
	fault *Damaged
}

func (r *reader) fail(expected, found string) {
	if r.fault == nil {
		r.fault = &Damaged{Place: fmt.Sprintf("octet %d", r.at), Expected: expected, Found: found}
		r.b = nil
	}
}

// check fails unless a condition holds.
func (r *reader) check(ok bool, expected string) {
	if !ok {
		r.fail(expected, "something else")
	}
}

func (r *reader) take(n int) []byte {
	b := r.b[:n:n]
	r.b, r.at = r.b[n:], r.at+int64(n)
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || n > 1 && r.b[n-1] == 0 {
		r.fail("a number in its shortest form", "something else")
		return 0
	}
	r.take(n)
	return v
}

// number reads a number from 0 to most.
func (r *reader) number(most int64) int64 {
	v := r.uvarint()
	if v > uint64(most) {
		r.fail("a number of at most "+strconv.FormatInt(most, 10), strconv.FormatUint(v, 10))
		return 0
	}
	return int64(v)
}

func (r *reader) octets(most int) []byte {
	n := int(r.number(int64(most)))
	if n > len(r.b) {
		r.fail(fmt.Sprintf("%d octets", n), strconv.Itoa(len(r.b)))
		return nil
	}
	return r.take(n)
}

func (r *reader) text() string { return string(r.octets(maxText)) }

// fixed reads octets into b.
func (r *reader) fixed(b []byte) {
	if len(r.b) < len(b) {
		r.fail(fmt.Sprintf("%d octets", len(b)), strconv.Itoa(len(r.b)))
		return
	}
	copy(b, r.take(len(b)))
}

func (r *reader) hash() (h chain.Hash) {
	r.fixed(h[:])
	return h
}

func (r *reader) flag() bool { return r.number(1) == 1 }

// count reads how many values follow that take at least so many octets each.
func (r *reader) count(least int) int { return int(r.number(int64(len(r.b) / least))) }

func appendText[T ~string | ~[]byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendInt(b []byte, n int64) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendFlag(b []byte, f bool) []byte {
	if f {
		return append(b, 1)
	}
	return append(b, 0)
}
