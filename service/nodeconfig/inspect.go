package nodeconfig

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// inspector judges the files that a configuration names. A file whose setting
// is absent or a fault itself has no path, and is passed over.
type inspector struct {
	*collector
	asOf time.Time
}

func (i *inspector) inspect(c *Config) {
	i.directory(c.StateDirectory, privateDirectory)
	i.identity(&c.LocalAPI.Identity, serverUse)
	i.authorities(&c.LocalAPI.Clients)
	i.identity(&c.Cloud.Identity, clientUse)
	i.authorities(&c.Cloud.Authorities)
	if e := c.Export; e != nil {
		i.identity(&e.Identity, clientUse)
		i.authorities(&e.Authorities)
	}
	if s := c.Store; s != nil {
		i.store(s)
	}
}

func (i *inspector) store(s *SecretStore) {
	i.directory(s.ManagedDirectory, managedDirectory)
	i.identity(&s.Identity, clientUse)
	i.identity(&s.Bootstrap, anyUse)
	i.authorities(&s.Authorities)
	if s.TokenFile.Path != "" {
		_, err := s.Token()
		i.report(s.TokenFile, err)
	}
	if s.Reload != nil && s.Reload.Binary.Path != "" {
		i.reload(s.Reload)
	}
}

// reload judges the reload executable, unless its pin is a fault already.
func (i *inspector) reload(r *Reload) {
	if i.faulty("/secret_store_reload_binary_sha256") {
		return
	}
	if f, err := r.Open(); i.report(r.Binary, err) {
		f.Close()
	}
}

// report records the fault of a file, if it has one.
func (i *inspector) report(f File, err error) bool {
	var p *problem
	if errors.As(err, &p) {
		i.fault(f.Pointer, p.expected, p.found)
	}
	return err == nil
}

func (i *inspector) directory(f File, d demand) {
	if f.Path == "" {
		return
	}
	opened, _, err := d.opened(f.Path)
	if i.report(f, err) {
		opened.Close()
	}
}

// authorities reads a CA bundle: certificates of CAs and nothing else, and at least one that
// is valid.
func (i *inspector) authorities(a *Authorities) {
	list, ok := i.certificates(a.File)
	if !ok {
		return
	}
	valid := false
	for n, c := range list {
		valid = valid || i.valid(c)
		if !isAuthority(c) {
			i.fault(a.File.Pointer, "certificates of CAs only", ordinalOf(n)+" that is none of a CA")
		}
	}
	if !valid {
		i.fault(a.File.Pointer, "a certificate that is valid now", "none: "+validityOf(list[0]))
	}
	a.Certificates = list
}

// identity reads a certificate chain and its key, and checks them against each other and
// against their use.
func (i *inspector) identity(id *Identity, use keyUse) {
	chain, ok := i.certificates(id.CertificateFile)
	if ok {
		i.chain(id.CertificateFile, chain, use)
		id.Chain = chain
	}
	if id.PrivateKeyFile.Path == "" {
		return
	}
	key, err := readPrivateKey(id.PrivateKeyFile.Path)
	if i.report(id.PrivateKeyFile, err) && ok && !matchesKey(key, chain[0]) {
		i.fault(id.PrivateKeyFile.Pointer, "the private key of the certificate of "+id.CertificateFile.Pointer,
			"another one")
	}
	id.Key = key
}

// certificates reads a file of at least one certificate.
func (i *inspector) certificates(f File) ([]*x509.Certificate, bool) {
	if f.Path == "" {
		return nil, false
	}
	doc, err := publicFile.read(f.Path, maxPublic)
	if !i.report(f, err) {
		return nil, false
	}
	list, err := parseCertificates(doc)
	return list, i.report(f, err)
}

// chain judges a chain: a leaf that may be used, behind each certificate its
// issuer, and all of them valid.
func (i *inspector) chain(f File, chain []*x509.Certificate, use keyUse) {
	leaf := chain[0]
	if leaf.IsCA {
		i.fault(f.Pointer, "the leaf as the first certificate", "the certificate of a CA")
	}
	if !use.allowed(leaf) {
		i.fault(f.Pointer, "a leaf with the extended key usage "+use.name, usagesOf(leaf))
	}
	for n, c := range chain {
		if !i.valid(c) {
			i.fault(f.Pointer, "certificates that are valid now", ordinalOf(n)+", "+validityOf(c))
		}
		if n+1 < len(chain) && c.CheckSignatureFrom(chain[n+1]) != nil {
			i.fault(f.Pointer, "behind each certificate its issuer", ordinalOf(n)+" that the next one has not signed")
		}
	}
}

