package nodeconfig

import (
	"crypto/x509"
	"errors"
	"time"
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
	if !i.faulty("/secret_store_reload_binary_sha256") {
		i.report(r.Binary, r.Check())
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

// authorities reads a CA bundle: certificates of CAs and nothing else, one of
// which at least is valid.
func (i *inspector) authorities(a *Authorities) {
	list, ok := i.certificates(a.File)
	if !ok {
		return
	}
	valid := false
	for n, c := range list {
		valid = valid || i.valid(c)
		if !isAuthority(c) {
			i.fault(a.File.Pointer, "certificates of CAs only", ordinal(n)+" that is none of a CA")
		}
	}
	if !valid {
		i.fault(a.File.Pointer, "a certificate that is valid now", "none: "+validity(list[0]))
	}
	a.Certificates = list
}

// identity reads a certificate chain and its key, and holds them against each
// other and against what they are for.
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
	if i.report(id.PrivateKeyFile, err) && ok && !matches(key, chain[0]) {
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
		i.fault(f.Pointer, "a leaf with the extended key usage "+use.name, usages(leaf))
	}
	for n, c := range chain {
		if !i.valid(c) {
			i.fault(f.Pointer, "certificates that are valid now", ordinal(n)+", "+validity(c))
		}
		if n+1 < len(chain) && c.CheckSignatureFrom(chain[n+1]) != nil {
			i.fault(f.Pointer, "behind each certificate its issuer", ordinal(n)+" that the next one has not signed")
		}
	}
}

func (i *inspector) valid(c *x509.Certificate) bool {
	return !i.asOf.Before(c.NotBefore) && !i.asOf.After(c.NotAfter)
}
