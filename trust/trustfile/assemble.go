package trustfile

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// Draft is the content of a new trust file: keys by key id, registry pins by
// generation.
type Draft struct {
	Audit, Signer, Nodes map[string]trust.PublicKey
	Registries           map[int64][sha256.Size]byte
	MinimumWitnesses     int
}

// Assemble writes a trust file, indented and in one fixed order, and parses it. If the draft
// cannot be used, the error is [trust.Parse]'s.
func Assemble(d Draft) ([]byte, *trust.Root, error) {
	registries := map[string]string{}
	for generation, pin := range d.Registries {
		registries[strconv.FormatInt(generation, 10)] = form.EncodeBase64URL(pin[:])
	}
	doc, err := json.MarshalIndent(struct {
		Audit      map[string]string `json:"audit_keys"`
		Signer     map[string]string `json:"protected_signer_keys"`
		Registries map[string]string `json:"registries"`
		Nodes      map[string]string `json:"nodes"`
		Minimum    int               `json:"minimum_audit_witnesses"`
	}{encodeFile(d.Audit), encodeFile(d.Signer), registries, encodeFile(d.Nodes), d.MinimumWitnesses}, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	doc = append(doc, '\n')
	root, err := trust.Parse(doc)
	if err != nil {
		return nil, nil, err
	}
	return doc, root, nil
}

func encodeFile(keys map[string]trust.PublicKey) map[string]string {
	texts := map[string]string{}
	for id, k := range keys {
		texts[id] = form.EncodeBase64URL(k[:])
	}
	return texts
}

const keyForms = "an Ed25519 public key as PEM, DER, 32 raw bytes or base64url"

// ReadKey reads a public key: PEM or DER of a SubjectPublicKeyInfo, 32 raw bytes, or
// base64url, with or without white space around it. The error describes the actual input.
func ReadKey(source []byte) (trust.PublicKey, error) {
	text := strings.TrimSpace(string(source))
	block, _ := pem.Decode(source)
	switch {
	case block != nil:
		return readPEM(block)
	case len(source) == ed25519.PublicKeySize:
		return trust.PublicKey(source), nil
	}
	if raw, ok := form.Base64URL(text); ok && len(raw) == len(trust.PublicKey{}) {
		return trust.PublicKey(raw), nil
	}
	return readSPKI(source)
}

// readPEM reads a public key and names other kinds of PEM in the error: a
// private key should not be here, and a certificate's key signs no evidence.
func readPEM(block *pem.Block) (trust.PublicKey, error) {
	switch {
	case block.Type == "PUBLIC KEY":
		return readSPKI(block.Bytes)
	case strings.Contains(block.Type, "PRIVATE KEY"):
		return trust.PublicKey{}, fmt.Errorf("expected %s, found a private key, which must not leave its owner", keyForms)
	case block.Type == "CERTIFICATE":
		return trust.PublicKey{}, fmt.Errorf("expected %s, found a certificate: no key of one signs evidence", keyForms)
	}
	return trust.PublicKey{}, fmt.Errorf("expected a PEM block of type PUBLIC KEY, found %q", block.Type)
}

// ed25519Info is the DER of a SubjectPublicKeyInfo with an Ed25519 key, up to the
// 32 bytes of the key (RFC 8410).
const ed25519Info = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"

// readSPKI reads a SubjectPublicKeyInfo. It does without crypto/x509, which
// would link the network.
func readSPKI(der []byte) (trust.PublicKey, error) {
	if key, ok := bytes.CutPrefix(der, []byte(ed25519Info)); ok && len(key) == len(trust.PublicKey{}) {
		return trust.PublicKey(key), nil
	}
	var other struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if rest, err := asn1.Unmarshal(der, &other); err == nil && len(rest) == 0 {
		return trust.PublicKey{}, fmt.Errorf("expected %s, found a key of another algorithm", keyForms)
	}
	return trust.PublicKey{}, fmt.Errorf("expected %s, found %d bytes that are none of these", keyForms, len(der))
}

// ReadPin reads a registry pin, written as base64url or as 64 hex digits, and
// reports whether the text is one.
func ReadPin(text string) ([sha256.Size]byte, bool) {
	if d, ok := form.Digest(text); ok {
		return d, true
	}
	raw, ok := form.Base64URL(text)
	if !ok || len(raw) != sha256.Size {
		return [sha256.Size]byte{}, false
	}
	return [sha256.Size]byte(raw), true
}
