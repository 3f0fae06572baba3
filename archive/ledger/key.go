package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// code authenticates a row.
type code = [sha256.Size]byte

// keys are derived from a user's secret.
type keys struct {
	id    [16]byte // distinguishes keys, and reveals nothing of them
	rows  *guard.Coder
	adder *guard.Coder // makes the summands of rows
	state *guard.Coder
}

func newKeys(secret [guard.KeySize]byte) (*keys, error) {
	k := &keys{}
	var errs []error
	derive := func(label string) *guard.Coder {
		key, err := guard.Derive(secret, "svc-verify ledger: "+label)
		errs = append(errs, err)
		return guard.NewCoder(key)
	}
	k.rows, k.adder, k.state = derive("rows"), derive("sum"), derive("state")
	id := derive("id").Code("key id")
	copy(k.id[:], id[:])
	return k, errors.Join(errs...)
}

func (k *keys) object(path, entry []byte) code { return k.rows.Code("object", path, entry) }

func (k *keys) name(name int64, value []byte) code { return k.rows.Code("name", number(name), value) }

func (k *keys) run(n int64, record []byte) code { return k.rows.Code("run", number(n), record) }

func (k *keys) change(run int64, path []byte, nth int64, line []byte) code {
	return k.rows.Code("change", number(run), path, number(nth), line)
}

func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// sum is the sum of the summands of rows, modulo 2^256. It is never written down: with many
// sums, an attacker could look for other rows with the same sum.
type sum [4]uint64

// add adds the row with a code. Its summand is a secret too.
func (s *sum) add(k *keys, row code) {
	summand, carry := k.summand(row), uint64(0)
	for i := range s {
		s[i], carry = bits.Add64(s[i], summand[i], carry)
	}
}

// remove removes the row with a code from the sum.
func (s *sum) remove(k *keys, row code) {
	summand, borrow := k.summand(row), uint64(0)
	for i := range s {
		s[i], borrow = bits.Sub64(s[i], summand[i], borrow)
	}
}

func (k *keys) summand(row code) (n sum) {
	b := k.adder.Code("row", row[:])
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return n
}

// bytes returns the bytes of the sum.
func (s *sum) bytes() []byte {
	var b []byte
	for _, word := range s {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}
