package timestamp_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

// unsignedSets are the parts of a token as encoding/asn1 reads them.
type unsignedSets struct {
	version             int
	certificates, crls  []string // elements in their order
	content, signerInfo []byte
}

// splitToken reads the parts of a token by another library.
func splitToken(t must.T, der []byte) (s unsignedSets) {
	t.Helper()
	var outer oracleContent
	var signed oracleSigned
	must.Get(asn1.Unmarshal(der, &outer))(t)
	must.Get(asn1.Unmarshal(outer.Content.Bytes, &signed))(t)
	elements := func(set []byte) (all []string) {
		for len(set) > 0 {
			var one asn1.RawValue
			set = must.Get(asn1.Unmarshal(set, &one))(t)
			all = append(all, string(one.FullBytes))
		}
		return all
	}
	signer := signed.Signers[0]
	return unsignedSets{signed.Version, elements(signed.Certificates.Bytes), elements(signed.Revocation.Bytes),
		signed.Content.Content.Bytes, slices.Concat(signer.Attributes.FullBytes, signer.Signature, signer.Unsigned.FullBytes)}
}

// names are the names of evidence.
func names(all []timestamp.Evidence) string {
	var list []string
	for _, e := range all {
		list = append(list, e.Name)
	}
	return strings.Join(list, ", ")
}

// TestRevocationInToken: an element of crls is read, kept aside, or no token.
func TestRevocationInToken(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	crl := w.below.CRL(year(2029), year(2031), nil)
	answer := w.below.OCSP(w.signer.Certificate, tsa.Good, year(2029), year(2031), w.below)
	ocsp := tsa.OtherInfo(answer)
	inPEM := pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: crl})
	many := func(n int) (all [][]byte) { return slices.Repeat([][]byte{crl}, n) }
	for _, c := range []struct {
		name, read, aside string
		refused           bool
		crls              [][]byte
	}{
		{name: "none", crls: [][]byte{}},
		{name: "each kind", read: "crl 1, ocsp 1", crls: [][]byte{crl, ocsp}},
		{name: "each kind twice, in another order", read: "ocsp 1, crl 1, ocsp 2, crl 2",
			crls: [][]byte{ocsp, crl, ocsp, crl}},
		{name: "an OCSP answer as a CRL", read: "crl 2", aside: "crl 1", crls: [][]byte{answer, crl}},
		{name: "a CRL as an OCSP answer", read: "ocsp 2", aside: "ocsp 1",
			crls: [][]byte{tsa.OtherInfo(crl), ocsp}},
		{name: "another format", read: "crl 1", aside: "ocsp 1",
			crls: [][]byte{tsa.Element(tsa.Inner1, tsa.OID(1, 3, 6, 1, 5, 5, 7, 16, 4), answer), crl}},
		{name: "an answer in the formats of authorities", read: "ocsp 1, ocsp 2",
			crls: [][]byte{tsa.Element(tsa.Inner1, tsa.OID(1, 3, 6, 1, 5, 5, 7, 48, 1), answer),
				tsa.Element(tsa.Inner1, tsa.OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1), tsa.BasicOCSP(answer))}},
		{name: "an answer in the format of the other", aside: "ocsp 1, ocsp 2",
			crls: [][]byte{tsa.Element(tsa.Inner1, tsa.OID(1, 3, 6, 1, 5, 5, 7, 48, 1), tsa.BasicOCSP(answer)),
				tsa.Element(tsa.Inner1, tsa.OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1), answer)}},
		{name: "a CRL that is cut", read: "crl 2", aside: "crl 1",
			crls: [][]byte{tsa.Element(tsa.Sequence, tsa.Inside(crl)[:50]), crl}},
		{name: "more in an OCSP answer", aside: "ocsp 1",
			crls: [][]byte{tsa.OtherInfo(append(slices.Clone(answer), 5, 0))}},
		{name: "a CRL in PEM inside another", aside: "crl 1",
			crls: [][]byte{tsa.Element(tsa.Sequence, tsa.Element(tsa.Octets, inPEM))}},
		{name: "another tag", refused: true, crls: [][]byte{tsa.Element(tsa.Inner2, tsa.Inside(crl))}},
		{name: "no element", refused: true, crls: [][]byte{{0x30}}},
		{name: "as many as can be", read: numbered(timestamp.MaxEvidence), crls: many(timestamp.MaxEvidence)},
		{name: "one more", refused: true, crls: many(timestamp.MaxEvidence + 1)},
	} {
		parts := w.token()
		parts.Revocation = c.crls
		token, fault := timestamp.Parse(parts.DER())
		if fault != nil {
			check.That(t, c.refused && fault.Code == timestamp.TokenMalformed, "%s: %v", c.name, fault)
			continue
		}
		var aside []string
		for _, f := range token.Unusable {
			aside = append(aside, f.Path)
		}
		check.That(t, !c.refused, "%s: read", c.name)
		check.Equal(t, names(token.Revocation), c.read, "%s: read", c.name)
		check.Equal(t, strings.Join(aside, ", "), c.aside, "%s: kept aside", c.name)
	}
}

