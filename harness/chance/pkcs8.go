package chance

import (
	"crypto"
	"crypto/x509"
)

// PKCS8 writes a private key that [Stream.Key] made in PKCS #8, in DER. Read
// back, an ECDSA key signs with the system's randomness.
func PKCS8(key crypto.Signer) ([]byte, error) {
	if k, ok := key.(RFC6979); ok {
		return x509.MarshalPKCS8PrivateKey(k.PrivateKey)
	}
	return x509.MarshalPKCS8PrivateKey(key)
}
