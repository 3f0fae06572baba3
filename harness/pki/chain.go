package pki

import "encoding/pem"

// ChainPEM writes certificates (DER) in PEM, in their order: blocks CERTIFICATE,
// each with a newline at its end.
func ChainPEM(chain [][]byte) []byte {
	var doc []byte
	for _, der := range chain {
		doc = append(doc, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return doc
}