// numbered are the names of so many CRLs.
func numbered(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("crl %d", i+1))
	}
	return strings.Join(all, ", ")
}

// TestJudgeByOwnRevocation: evidence in a token counts like a caller's, and is named if it is
// of no use.
func TestJudgeByOwnRevocation(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	root := w.root.CRL(year(2029), year(2031), nil)
	list := w.below.CRL(year(2029), year(2031), nil)
	bad := tsa.Revoked{Certificate: w.signer.Certificate, At: year(2027), Reason: 1}
	for name, c := range map[string]struct {
		crls   [][]byte
		want   finding.Code
		unused int
	}{
		"nothing":                 {nil, timestamp.TokenUnchecked, 0},
		"CRLs":                    {[][]byte{root, list}, "", 0},
		"of one certificate only": {[][]byte{list}, timestamp.TokenUnchecked, 0},
		"revoked by an answer": {[][]byte{root, list,
			tsa.OtherInfo(w.below.OCSP(w.signer.Certificate, bad.Status(), year(2029), year(2031), w.below))},
			timestamp.TokenNotValid, 0},
		"by someone else": {[][]byte{root, newWorld(tsa.ECDSA).below.CRL(year(2029), year(2031), nil)},
			timestamp.TokenUnchecked, 1},
		"kept aside": {[][]byte{root, list, tsa.Element(tsa.Sequence)}, "", 1},
	} {
		parts := w.token()
		parts.Revocation = c.crls
		chain := w.chain(t, parts)
		s := chain.Judge(year(2030), nil)
		check.Equal(t, outcome(s), c.want, "%s", name)
		check.Equal(t, len(s.Unused), c.unused, "%s: unused", name)
	}
	chain, _ := w.judge(w.token().DER())
	s := chain.Judge(year(2030), evidence(list, root))
	check.Equal(t, outcome(s), "", "what the caller gives")
}

// TestParseStored: a token with much evidence is read from a record, and not from an authority.
func TestParseStored(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	large := func(pad int) []byte {
		parts := w.token()
		parts.Revocation = [][]byte{w.below.CRL(year(2029), year(2031), nil, tsa.Padding(pad))}
		return parts.DER()
	}
	_, fault := timestamp.Parse(large(timestamp.MaxToken))
	checkFault(t, "large, from an authority", fault, timestamp.TokenMalformed)
	for name, c := range map[string]struct{ pad, read, aside int }{
		"large":          {timestamp.MaxToken, 1, 0},
		"largest CRL":    {timestamp.MaxRevocation - 1024, 1, 0},
		"larger than it": {timestamp.MaxRevocation, 0, 1},
	} {
		token, fault := timestamp.ParseStored(large(c.pad))
		must.That(t, fault == nil, "%s: %v", name, fault)
		check.That(t, len(token.Revocation) == c.read && len(token.Unusable) == c.aside, "%s: %v", name, token.Unusable)
	}
	_, fault = timestamp.ParseStored(make([]byte, timestamp.MaxStored+1))
	check.That(t, fault != nil && strings.Contains(fault.Expected, "at most"), "too large: %v", fault)
	_, fault = timestamp.ParseStored(make([]byte, timestamp.MaxStored))
	check.That(t, fault != nil && !strings.Contains(fault.Expected, "at most"), "not too large: %v", fault)
	_, fault = timestamp.ParseStored(tsa.Response(0, w.token().DER()))
	checkFault(t, "a response", fault, timestamp.TokenMalformed)
}

