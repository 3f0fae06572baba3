package record

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
)

const generationProtocol = "svc.store-kv-generation.v1"

// Types of the PEM blocks of a generation.
const (
	certificateBlock = "CERTIFICATE"
	keyBlock         = "PRIVATE KEY"
)

// Generation is a certificate chain with its key. Formatting or
// logging one shows neither.
type Generation struct {
	Slot              int64  // 1 to MaxSlot
	CertificatePEM    string // the leaf, then its issuers in order
	PrivateKeyPEM     string // PKCS #8
	CertificateSHA256 string // of CertificatePEM, in hex
	CreatedAt         string // as seal.Time writes it
}

// NewGeneration writes a chain (DER, the leaf first) and its key as the
// generation of a slot. It fails if the key is not the leaf's, or of a kind that
// PKCS #8 does not know; whether the chain is one is not looked at.
func NewGeneration(slot int64, chain [][]byte, key crypto.Signer, createdAt string) (Generation, error) {
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Generation{}, errors.New("expected a private key that PKCS #8 knows, found another")
	}
	doc := pki.ChainPEM(chain)
	g, err := ParseGeneration(Generation{
		Slot:              slot,
		CertificatePEM:    string(doc),
		PrivateKeyPEM:     string(pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: private})),
		CertificateSHA256: seal.SHA256(doc),
		CreatedAt:         createdAt,
	}.Object())
	if err != nil {
		return Generation{}, err
	}
	if _, err := g.Certificate(); err != nil {
		return Generation{}, err
	}
	return g, nil
}

// Object is the record in the store, including the private key.
func (g Generation) Object() seal.Object {
	return seal.Object{
		"protocol":           generationProtocol,
		"slot":               g.Slot,
		"certificate_pem":    g.CertificatePEM,
		"private_key_pem":    g.PrivateKeyPEM,
		"certificate_sha256": g.CertificateSHA256,
		"created_at":         g.CreatedAt,
	}
}

// Digest is the SHA-256 of the canonical record in hex: by it a node knows its own records
// without keeping the key.
func (g Generation) Digest() string { return seal.Digest(g.Object()) }

// Certificate returns chain and key for TLS. It fails if they do not match. The
// error holds nothing of either.
func (g Generation) Certificate() (tls.Certificate, error) {
	pair, err := tls.X509KeyPair([]byte(g.CertificatePEM), []byte(g.PrivateKeyPEM))
	if err != nil {
		return tls.Certificate{}, errors.New("expected certificates and the private key of the first, found none that match")
	}
	return pair, nil
}

// Format writes the slot and the digest of the certificates, whatever the verb.
func (g Generation) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, g.String())
}

// String returns the slot and the digest of the certificates.
func (g Generation) String() string { return SlotName(g.Slot) + " " + g.CertificateSHA256 }

// LogValue keeps the key out of logs that encode structures.
func (g Generation) LogValue() slog.Value { return slog.StringValue(g.String()) }

// ParseGeneration reads a record that stood at a slot's path, which the caller
// compares with Slot. Members and their form are checked, and certificate_sha256
// against certificate_pem. That the certificates are some, and the key theirs, is
// the matter of [Generation.Certificate].
func ParseGeneration(o seal.Object) (Generation, error) {
	m := readRecord(o)
	m.Word("protocol", generationProtocol)
	g := Generation{
		Slot:              m.slot("slot"),
		CertificatePEM:    m.Checked("certificate_pem", checkCertificates),
		PrivateKeyPEM:     m.Checked("private_key_pem", checkKey),
		CertificateSHA256: m.Text("certificate_sha256", form.Digest),
		CreatedAt:         m.time("created_at"),
	}
	if err := m.close(); err != nil {
		return Generation{}, err
	}
	if sum := seal.SHA256([]byte(g.CertificatePEM)); sum != g.CertificateSHA256 {
		return Generation{}, fmt.Errorf("certificate_sha256: expected %s, that of certificate_pem, found another", sum)
	}
	return g, nil
}

func checkCertificates(s string) error {
	if n, ok := countBlocks(s, certificateBlock); !ok || n < 1 {
		return fmt.Errorf("expected blocks %s of 64 columns and nothing else, found %s", certificateBlock, hiddenText(s))
	}
	return nil
}

func checkKey(s string) error {
	if n, ok := countBlocks(s, keyBlock); !ok || n != 1 {
		return fmt.Errorf("expected one block %s of 64 columns and nothing else, found %s", keyBlock, hiddenText(s))
	}
	return nil
}

// countBlocks counts PEM blocks of one type, and reports false unless the text is exactly an
// encoder's output for them.
func countBlocks(s, kind string) (n int, ok bool) {
	for rest := []byte(s); len(rest) > 0; n++ {
		block, after := pem.Decode(rest)
		if block == nil || block.Type != kind || len(block.Headers) > 0 {
			return n, false
		}
		if !bytes.Equal(pem.EncodeToMemory(block), rest[:len(rest)-len(after)]) {
			return n, false
		}
		rest = after
	}
	return n, true
}
