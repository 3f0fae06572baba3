package index

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestRecords: a record comes back as it was, and forms are in the order of records.
func TestRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRecord(t)
		form := appendRecord(nil, a)
		got := readRecord(form)
		check.That(t, got == a && len(form) == recordSize, "%+v came back as %+v, from %d bytes", a, got, len(form))
		b := drawRecord(t)
		want := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.entry, b.entry), cmp.Compare(a.value, b.value))
		check.Equal(t, bytes.Compare(form, appendRecord(nil, b)), want, "%+v and %+v: order", a, b)
	})
}

func drawRecord(t *rapid.T) record {
	return record{
		key:   rapid.OneOf(rapid.Uint64Max(1), rapid.Uint64()).Draw(t, "key"),
		value: rapid.Uint64Max(1<<valueBits-1).Draw(t, "value"),
		entry: rapid.OneOf(rapid.Uint32Max(1), rapid.Uint32()).Draw(t, "entry"),
	}
}

// TestKeyedHash compares the hash with CBC from the library.
func TestKeyedHash(t *testing.T) {
	k := newKeyed()
	rapid.Check(t, func(t *rapid.T) {
		domain := rapid.ByteMax(kinds-1).Draw(t, "domain")
		message := rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "message")
		plain := make([]byte, aes.BlockSize)
		plain[0] = domain
		binary.BigEndian.PutUint64(plain[8:], uint64(len(message)))
		plain = append(plain, message...)
		plain = append(plain, bytes.Repeat([]byte{0}, -len(plain)&(aes.BlockSize-1))...)
		cbc := cipher.NewCBCEncrypter(k.cipher, make([]byte, aes.BlockSize)) // #nosec G407 -- a MAC begins with zeros
		cbc.CryptBlocks(plain, plain)
		want := binary.BigEndian.Uint64(plain[len(plain)-aes.BlockSize:])
		got := k.sum(domain, message)
		check.That(t, got == want, "%x, want %x", got, want)
	})
	check.That(t, newKeyed().sum(1, []byte("a")) != k.sum(1, []byte("a")), "two runs have one secret")
}

// TestChangedFile: facts that are read again as other ones are an error, or the answer is right because
// they were not needed. The file of the claims is tested in package spool.
func TestChangedFile(t *testing.T) {
	set := many(20)
	set[7].Way = []contradiction.Event{{Sequence: set[6].Way[5].Sequence, Hash: hashOf("fork")}}
	set[7].Issuance = set[7].Way[0].Sequence
	set[19].Serial = set[3].Serial
	failed := 0
	for at := range set {
		x := small(t.TempDir())
		add(t, x, set...)
		x.bundles[at].sum++
		_, err := x.Settle(t.Context())
		n := 0
		for _, e := range x.Contradictions(t.Context()) {
			if n++; e != nil {
				n, err, failed = n-1, e, failed+1
			}
		}
		check.That(t, (err == nil || errors.Is(err, errChanged)) && (err != nil || n == 4),
			"%d contradictions, error %v", n, err)
		check.Do(t, x.Close())
	}
	check.Equal(t, failed, 4, "bundles whose facts are needed")
}