func (i *inspector) valid(c *x509.Certificate) bool {
	return !i.asOf.Before(c.NotBefore) && !i.asOf.After(c.NotAfter)
}

// maxCertificates is how many certificates one file may hold.
const maxCertificates = 64

// keyUse is the use that the leaf of an identity must allow.
type keyUse struct {
	name  string
	usage x509.ExtKeyUsage
}

var (
	clientUse = keyUse{"clientAuth", x509.ExtKeyUsageClientAuth}
	serverUse = keyUse{"serverAuth", x509.ExtKeyUsageServerAuth}
	anyUse    = keyUse{}
)

// allowed reports whether the certificate names the usage. A certificate without
// the extension, or with anyExtendedKeyUsage alone, does not.
func (u keyUse) allowed(c *x509.Certificate) bool {
	return u == anyUse || slices.Contains(c.ExtKeyUsage, u.usage)
}

// usagesOf describes the extended key usages of a certificate.
func usagesOf(c *x509.Certificate) string {
	n := len(c.ExtKeyUsage) + len(c.UnknownExtKeyUsage)
	if n == 0 {
		return "no extended key usage"
	}
	return safetext.Count(n, "other usage")
}

// isAuthority reports whether a certificate may sign others.
func isAuthority(c *x509.Certificate) bool {
	return c.IsCA && (c.KeyUsage == 0 || c.KeyUsage&x509.KeyUsageCertSign != 0)
}

// ordinalOf names a certificate of a file by its place.
func ordinalOf(n int) string { return fmt.Sprintf("certificate %d", n+1) }

// validityOf describes the period of a certificate.
func validityOf(c *x509.Certificate) string {
	return fmt.Sprintf("valid from %s to %s", c.NotBefore.UTC().Format(time.RFC3339),
		c.NotAfter.UTC().Format(time.RFC3339))
}

// nextBlock splits the next PEM block off a file. It reports false unless that
// block begins right there, behind white space, and has no headers: pem.Decode
// itself passes over whatever it cannot read.
func nextBlock(doc []byte) (block *pem.Block, rest []byte, ok bool) {
	doc = bytes.TrimSpace(doc)
	block, rest = pem.Decode(doc)
	if block == nil {
		return nil, doc, false
	}
	begin := []byte("-----BEGIN ")
	taken := doc[:len(doc)-len(rest)]
	return block, rest, bytes.HasPrefix(taken, begin) && bytes.Count(taken, begin) == 1 && len(block.Headers) == 0
}

// parseCertificates reads PEM blocks of certificates with nothing between them.
func parseCertificates(doc []byte) ([]*x509.Certificate, error) {
	expected := fmt.Sprintf("1 to %d certificates in PEM and nothing else", maxCertificates)
	var list []*x509.Certificate
	for rest := doc; len(bytes.TrimSpace(rest)) > 0; {
		block, after, ok := nextBlock(rest)
		if !ok || block.Type != "CERTIFICATE" {
			return nil, &problem{expected, fmt.Sprintf("something else behind %s",
				safetext.Count(len(list), "certificate"))}
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, &problem{expected, ordinalOf(len(list)) + " that cannot be read"}
		}
		list, rest = append(list, c), after
	}
	if len(list) < 1 || len(list) > maxCertificates {
		return nil, &problem{expected, safetext.Count(len(list), "certificate")}
	}
	return list, nil
}

// readPrivateKey reads the one private key of a file. The fault of the file is described
// without a word of its content.
func readPrivateKey(path string) (crypto.Signer, error) {
	doc, err := secretFile.read(path, maxSecret)
	if err != nil {
		return nil, err
	}
	expected := "one unencrypted private key in PEM (PRIVATE KEY, EC PRIVATE KEY or RSA PRIVATE KEY) and nothing else"
	block, rest, ok := nextBlock(doc)
	if !ok || len(bytes.TrimSpace(rest)) > 0 {
		return nil, &problem{expected, "something else, not shown"}
	}
	if signer, ok := parsePrivateKey(block).(crypto.Signer); ok {
		return signer, nil
	}
	return nil, &problem{expected, "a PEM block that is none, not shown"}
}

// parsePrivateKey returns the key of a block, or nil.
func parsePrivateKey(block *pem.Block) any {
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil
	}
	return key
}

// matchesKey reports whether a certificate belongs to the key.
func matchesKey(key crypto.Signer, c *x509.Certificate) bool {
	public, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(c.PublicKey)
}
