package timestamp

import (
	"encoding/asn1"
	"fmt"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"
)

// readInfo reads the TSTInfo (RFC 3161, section 2.4.2).
func (t *Token) readInfo() *Fault {
	s := cryptobyte.String(t.content)
	var info cryptobyte.String
	var version int
	var policy asn1.ObjectIdentifier
	t.Serial = new(big.Int)
	if !s.ReadASN1(&info, asn1tag.SEQUENCE) || !s.Empty() || !info.ReadASN1Integer(&version) || version != 1 ||
		!readOID(&info, &policy) {
		return malformed("token/tstInfo", "a TSTInfo of version 1 with a policy", "something else")
	}
	t.Policy = policy.String()
	if !readImprint(&info, &t.Hash, &t.Imprint) {
		return malformed("token/messageImprint", "a digest by one of the SHA-2 or SHA-3 functions", "something else")
	}
	if !readNumber(&info, t.Serial) {
		return malformed("token/serialNumber", "a number of at most 20 octets", "something else")
	}
	if !readTime(&info, &t.Time, true) {
		return malformed("token/genTime", "a time such as 20260302090000.5Z", "something else")
	}
	if fault := t.readAccuracy(&info); fault != nil {
		return fault
	}
	var ordering bool
	if !readFlag(&info, &ordering) {
		return malformed("token/ordering", "a boolean", "something else")
	}
	if info.PeekASN1Tag(asn1tag.INTEGER) {
		t.Nonce = new(big.Int)
		if !info.ReadASN1Integer(t.Nonce) || t.Nonce.BitLen() > maxNonce {
			return malformed("token/nonce", fmt.Sprintf("a number of at most %d bits", maxNonce), "something else")
		}
	}
	return readRest(info)
}

// maxNonce bounds nonces in bits. Other clients than this ask for up to 512.
const maxNonce = 512

// readRest reads the end of a TSTInfo: the name of the authority, which is not judged,
// and the extensions. No extension may be critical.
func readRest(info cryptobyte.String) *Fault {
	var list cryptobyte.String
	if !info.SkipOptionalASN1(inner0) || !info.ReadOptionalASN1(&list, nil, inner1) || !info.Empty() {
		return malformed("token/tstInfo", "a name, extensions, and the end", "something else")
	}
	all, ok := readExtensionList(list)
	if !ok {
		return malformed("token/extensions", "extensions", "something else")
	}
	for _, e := range all {
		if e.critical {
			return malformed("token/extensions", "no critical extension", e.oid.String())
		}
	}
	return nil
}

// readAccuracy reads the accuracy, which is 0 if it is absent.
func (t *Token) readAccuracy(info *cryptobyte.String) *Fault {
	if !info.PeekASN1Tag(asn1tag.SEQUENCE) {
		return nil
	}
	bad := malformed("token/accuracy", "seconds, milliseconds and microseconds, together at most a day", "something else")
	var accuracy cryptobyte.String
	if !info.ReadASN1(&accuracy, asn1tag.SEQUENCE) {
		return bad
	}
	if accuracy.PeekASN1Tag(asn1tag.INTEGER) {
		var seconds int64
		if !accuracy.ReadASN1Integer(&seconds) || seconds < 0 || seconds > 24*60*60 {
			return bad
		}
		t.Accuracy = time.Duration(seconds) * time.Second
	}
	for _, unit := range []struct {
		tag asn1tag.Tag
		d   time.Duration
	}{{context0, time.Millisecond}, {context1, time.Microsecond}} {
		if !accuracy.PeekASN1Tag(unit.tag) {
			continue
		}
		var n int64
		if !accuracy.ReadASN1Int64WithTag(&n, unit.tag) || n < 1 || n > 999 {
			return bad
		}
		t.Accuracy += time.Duration(n) * unit.d
	}
	if !accuracy.Empty() || t.Accuracy > 24*time.Hour {
		return bad
	}
	return nil
}
