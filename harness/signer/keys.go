package signer

import (
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Generation is the keys that a signer gets with one rotation: its receipt key,
// and the issuer for leaves of every algorithm.
type Generation struct {
	Key    seal.Key
	Issuer *pki.Issuer
}

// NewGeneration makes the keys of a generation, from 1 on.
func NewGeneration(number int, at time.Time, source chance.Source) Generation {
	name := fmt.Sprintf("svc issuing CA %d", number)
	id, issuer := fmt.Sprintf("signer-%d", number), pki.NewIssuer(name, "ecdsa-p256", at, source.Stream(name))
	return Generation{seal.Key{ID: id, Private: source.Stream("key " + id).Ed25519()}, issuer}
}

// Use gives the signer the keys of a generation, in place of those before.
func (s *Signer) Use(g Generation) {
	issuers := map[string]*pki.Issuer{}
	for _, algorithm := range Algorithms {
		issuers[algorithm] = g.Issuer
	}
	s.Rotate(g.Key, issuers)
}

// ReadKeys reads the generations that [WriteKeys] wrote, none if there is no
// file.
func ReadKeys(path string) ([]Generation, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o, err := seal.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: it is no file of a signer's keys", path)
	}
	var generations []Generation
	for i, element := range seal.List(o, "generations") {
		entry, _ := element.(seal.Object)
		g, err := readGeneration(entry)
		if err != nil {
			return nil, fmt.Errorf("%s: generation %d: %w", path, i+1, err)
		}
		generations = append(generations, g)
	}
	return generations, nil
}

func readGeneration(o seal.Object) (Generation, error) {
	var parts [3][]byte
	for i, name := range []string{"private_key", "issuer_certificate", "issuer_private_key"} {
		b, err := seal.Unbase64(seal.Text(o, name))
		if err != nil {
			return Generation{}, fmt.Errorf("%s: it is not base64url", name)
		}
		parts[i] = b
	}
	if len(parts[0]) != ed25519.SeedSize {
		return Generation{}, fmt.Errorf("private_key: expected %d bytes", ed25519.SeedSize)
	}
	certificate, err := x509.ParseCertificate(parts[1])
	if err != nil {
		return Generation{}, fmt.Errorf("issuer_certificate: %w", err)
	}
	private, err := x509.ParsePKCS8PrivateKey(parts[2])
	issuerKey, ok := private.(crypto.Signer)
	if err != nil || !ok {
		return Generation{}, fmt.Errorf("issuer_private_key: it is no key that signs")
	}
	key := seal.Key{ID: seal.Text(o, "key_id"), Private: ed25519.NewKeyFromSeed(parts[0])}
	return Generation{key, &pki.Issuer{Certificate: certificate, Key: issuerKey}}, nil
}

// WriteKeys writes the keys of all generations to a file that only its owner
// can read. The file is there whole, or as it was before.
func WriteKeys(path string, generations []Generation) error {
	list := make([]any, len(generations))
	for i, g := range generations {
		issuerKey := seal.Must(chance.PKCS8(g.Issuer.Key))
		list[i] = seal.Object{
			"key_id": g.Key.ID, "private_key": seal.Base64(g.Key.Private.Seed()),
			"issuer_certificate": seal.Base64(g.Issuer.Certificate.Raw), "issuer_private_key": seal.Base64(issuerKey),
		}
	}
	return pki.WriteSecret(path, seal.Canonical(seal.Object{"generations": list}))
}
