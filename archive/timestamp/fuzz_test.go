package timestamp_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

// The structures of RFC 5652 and RFC 3161 as encoding/asn1 reads them.
type (
	oracleContent struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	oracleSigned struct {
		Version      int
		Digests      asn1.RawValue
		Content      oracleContent
		Certificates asn1.RawValue  `asn1:"optional,tag:0"`
		Revocation   asn1.RawValue  `asn1:"optional,tag:1"`
		Signers      []oracleSigner `asn1:"set"`
	}
	oracleSigner struct {
		Version    int
		ID         asn1.RawValue
		Digest     asn1.RawValue
		Attributes asn1.RawValue `asn1:"tag:0"`
		Algorithm  asn1.RawValue
		Signature  []byte
		Unsigned   asn1.RawValue `asn1:"optional,tag:1"`
	}
	oracleInfo struct {
		Version    int
		Policy     asn1.ObjectIdentifier
		Imprint    oracleImprint
		Serial     *big.Int
		Time       asn1.RawValue
		Accuracy   oracleAccuracy `asn1:"optional"`
		Ordering   bool           `asn1:"optional"`
		Nonce      *big.Int       `asn1:"optional"`
		Name       asn1.RawValue  `asn1:"optional,tag:0"`
		Extensions asn1.RawValue  `asn1:"optional,tag:1"`
	}
	oracleAccuracy struct {
		Seconds int `asn1:"optional"`
		Millis  int `asn1:"optional,tag:0"`
		Micros  int `asn1:"optional,tag:1"`
	}
	oracleImprint struct {
		Algorithm asn1.RawValue
		Digest    []byte
	}
)

// oracle reads the TSTInfo of a token by another library, and its bytes; false if it finds
// none.
func oracle(der []byte) (info oracleInfo, content []byte, ok bool) {
	var outer, inner oracleContent
	var signed oracleSigned
	if rest, err := asn1.Unmarshal(der, &outer); err != nil || len(rest) > 0 {
		return info, nil, false
	}
	if rest, err := asn1.Unmarshal(outer.Content.Bytes, &signed); err != nil || len(rest) > 0 || len(signed.Signers) != 1 {
		return info, nil, false
	}
	inner = signed.Content
	if _, err := asn1.Unmarshal(inner.Content.Bytes, &content); err != nil {
		return info, nil, false
	}
	rest, err := asn1.Unmarshal(content, &info)
	return info, content, err == nil && len(rest) == 0
}

// seededWorld is the same world each time.
func seededWorld() world {
	w := world{root: tsa.Authority("Root", tsa.ECDSAOf("root"), year(2020), year(2050))}
	w.below = w.root.Below("Below", tsa.ECDSAOf("below"), year(2021), year(2045))
	w.signer = w.below.Stamper("Stamper", tsa.ECDSAOf("signer"), year(2022), year(2035))
	imprint := timestamp.SHA512.Sum([]byte("a seal"))
	w.request = timestamp.Request{Hash: timestamp.SHA512, Imprint: imprint, Nonce: big.NewInt(77)}
	return w
}

// FuzzToken: encoding/asn1 reads the same from every parsed token, and no token verifies whose
// content the signer never signed.
func FuzzToken(f *testing.F) {
	tsa.Restart()
	w := seededWorld()
	signed := map[string]bool{} // every TSTInfo that the signer ever signed
	parts := w.token()
	signed[string(parts.Info)] = true
	der := parts.DER()
	f.Add(der)
	f.Add(tsa.Response(0, der))
	for _, d := range slices.Concat(damages, peculiarities) {
		own, parts := w, w.token()
		d.change(&own, &parts)
		signed[string(parts.Info)] = true
		f.Add(parts.DER())
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		token, fault := timestamp.Parse(doc)
		if fault != nil {
			_ = fault.Error()
			return
		}
		info, content, ok := oracle(token.DER)
		must.That(t, ok && bytes.Contains(doc, token.DER), "encoding/asn1 reads no token")
		must.That(t, bytes.Equal(info.Imprint.Digest, token.Imprint) && info.Serial.Cmp(token.Serial) == 0 &&
			info.Policy.String() == token.Policy && (info.Nonce == nil) == (token.Nonce == nil) &&
			(info.Nonce == nil || info.Nonce.Cmp(token.Nonce) == 0), "encoding/asn1 reads %+v, not %+v", info, token)
		at, err := time.Parse("20060102150405.999999999Z", string(info.Time.Bytes))
		must.That(t, err == nil && at.Equal(token.Time), "the time %s is read as %v", info.Time.Bytes, token.Time)
		again, fault := timestamp.Parse(token.DER)
		must.That(t, fault == nil && bytes.Equal(again.DER, token.DER),
			"the token itself is read otherwise: %v", fault)
		pins := []timestamp.Authority{{Name: "tsa", Certificates: []*x509.Certificate{w.root.Certificate}}}
		if _, fault := token.Trace(pins, []*x509.Certificate{w.below.Certificate, w.signer.Certificate}); fault == nil {
			must.That(t, signed[string(content)], "a token verifies that was never signed")
		}
	})
}

