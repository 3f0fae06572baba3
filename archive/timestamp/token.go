package timestamp

import (
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"time"
)

// Token is a time-stamp token that has its form. Nothing in it is verified before
// [Token.Trace].
type Token struct {
	DER []byte // the ContentInfo, without the response around it

	Hash     Hash
	Imprint  []byte
	Time     time.Time // genTime
	Accuracy time.Duration
	Nonce    *big.Int // nil if there is none
	Policy   string   // an object identifier
	Serial   *big.Int

	// Certificates are those in the token, in its order. They are candidates.
	Certificates []*x509.Certificate

	content []byte // eContent, the TSTInfo
	signer  signerInfo
}

// Latest is the latest time that the token can mean.
func (t *Token) Latest() time.Time { return t.Time.Add(t.Accuracy) }

var (
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidTSTInfo    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
)
