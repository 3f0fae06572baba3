package timestamp_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

// TestLists: the conditions of SPEC 17.6, with a near miss for each. The signer's certificate
// names one distribution point.
func TestLists(t *testing.T) {
	const uri = "http://crl.example/1"
	w := newWorld(tsa.ECDSA, func(c *x509.Certificate) { c.CRLDistributionPoints = []string{uri} })
	at, before, after := year(2030), year(2029), year(2031)
	signer := w.signer.Certificate
	bad := tsa.Revoked{Certificate: signer, At: year(2027), Reason: -1}
	entry := func(further []byte) []tsa.Revoked {
		return []tsa.Revoked{{Certificate: w.root.Certificate, At: year(2027), Reason: -1, Further: further}}
	}
	list := func(entries []tsa.Revoked, further ...[]byte) []byte {
		return w.below.CRL(before, after, entries, further...)
	}
	part := func(elements ...[]byte) []byte { return list(nil, tsa.Part(elements...)) }
	ocsp := func(change func(*tsa.OCSPParts)) []byte {
		return w.below.OCSP(signer, tsa.Good, before, after, w.below, change)
	}
	nonce := func(last int, critical bool) []byte {
		oid := tsa.OID(1, 3, 6, 1, 5, 5, 7, 48, 1, last)
		flag := map[bool][]byte{true: {1, 1, 0xff}}[critical]
		one := tsa.Element(tsa.Sequence, oid, flag, tsa.Element(tsa.Octets))
		return tsa.Element(tsa.Inner1, tsa.Element(tsa.Sequence, one))
	}
	const open, is = timestamp.TokenUnchecked, timestamp.TokenNotValid
	extensions := tsa.Element(tsa.Inner0, tsa.Element(tsa.Sequence, tsa.ExtensionOf(20, false, tsa.Integer(7))))
	for _, c := range []struct {
		name string
		want finding.Code
		doc  []byte
	}{
		{"version 1", "", w.below.BareCRL(1, before, after, nil)},
		{"version 1, with it", is, w.below.BareCRL(1, before, after, []tsa.Revoked{bad})},
		{"version 1 with extensions", open, w.below.BareCRL(1, before, after, nil, extensions)},
		{"version 1 with an entry's extension", open, w.below.BareCRL(1, before, after, entry(tsa.Extension(false)))},
		{"version 2 with an entry's extension", "", w.below.BareCRL(2, before, after, entry(tsa.Extension(false)))},
		{"version 3", open, w.below.BareCRL(3, before, after, nil)},
		{"version 2 without extensions", "", w.below.BareCRL(2, before, after, nil)},
		{"version 2 with something else", open, w.below.BareCRL(2, before, after, nil, tsa.Null)},
		{"more behind extensions", open, w.below.BareCRL(2, before, after, nil, extensions, tsa.Null)},
		{"without nextUpdate", open, w.below.BareCRL(2, after, time.Time{}, nil)},

		{"of its distribution point", "", part(tsa.PointName(uri))},
		{"of its point and another", "", part(tsa.Element(tsa.Inner0, tsa.Element(tsa.Inner0,
			tsa.Element(0x86, []byte("ldap:x")), tsa.Element(0x86, []byte(uri)))))},
		{"of its point, about users", "", part(tsa.PointName(uri), tsa.Element(tsa.Context1, []byte{0xff}))},
		{"of its point, about authorities", open, part(tsa.PointName(uri), tsa.Element(0x82, []byte{0xff}))},
		{"of its point, for some reasons", open, part(tsa.PointName(uri), tsa.Element(0x83, []byte{6, 0x40}))},
		{"of its point, indirect", open, part(tsa.PointName(uri), tsa.Element(0x84, []byte{0xff}))},
		{"about attribute certificates", open, part(tsa.Element(0x85, []byte{0xff}))},
		{"of another point", open, part(tsa.PointName(uri + "0"))},
		{"of a point without a name", open, part(tsa.Element(tsa.Inner0, tsa.Element(tsa.Inner0)))},
		{"of an empty point", open, part(tsa.Element(tsa.Inner0))},
		{"of its point and a relative name", open, part(tsa.Element(tsa.Inner0, tsa.Inside(tsa.PointName(uri)),
			tsa.Element(tsa.Inner1, tsa.Null)))},
		{"of a relative name", open, part(tsa.Element(tsa.Inner0, tsa.Element(tsa.Inner1, tsa.Null)))},

		{"a delta", open, list(nil, tsa.ExtensionOf(27, true, tsa.Integer(1)))},
		{"a delta that is not critical", open, list(nil, tsa.ExtensionOf(27, false, tsa.Integer(1)))},
		{"with the place of a delta", "", list(nil, tsa.ExtensionOf(46, false, tsa.Element(tsa.Sequence)))},
		{"an entry of another issuer", open, list(entry(tsa.ExtensionOf(29, true, tsa.Element(tsa.Sequence))))},
		{"an entry of another issuer, not critical", open,
			list(entry(tsa.ExtensionOf(29, false, tsa.Element(tsa.Sequence))))},
		{"an entry with a critical extension", open, list(entry(tsa.Extension(true)))},
		{"an entry with an instruction", "", list(entry(tsa.ExtensionOf(23, false, tsa.OID(1, 2, 3))))},

		{"OCSP of version 1, with it", "", ocsp(func(p *tsa.OCSPParts) {
			p.Version = tsa.Element(tsa.Inner0, tsa.Integer(0))
		})},
		{"OCSP of version 2", open, ocsp(func(p *tsa.OCSPParts) {
			p.Version = tsa.Element(tsa.Inner0, tsa.Integer(1))
		})},
		{"OCSP with a nonce", "", ocsp(func(p *tsa.OCSPParts) { p.Extensions = nonce(2, false) })},
		{"OCSP with a critical nonce", "", ocsp(func(p *tsa.OCSPParts) { p.Extensions = nonce(2, true) })},
		{"OCSP with another extension", "", ocsp(func(p *tsa.OCSPParts) { p.Extensions = nonce(3, false) })},
		{"OCSP with another critical extension", open, ocsp(func(p *tsa.OCSPParts) { p.Extensions = nonce(3, true) })},
		{"an answer with a critical extension", open, ocsp(func(p *tsa.OCSPParts) { p.AnswerExtensions = nonce(3, true) })},
		{"OCSP that was made at parts of a second", "", ocsp(func(p *tsa.OCSPParts) {
			p.Produced = tsa.Element(tsa.Generalized, []byte("20290302090000.120Z"))
		})},
		{"OCSP that was made at no time", open, ocsp(func(p *tsa.OCSPParts) { p.Produced = tsa.Null })},
		{"OCSP until parts of a second", open, ocsp(func(p *tsa.OCSPParts) {
			p.Next = tsa.Element(tsa.Inner0, tsa.Element(tsa.Generalized, []byte("20310302090000.12Z")))
		})},
	} {
		chain := w.chain(t, w.token())
		s := chain.Judge(at, evidence(w.root.CRL(before, after, nil), c.doc))
		check.Equal(t, outcome(s), c.want, "%s", c.name)
	}
}

