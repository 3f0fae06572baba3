package testca

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"os"
	"path/filepath"
)

// Certificates writes certificates in PEM.
func Certificates(chain ...[]byte) []byte {
	var doc []byte
	for _, der := range chain {
		doc = append(doc, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return doc
}

// PrivateKey writes a private key in PEM, as PKCS #8.
func PrivateKey(key crypto.PrivateKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(key))})
}

// Write writes the certificates of an identity to path.pem and its key to
// path.key, which only its owner may read. Files that are there are replaced.
func Write(path string, identity tls.Certificate) {
	writeFile(path+".pem", 0o644, Certificates(identity.Certificate...))
	writeFile(path+".key", 0o600, PrivateKey(identity.PrivateKey))
}

// Write writes the authority's certificate.
func (a *Authority) Write(path string) { writeFile(path, 0o644, Certificates(a.Certificate.Raw)) }

// Files writes the files that a server starts with: a new certificate and its key as
// server.pem and server.key, and the authority's own certificate as ca.pem.
func (a *Authority) Files(dir string) (certificate, key, authority string) {
	server, authority := filepath.Join(dir, "server"), filepath.Join(dir, "ca.pem")
	Write(server, a.Server())
	a.Write(authority)
	return server + ".pem", server + ".key", authority
}

// writeFile writes a file with exactly these permissions.
func writeFile(path string, mode fs.FileMode, content []byte) {
	if err := os.WriteFile(path, content, mode); err != nil {
		panic(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		panic(err)
	}
}
