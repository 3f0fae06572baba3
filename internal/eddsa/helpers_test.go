package eddsa

import (
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"

	"github.com/svc-edge/svc-verify/internal/must"
)

// smallOrder are encodings of the points of order 1, 2, 4 and 8: first the
// eight canonical ones, then those with y not reduced or with the sign of an x
// that is zero, and some near misses that encode no point of small order.
var smallOrder = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",

	"0100000000000000000000000000000000000000000000000000000000000080",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",

	"f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
}

// order is l, the order of the base point, in little-endian bytes.
const order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(s))(t)
}

// torsion returns one of the eight points whose order divides 8.
func torsion(t testing.TB, i int) *edwards25519.Point {
	t.Helper()
	return must.Get(new(edwards25519.Point).SetBytes(unhex(t, smallOrder[i%8])))(t)
}

// scalar reduces any bytes to a scalar.
func scalar(b []byte) *edwards25519.Scalar {
	digest := sha512.Sum512(b)
	return must.Have(new(edwards25519.Scalar).SetUniformBytes(digest[:]))
}

// forger signs with a secret scalar, under a key and with commitments R that
// can have a component of small order. An honest signer has none.
type forger struct {
	secret *edwards25519.Scalar
	public [32]byte
}

func newForger(t testing.TB, seed []byte, component int) *forger {
	t.Helper()
	f := &forger{secret: scalar(seed)}
	point := new(edwards25519.Point).ScalarBaseMult(f.secret)
	f.public = [32]byte(point.Add(point, torsion(t, component)).Bytes())
	return f
}

func (f *forger) sign(t testing.TB, message []byte, component int) []byte {
	t.Helper()
	nonce := scalar(append(f.secret.Bytes(), message...))
	r := new(edwards25519.Point).ScalarBaseMult(nonce)
	signature := r.Add(r, torsion(t, component)).Bytes()
	k := scalar(append(append(append([]byte(nil), signature...), f.public[:]...), message...))
	return append(signature, k.MultiplyAdd(k, f.secret, nonce).Bytes()...)
}

// plusOrder returns the signature with S + l for S, which signifies the same
// multiple of the base point. It is still below 2^256.
func plusOrder(t testing.TB, signature []byte) []byte {
	t.Helper()
	sum := append([]byte(nil), signature...)
	carry := 0
	for i, b := range unhex(t, order) {
		carry += int(sum[32+i]) + int(b)
		sum[32+i] = byte(carry)
		carry >>= 8
	}
	return sum
}

// flip returns b with one bit turned over.
func flip(b []byte, bit int) []byte {
	b = append([]byte(nil), b...)
	b[bit/8] ^= 1 << (bit % 8)
	return b
}

// source is a reproducible source of random bytes and numbers.
func source(seed byte) *randomness {
	s := rand.NewChaCha8([32]byte{seed})
	return &randomness{s, rand.New(s)}
}

type randomness struct {
	stream *rand.ChaCha8
	*rand.Rand
}

func (r *randomness) bytes(n int) []byte {
	b := make([]byte, n)
	r.stream.Read(b) // never fails
	return b
}

// signed returns an honest key and n signatures under it, of 50-byte messages.
func signed(seed byte, n int) ([32]byte, []Item) {
	private := ed25519.NewKeyFromSeed(source(seed).bytes(ed25519.SeedSize))
	items := make([]Item, n)
	for i := range items {
		message := binary.LittleEndian.AppendUint64(make([]byte, 42), uint64(i))
		items[i] = Item{message, ed25519.Sign(private, message)}
	}
	return [32]byte(private.Public().(ed25519.PublicKey)), items
}

// tabled returns a Key that has its table already, so that no call is left to
// crypto/ed25519 for being small.
func tabled(public [32]byte) *Key {
	k := New(public)
	k.seen.Store(breakEven)
	if k.minus != nil {
		k.tablesFor(breakEven)
	}
	return k
}

// widened is tabled with the wide tables.
func widened(public [32]byte) *Key {
	k := New(public)
	k.seen.Store(wideEven)
	if k.minus != nil {
		k.tablesFor(wideEven) // the narrow ones come first
		k.tablesFor(wideEven)
	}
	return k
}

// agree checks that the tables alone, narrow and wide, without any confirmation,
// and a Key decide on every item as crypto/ed25519 does. It returns how many
// items hold.
func agree(t testing.TB, public [32]byte, items []Item) (held int) {
	t.Helper()
	if !testing.Short() { // a wide table for every key takes a while
		agreeWith(t, widened(public), items)
	}
	return agreeWith(t, tabled(public), items)
}

// agreeWith is agree with one Key.
func agreeWith(t testing.TB, k *Key, items []Item) (held int) {
	t.Helper()
	want := make([]bool, len(items))
	for i, item := range items {
		if want[i] = ed25519.Verify(k.public, item.Message, item.Signature); want[i] {
			held++
		}
	}
	alone, got := make([]bool, len(items)), make([]bool, len(items))
	if k.minus != nil {
		k.tables.Load().verifyItems(k.public, items, alone)
	}
	must.Do(t, k.Verify(items, got))
	for i, item := range items {
		if alone[i] != want[i] || got[i] != want[i] {
			t.Fatalf("key %x, message %x, signature %x: tables %t, Key %t, crypto/ed25519 %t",
				k.public, item.Message, item.Signature, alone[i], got[i], want[i])
		}
	}
	return held
}