// TestWith: additions are there once, and in order. FuzzWith checks the parts that stay as
// before.
func TestWith(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	crls := evidence(w.root.CRL(year(2029), year(2031), nil), w.below.CRL(year(2029), year(2031), nil))
	answers := evidence(w.below.OCSP(w.signer.Certificate, tsa.Good, year(2029), year(2031), w.below))
	var others []*x509.Certificate
	for range timestamp.MaxCertificates - 2 {
		others = append(others, tsa.Authority("Other", tsa.ECDSA(), year(2020), year(2050)).Certificate)
	}
	for _, c := range []struct {
		name                          string
		certificates                  []*x509.Certificate
		crls                          [][]byte
		evidence                      []timestamp.Evidence
		version, nCertificates, nCRLs int
	}{
		{name: "nothing", version: 3, nCertificates: 2},
		{name: "certificates, two of which it has", certificates: append(others[:3:3], w.below.Certificate, others[0]),
			version: 3, nCertificates: 5},
		{name: "as many as can be", certificates: others, version: 3, nCertificates: 16},
		{name: "CRLs", evidence: crls, version: 3, nCertificates: 2, nCRLs: 2},
		{name: "a CRL that it has, twice", crls: [][]byte{crls[1].DER}, evidence: slices.Concat(crls, crls),
			version: 3, nCertificates: 2, nCRLs: 2},
		{name: "an answer", evidence: append(answers, crls...), version: 5, nCertificates: 2, nCRLs: 3},
		{name: "an answer that it has", crls: [][]byte{tsa.OtherInfo(answers[0].DER)}, evidence: answers,
			version: 5, nCertificates: 2, nCRLs: 1},
		{name: "an answer that it has in another format", evidence: answers, version: 5, nCertificates: 2, nCRLs: 1,
			crls: [][]byte{tsa.Element(tsa.Inner1, tsa.OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1), tsa.BasicOCSP(answers[0].DER))}},
		{name: "behind what is kept aside", crls: [][]byte{tsa.Element(tsa.Sequence)}, evidence: crls[:1],
			version: 3, nCertificates: 2, nCRLs: 2},
	} {
		parts := w.token()
		parts.Version, parts.Revocation = 8-c.version, c.crls // the other one
		old := must.Get(parse(parts.DER()))(t)
		token, fault := old.With(c.certificates, c.evidence)
		must.That(t, fault == nil, "%s: %v", c.name, fault)
		after := splitToken(t, token.DER)
		check.Equal(t, after.version, c.version, "%s: version", c.name)
		check.Equal(t, len(after.certificates), c.nCertificates, "%s: certificates", c.name)
		check.Equal(t, len(after.crls), c.nCRLs, "%s: CRLs", c.name)
		check.That(t, slices.IsSorted(after.certificates) && slices.IsSorted(after.crls), "%s: not in order", c.name)
		_, fault = w.judge(token.DER)
		checkFault(t, c.name, fault, "")
		again, fault := token.With(c.certificates, c.evidence)
		check.That(t, fault == nil && bytes.Equal(again.DER, token.DER), "%s: twice is not once: %v", c.name, fault)
	}
	parts := w.token()
	parts.Certificates = append(parts.Certificates, tsa.Element(tsa.Inner2))
	token, fault := must.Get(parse(parts.DER()))(t).With(nil, crls)
	must.That(t, fault == nil, "%v", fault)
	check.Equal(t, splitToken(t, token.DER).version, 4, "version with an attribute certificate")
	token = must.Get(parse(w.token().DER()))(t)
	_, fault = token.With(append(others, w.root.Certificate), nil)
	checkFault(t, "too many certificates", fault, timestamp.TokenMalformed)
}

// parse is timestamp.Parse for must.Get.
func parse(der []byte) (*timestamp.Token, error) {
	token, fault := timestamp.Parse(der)
	if fault != nil {
		return nil, fault
	}
	return token, nil
}

// TestHashed: the digest of a token is the digest of its DER form, whatever its order.
func TestHashed(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	parts := w.token()
	parts.Revocation = [][]byte{w.below.CRL(year(2029), year(2031), nil), w.root.CRL(year(2029), year(2031), nil)}
	slices.SortFunc(parts.Certificates, bytes.Compare)
	slices.SortFunc(parts.Revocation, bytes.Compare)
	sorted := must.Get(parse(parts.DER()))(t)
	sum := sorted.Hashed(timestamp.SHA512)
	check.That(t, bytes.Equal(sum, timestamp.SHA512.Sum(sorted.DER)), "a sorted token is not hashed as it is")
	for name, set := range map[string][][]byte{"certificates": parts.Certificates, "CRLs": parts.Revocation} {
		slices.Reverse(set)
		other := must.Get(parse(parts.DER()))(t)
		check.That(t, !bytes.Equal(other.DER, sorted.DER), "%s: the order is the same", name)
		check.That(t, bytes.Equal(other.Hashed(timestamp.SHA512), sum), "%s: another order has another digest", name)
		slices.Reverse(set)
	}
	parts.Version = 5
	other := must.Get(parse(parts.DER()))(t)
	check.That(t, bytes.Equal(other.Hashed(timestamp.SHA512), timestamp.SHA512.Sum(other.DER)),
		"the version is not hashed")
	parts.Certificates, parts.Revocation = [][]byte{}, nil
	other = must.Get(parse(parts.DER()))(t)
	check.That(t, bytes.Equal(other.Hashed(timestamp.SHA3x512), timestamp.SHA3x512.Sum(other.DER)),
		"an empty set is hashed otherwise than it is")
}
