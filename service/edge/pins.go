package edge

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// maxPins is how many keys of one node a file may pin.
const maxPins = 16

// Pins are the public keys that a node may have, collected independently: whole
// keys, the digest of the one key of the connection, or both. Then both must
// hold.
type Pins struct {
	spkis  map[[sha256.Size]byte]bool // of the file; nil without one
	keys   []trust.PublicKey          // those of the file that are Ed25519
	digest *[sha256.Size]byte         // nil if none was given
}

// ReadPins reads the pins: a file of 1 to 16 PEM blocks PUBLIC KEY with nothing
// but white space around them, and a SHA-256 of a SubjectPublicKeyInfo in 64
// lower-case hexadecimal digits. Either may be "", not both.
func ReadPins(file, digest string) (*Pins, error) {
	p := &Pins{}
	if digest != "" {
		d, ok := form.Digest(digest)
		if !ok {
			return nil, fmt.Errorf("expected the SHA-256 of a key in 64 lower-case hexadecimal digits, found %s",
				safetext.Quote(digest))
		}
		p.digest = &d
	}
	if file == "" {
		if p.digest == nil {
			return nil, errors.New("expected a pinned key of the node, found none")
		}
		return p, nil
	}
	blocks, err := readBlocks(file, "PUBLIC KEY", maxPins)
	if err != nil {
		return nil, err
	}
	p.spkis = map[[sha256.Size]byte]bool{}
	for _, block := range blocks {
		if err := p.add(block); err != nil {
			return nil, fmt.Errorf("%s: %w", safetext.Quote(file), err)
		}
	}
	return p, nil
}

// add pins the key of a SubjectPublicKeyInfo.
func (p *Pins) add(spki []byte) error {
	public, err := x509.ParsePKIXPublicKey(spki)
	if err != nil {
		return fmt.Errorf("expected a public key as a SubjectPublicKeyInfo, found %d bytes that are none", len(spki))
	}
	sum := sha256.Sum256(spki)
	if p.spkis[sum] {
		return errors.New("expected each key once, found one twice")
	}
	p.spkis[sum] = true
	if raw, ok := public.(ed25519.PublicKey); ok {
		p.keys = append(p.keys, trust.PublicKey(raw))
	}
	return nil
}

// admit checks the certificate of a connection against the pins.
func (p *Pins) admit(leaf *x509.Certificate) error {
	found := sha256.Sum256(leaf.RawSubjectPublicKeyInfo)
	byFile := p.spkis == nil || p.spkis[found]
	byDigest := p.digest == nil || *p.digest == found
	if byFile && byDigest {
		return nil
	}
	return &PinError{found}
}

// PinError says that a node answered with another key than a pinned one. The
// authority vouched for it, so either the node has a new key, or another can
// speak in its name.
type PinError struct {
	Found [sha256.Size]byte // the SHA-256 of its SubjectPublicKeyInfo
}

// Error says which key was found.
func (e *PinError) Error() string {
	return "the node's key is not the pinned one: found one with SHA-256 " + form.EncodeHex(e.Found[:])
}

// signing returns the pinned keys that can sign events. A digest alone names
// the key of the connection, which was checked against it.
func (p *Pins) signing(leaf *x509.Certificate) ([]trust.PublicKey, error) {
	keys := p.keys
	if p.spkis == nil {
		if raw, ok := leaf.PublicKey.(ed25519.PublicKey); ok {
			keys = []trust.PublicKey{trust.PublicKey(raw)}
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("expected a pinned Ed25519 key, as events are signed with one, found keys of other algorithms")
	}
	for _, key := range keys {
		if w := eddsa.Weakness(key); w != "" {
			return nil, fmt.Errorf("expected a canonical Ed25519 public key of large order, found %s", w)
		}
	}
	return keys, nil
}
