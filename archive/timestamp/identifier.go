package timestamp

import "golang.org/x/crypto/cryptobyte"

// ParseHash returns the hash function that the content of an AlgorithmIdentifier names,
// without parameters or with NULL; "" for another.
func ParseHash(content []byte) Hash {
	var a algorithm
	if !readAlgorithmContent(content, &a) {
		return ""
	}
	return a.hash()
}

// Identifier returns the content of the AlgorithmIdentifier of the hash function, without
// parameters. The name must be known.
func (h Hash) Identifier() []byte {
	var b cryptobyte.Builder
	b.AddASN1ObjectIdentifier(h.oid())
	return b.BytesOrPanic() // it is one of the table
}
