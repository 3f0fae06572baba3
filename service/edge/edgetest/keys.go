package edgetest

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"os"
	"testing"
)

// Observer is the SPIFFE id of who reads the feed.
const Observer = "spiffe://" + Tenant + ".example/observer/soc"

// WritePublic writes public keys as blocks PUBLIC KEY.
func WritePublic(t testing.TB, path string, keys ...crypto.PublicKey) {
	t.Helper()
	var doc []byte
	for _, key := range keys {
		doc = append(doc, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: SPKI(t, key)})...)
	}
	check(t, os.WriteFile(path, doc, 0o600))
}

// SPKI returns a public key as a SubjectPublicKeyInfo.
func SPKI(t testing.TB, key crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	check(t, err)
	return der
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
