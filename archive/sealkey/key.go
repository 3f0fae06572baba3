package sealkey

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"filippo.io/mldsa"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// SeedSize is the size of either seed.
const SeedSize = 32

// The sizes of public keys and signatures in bytes.
const (
	Ed25519KeySize       = ed25519.PublicKeySize
	Ed25519SignatureSize = ed25519.SignatureSize
	MLDSAKeySize         = mldsa.MLDSA65PublicKeySize
	MLDSASignatureSize   = mldsa.MLDSA65SignatureSize
)

// domain is the type of the signed bytes, and the context of ML-DSA (SPEC 16.2).
const domain = "svc.hybrid-signature.v1+Ed25519+ML-DSA-65"

// Digest is a SHA-512.
type Digest [sha512.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ID names a pair of keys by the digests of both public keys.
type ID struct{ Ed25519, MLDSA65 Digest }

// Fingerprint returns the first 128 bits of the SHA-512 of both digests, in eight
// groups of four hexadecimal digits, for two people to compare. It decides nothing.
func (id ID) Fingerprint() string {
	sum := sha512.Sum512(append(id.Ed25519[:], id.MLDSA65[:]...))
	groups := make([]string, 8)
	for i := range groups {
		groups[i] = hex.EncodeToString(sum[2*i : 2*i+2])
	}
	return strings.Join(groups, " ")
}

// Public is a pair of public keys. It must come from [NewPublic] or a [Key].
type Public struct {
	ed25519 ed25519.PublicKey
	mldsa   *mldsa.PublicKey
}

// NewPublic makes a pair of public keys from their bytes. It returns an error if one is no
// public key, or weak.
func NewPublic(ed, ml []byte) (Public, error) {
	if len(ed) != Ed25519KeySize {
		return Public{}, fmt.Errorf("an Ed25519 public key has %d octets, not %d", Ed25519KeySize, len(ed))
	}
	if w := eddsa.Weakness([Ed25519KeySize]byte(ed)); w != "" {
		return Public{}, errors.New("expected a canonical Ed25519 public key of large order, found " + w)
	}
	key, err := mldsa.NewPublicKey(mldsa.MLDSA65(), ml)
	if err != nil {
		return Public{}, err
	}
	return Public{ed25519: append(ed25519.PublicKey(nil), ed...), mldsa: key}, nil
}

// Ed25519 returns the bytes of the Ed25519 key.
func (p Public) Ed25519() []byte { return append([]byte(nil), p.ed25519...) }

// MLDSA65 returns the bytes of the ML-DSA-65 key (FIPS 204, pkEncode).
func (p Public) MLDSA65() []byte { return p.mldsa.Bytes() }

// ID returns the digests of both.
func (p Public) ID() ID { return ID{sha512.Sum512(p.ed25519), sha512.Sum512(p.mldsa.Bytes())} }

// Signatures are both signatures of one statement.
type Signatures struct{ Ed25519, MLDSA65 []byte }

// The errors of signatures that do not hold.
var (
	ErrEd25519 = errors.New("the Ed25519 signature does not hold")
	ErrMLDSA65 = errors.New("the ML-DSA-65 signature does not hold")
)

// Verify returns an error unless both keys signed a payload for a protocol. The
// error is ErrEd25519, ErrMLDSA65, or both joined.
func (p Public) Verify(protocol string, payload []byte, s Signatures) error {
	message := Message(p.ID(), protocol, payload)
	var classical, quantum error
	if !ed25519.Verify(p.ed25519, message, s.Ed25519) {
		classical = ErrEd25519
	}
	if mldsa.Verify(p.mldsa, message, s.MLDSA65, &mldsa.Options{Context: domain}) != nil {
		quantum = ErrMLDSA65
	}
	return errors.Join(classical, quantum)
}

// Message returns the bytes that both keys sign: the payload under its protocol, after the
// digests of both keys, under the name of both algorithms (SPEC 16.2).
func Message(id ID, protocol string, payload []byte) []byte {
	inner := trust.PAE(protocol, payload)
	body := make([]byte, 0, 2*sha512.Size+len(inner))
	body = append(append(body, id.Ed25519[:]...), id.MLDSA65[:]...)
	return trust.PAE(domain, append(body, inner...))
}

// Key is a pair of private keys of a named owner. It must come from [Generate],
// [FromSeeds] or [Load].
type Key struct {
	name    string
	ed25519 ed25519.PrivateKey
	mldsa   *mldsa.PrivateKey
}

// Generate makes a new key. Its name is an identifier (SPEC 1.5), or "" for one
// after its digests.
func Generate(name string) (*Key, error) {
	var ed, ml [SeedSize]byte
	rand.Read(ed[:]) // never fails
	rand.Read(ml[:])
	return FromSeeds(name, ed, ml)
}

// FromSeeds makes the key of two seeds.
func FromSeeds(name string, ed, ml [SeedSize]byte) (*Key, error) {
	quantum, err := mldsa.NewPrivateKey(mldsa.MLDSA65(), ml[:])
	if err != nil {
		return nil, err
	}
	k := &Key{name: name, ed25519: ed25519.NewKeyFromSeed(ed[:]), mldsa: quantum}
	if name == "" {
		k.name = "seal-" + strings.ReplaceAll(k.Public().ID().Fingerprint()[:19], " ", "")
	}
	if !form.Identifier(k.name) {
		return nil, errors.New("a key's name is 1 to 128 of A-Z a-z 0-9 . _ : @ / -")
	}
	return k, nil
}

// Name returns the name of the owner.
func (k *Key) Name() string { return k.name }

// Public returns the public keys.
func (k *Key) Public() Public {
	return Public{ed25519: k.ed25519.Public().(ed25519.PublicKey), mldsa: k.mldsa.PublicKey()}
}

// Sign returns both signatures of a payload for a protocol. The same payload gives
// the same signatures.
func (k *Key) Sign(protocol string, payload []byte) (Signatures, error) {
	message := Message(k.Public().ID(), protocol, payload)
	quantum, err := k.mldsa.SignDeterministic(message, &mldsa.Options{Context: domain})
	if err != nil {
		return Signatures{}, err
	}
	return Signatures{ed25519.Sign(k.ed25519, message), quantum}, nil
}

// DescribeMembers describes the member signer of a statement.
func (id *ID) DescribeMembers(m *codec.Members) {
	codec.Hash512(m, "ed25519", &id.Ed25519)
	codec.Hash512(m, "ml_dsa_65", &id.MLDSA65)
}

func (s *Signatures) describeMembers(m *codec.Members) {
	m.Bytes("ed25519", &s.Ed25519, Ed25519SignatureSize)
	m.Bytes("ml_dsa_65", &s.MLDSA65, MLDSASignatureSize)
}

// Envelope is a statement with both signatures (SPEC 16.3), not verified.
type Envelope struct {
	Statement  *ijson.Value // nil if the document has none
	Signer     ID           // that its member signer names
	Signatures Signatures
	Pointer    string // the place of the envelope in its document
}

// Describe describes the members of a statement, with its signer.
type Describe func(m *codec.Members, signer *ID)

// Wrap signs a statement for a protocol, and returns the canonical document of the
// envelope.
func (k *Key) Wrap(protocol string, describe Describe) ([]byte, error) {
	statement, id := codec.WriteMembers(nil), k.Public().ID()
	describe(&statement, &id)
	payload := statement.End()
	s, err := k.Sign(protocol, payload)
	if err != nil {
		return nil, err
	}
	m := codec.WriteMembers(nil)
	m.Inner("signatures", s.describeMembers)
	m.Next("statement", false)
	m.WriteRaw(payload)
	return m.End(), nil
}

// ReadEnvelope reads an envelope with its statement.
func ReadEnvelope(r *form.Reader, v *ijson.Value, describe Describe) (e Envelope) {
	codec.ReadMembers(r, v, func(m *codec.Members) {
		m.Inner("signatures", e.Signatures.describeMembers)
		e.Statement = m.Inner("statement", func(m *codec.Members) { describe(m, &e.Signer) })
	})
	if v != nil {
		e.Pointer = v.Pointer()
	}
	return e
}