// TestListsOfAuthorities: a CRL about users shows nothing of an authority.
func TestListsOfAuthorities(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	for tag, want := range map[byte]finding.Code{0x81: timestamp.TokenUnchecked, 0x82: ""} {
		chain := w.chain(t, w.token())
		list := w.root.CRL(year(2029), year(2031), nil, tsa.Part([]byte{tag, 1, 0xff}))
		s := chain.Judge(year(2030), evidence(list, w.below.CRL(year(2029), year(2031), nil)))
		check.Equal(t, outcome(s), want, "part %x", tag)
	}
}

// TestDistributionPoints: a CRL with a name is about a certificate whose own point has that name alone.
func TestDistributionPoints(t *testing.T) {
	const uri = "http://crl.example/1"
	name := tsa.PointName(uri)
	for label, c := range map[string]struct {
		points []byte
		want   finding.Code
	}{
		"the name": {tsa.Element(tsa.Sequence, tsa.Element(tsa.Sequence, name)), ""},
		"none":     {nil, timestamp.TokenUnchecked},
		"a second point": {tsa.Element(tsa.Sequence, tsa.Element(tsa.Sequence, tsa.PointName("x")),
			tsa.Element(tsa.Sequence, name)), ""},
		"for some reasons": {tsa.Element(tsa.Sequence, tsa.Element(tsa.Sequence, name,
			tsa.Element(tsa.Context1, []byte{6, 0x40}))), timestamp.TokenUnchecked},
		"of another issuer": {tsa.Element(tsa.Sequence, tsa.Element(tsa.Sequence, name,
			tsa.Element(tsa.Inner2, tsa.Element(0xa4, tsa.Element(tsa.Sequence))))), timestamp.TokenUnchecked},
	} {
		w := newWorld(tsa.ECDSA, func(x *x509.Certificate) {
			if c.points != nil {
				x.ExtraExtensions = append(x.ExtraExtensions,
					pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 31}, Value: c.points})
			}
		})
		chain := w.chain(t, w.token())
		s := chain.Judge(year(2030), evidence(w.root.CRL(year(2029), year(2031), nil),
			w.below.CRL(year(2029), year(2031), nil, tsa.Part(name))))
		check.Equal(t, outcome(s), c.want, "%s", label)
	}
}
