package edge

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// keyring holds the keys that may sign the events of one node. A pin names no key id, so a key
// gets its id from the first event that it signs, and keeps it: one id is never two keys, and
// one key never two ids.
type keyring struct {
	pinned []trust.PublicKey // that have no id yet
	byID   map[string]trust.PublicKey
	oldest int64 // the generation below which a key is retired
}

// parseGeneration returns the number in a node key id (SPEC 2.3), and whether it is
// one of the node: if not, it is 0.
func parseGeneration(node, id string) (int64, bool) {
	if id == node {
		return 1, true
	}
	number, ok := strings.CutPrefix(id, node+"/")
	if !ok {
		return 0, false
	}
	if n, ok := form.Generation(number); ok && n > 1 {
		return n, true
	}
	return 0, false
}

// verify checks the signature of an event of the node with the keys.
func (k *keyring) verify(node string, e event) error {
	n, ok := parseGeneration(node, e.keyID)
	if !ok {
		return fmt.Errorf("expected a key of node %s, found key id %s", safetext.Quote(node), safetext.Quote(e.keyID))
	}
	if n < k.oldest {
		return fmt.Errorf("it is signed by %s, a key that was replaced before", safetext.Quote(e.keyID))
	}
	key, known := k.byID[e.keyID]
	if !known {
		i := slices.IndexFunc(k.pinned, e.signedBy)
		if i < 0 {
			return fmt.Errorf(
				"no pinned key has signed it: either it was altered, or %s is a newer key that is yet to be pinned",
				safetext.Quote(e.keyID))
		}
		k.byID[e.keyID] = k.pinned[i]
		k.pinned = slices.Delete(k.pinned, i, i+1)
	} else if !e.signedBy(key) {
		return fmt.Errorf("the signature of %s does not hold", safetext.Quote(e.keyID))
	}
	k.oldest = n
	return nil
}

// Rotation is a new key of the node that a verified event has named.
type Rotation struct {
	Node, KeyID string
	Key         trust.PublicKey
}

// rotate adopts the key that a verified event names, and retires the one that signed it. It
// returns nil if the key was pinned already.
func (k *keyring) rotate(e event) (*Rotation, error) {
	id, key, err := e.successor()
	if err != nil {
		return nil, err
	}
	n, _ := parseGeneration(e.node, id) // 0 if it is none of the node
	switch {
	case n <= k.oldest:
		return nil, fmt.Errorf("expected the id of a later key of the node, found %s", safetext.Quote(id))
	case eddsa.Weakness(key) != "":
		return nil, fmt.Errorf("expected a canonical Ed25519 public key of large order, found %s", eddsa.Weakness(key))
	}
	for _, other := range k.byID {
		if other == key {
			return nil, errors.New("expected a new key, found one that the node had before")
		}
	}
	k.byID[id], k.oldest = key, n
	if i := slices.Index(k.pinned, key); i >= 0 {
		k.pinned = slices.Delete(k.pinned, i, i+1)
		return nil, nil
	}
	return &Rotation{Node: e.node, KeyID: id, Key: key}, nil
}

// SPKISHA256 returns the SHA-256 of the key as a SubjectPublicKeyInfo, as people compare it
// and -node-spki-sha256 accepts it.
func (r Rotation) SPKISHA256() []byte {
	der, err := x509.MarshalPKIXPublicKey(ed25519.PublicKey(r.Key[:]))
	if err != nil {
		panic(err) // an Ed25519 key has this form
	}
	sum := sha256.Sum256(der)
	return sum[:]
}

// maxPins is how many keys of one node a file may pin.
const maxPins = 16

// Pins are the public keys that a node may have, collected independently: whole
// keys, the digest of the one key of the connection, or both. Then both must
// hold.
type Pins struct {
	spkis  map[[sha256.Size]byte]bool // of the file; nil without one
	keys   []trust.PublicKey          // the Ed25519 keys of the file
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

// PinError reports that a node answered with another key than a pinned one. The authority
// vouched for it, so either the node has a new key, or another can speak in its name.
type PinError struct {
	Found [sha256.Size]byte // the SHA-256 of its SubjectPublicKeyInfo
}

// Error returns which key was found.
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