// FuzzWith: with evidence added, the signed parts of a token are as before, its sets are the old
// elements and the new ones, each once, and encoding/asn1 reads it.
func FuzzWith(f *testing.F) {
	tsa.Restart()
	w := seededWorld()
	more := []*x509.Certificate{w.root.Certificate, w.below.Certificate}
	parts := w.token()
	list := w.below.CRL(year(2029), year(2031), nil)
	answer := w.below.OCSP(w.signer.Certificate, tsa.Good, year(2029), year(2031), w.below)
	f.Add(parts.DER(), list, answer)
	parts.Revocation = [][]byte{tsa.OtherInfo(answer), list, tsa.Element(tsa.Sequence)}
	f.Add(parts.DER(), list, answer)
	for _, d := range peculiarities {
		own, parts := w, w.token()
		d.change(&own, &parts)
		f.Add(parts.DER(), answer, list)
	}
	f.Fuzz(func(t *testing.T, doc, first, second []byte) {
		old, fault := timestamp.Parse(doc)
		if fault != nil {
			return
		}
		added := evidence(first, second)
		token, fault := old.With(more, added)
		before := splitToken(t, old.DER)
		if fault != nil {
			tooMany := len(before.certificates)+len(more) > timestamp.MaxCertificates ||
				len(before.crls)+len(added) > timestamp.MaxEvidence
			must.That(t, tooMany, "nothing can be added: %v", fault)
			return
		}
		after := splitToken(t, token.DER)
		must.That(t, bytes.Equal(before.content, after.content) && bytes.Equal(before.signerInfo, after.signerInfo),
			"a signed part changed")
		for _, c := range more {
			if !slices.Contains(before.certificates, string(c.Raw)) {
				before.certificates = append(before.certificates, string(c.Raw))
			}
		}
		slices.Sort(before.certificates)
		must.That(t, slices.Equal(before.certificates, after.certificates), "other certificates than the old and the new")
		must.That(t, slices.IsSorted(after.crls), "crls are not in order")
		for _, e := range before.crls {
			must.That(t, slices.Contains(after.crls, e), "an element of crls is missing")
		}
		for _, e := range added {
			same := func(own timestamp.Evidence) bool { return bytes.Equal(own.DER, e.DER) }
			must.That(t, slices.ContainsFunc(token.Revocation, same), "evidence was not added")
			if !slices.ContainsFunc(old.Revocation, same) {
				old.Revocation = append(old.Revocation, e)
			}
		}
		must.That(t, len(token.Revocation) == len(old.Revocation) && len(token.Unusable) == len(old.Unusable),
			"%d pieces of evidence, not %d", len(token.Revocation), len(old.Revocation))
		must.That(t, bytes.Equal(token.Hashed(timestamp.SHA512), timestamp.SHA512.Sum(token.DER)), "not in the form of DER")
	})
}

// FuzzEvidence: no bytes make the reader of revocation data fail, and data that counts is
// signed by the issuer.
func FuzzEvidence(f *testing.F) {
	tsa.Restart()
	root := tsa.Authority("Root", tsa.ECDSAOf("root"), year(2020), year(2050))
	signer := root.Stamper("Stamper", tsa.ECDSAOf("signer"), year(2022), year(2035))
	revoked := tsa.Revoked{Certificate: signer.Certificate, At: year(2027), Reason: 1, Since: year(2026)}
	list := root.CRL(year(2029), year(2031), []tsa.Revoked{revoked})
	answer := root.OCSP(signer.Certificate, revoked.Status(), year(2029), year(2031), root)
	f.Add(list)
	f.Add(answer)
	f.Add(root.CRL(year(2029), year(2031), nil, tsa.Part(tsa.Element(tsa.Context1, []byte{0xff}))))
	request := timestamp.Request{Hash: timestamp.SHA512, Imprint: make([]byte, 64), Nonce: big.NewInt(7)}
	token, fault := timestamp.Parse(signer.Stamp(request.Marshal(), year(2026)))
	must.That(f, fault == nil, "%v", fault)
	chain, fault := token.Trace([]timestamp.Authority{{Certificates: []*x509.Certificate{root.Certificate}}}, nil)
	must.That(f, fault == nil, "%v", fault)
	f.Fuzz(func(t *testing.T, doc []byte) {
		e, fault := timestamp.ParseEvidence("file", doc)
		if fault != nil {
			_ = fault.Error()
			return
		}
		s := chain.Judge(year(2030), []timestamp.Evidence{e})
		must.That(t, s.Fault != nil || len(s.Open) != 0 || len(s.RestsOn) != 0,
			"the token stands, and no evidence was used")
		if e.IsCRL() {
			l, err := x509.ParseRevocationList(e.DER)
			if err != nil {
				return // the library reads fewer forms of time
			}
			if err := l.CheckSignatureFrom(root.Certificate); err != nil && s.Fault != nil {
				t.Fatalf("a CRL counts that crypto/x509 refuses: %v", err)
			}
		}
	})
}

// TestEveryOctet: no byte of a token can be changed, the certificates aside, which must lead
// to the authority whatever they are.
func TestEveryOctet(t *testing.T) {
	w := newWorld(tsa.Ed25519)
	parts := w.token()
	parts.Certificates = nil
	der := parts.DER()
	further := []*x509.Certificate{w.below.Certificate, w.signer.Certificate}
	original := bytes.Clone(der)
	accepts := func(doc []byte) bool {
		token, fault := timestamp.Parse(doc)
		if fault != nil || token.Answers(w.request) != nil {
			return false
		}
		normal, fault := token.With(nil, nil) // the version of SignedData follows from the rest
		if fault != nil || bytes.Equal(normal.DER, original) && !bytes.Equal(doc, original) {
			return false
		}
		_, fault = token.Trace(w.pins(), further)
		return fault == nil
	}
	must.That(t, accepts(der), "the token itself is refused")
	for i := range der {
		for bit := range 8 {
			bad := bytes.Clone(der)
			bad[i] ^= 1 << bit
			check.That(t, !accepts(bad), "bit %d of octet %d of %d does not count", bit, i, len(der))
		}
	}
}
