package timestamp_test

import (
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	tsa "github.com/svc-edge/svc-verify/internal/tsatest"
)

// evidence parses revocation data. Malformed data is left out.
func evidence(docs ...[]byte) (all []timestamp.Evidence) {
	for _, doc := range docs {
		if e, fault := timestamp.ParseEvidence("file", doc); fault == nil {
			all = append(all, e)
		}
	}
	return all
}

// outcome returns the result of a judgement as one code.
func outcome(s timestamp.Standing) finding.Code {
	switch {
	case s.Fault != nil:
		return s.Fault.Code
	case len(s.Open) > 0:
		return s.Open[0].Code
	}
	return ""
}

// TestRevocation judges a token of 2026 in 2030, by CRLs and OCSP answers about its
// signer. The authority below always has a good CRL of the root.
func TestRevocation(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	other := newWorld(tsa.ECDSA)
	at, before, after := year(2030), year(2030).AddDate(0, -1, 0), year(2030).AddDate(0, 1, 0)
	signer := w.signer.Certificate
	list := func(entries ...tsa.Revoked) []byte { return w.below.CRL(before, after, entries) }
	revoked := func(when time.Time, reason int) tsa.Revoked {
		return tsa.Revoked{Certificate: signer, At: when, Reason: reason}
	}
	responder := w.below.Responder("Responder", tsa.ECDSA(), year(2022), year(2035))
	answer := func(status []byte, by tsa.Identity) []byte { return w.below.OCSP(signer, status, before, after, by) }
	const open, is = timestamp.TokenUnchecked, timestamp.TokenNotValid
	for _, c := range []struct {
		name string
		want finding.Code
		docs [][]byte
	}{
		{"nothing", open, nil},
		{"a CRL without it", "", [][]byte{list()}},
		{"a CRL about others", "",
			[][]byte{list(tsa.Revoked{Certificate: other.root.Certificate, At: year(2026), Reason: 1})}},
		{"key compromise before", is, [][]byte{list(revoked(year(2029), 1))}},
		{"key compromise at that time", is, [][]byte{list(revoked(at, 1))}},
		{"key compromise after", "", [][]byte{list(revoked(at.Add(time.Second), 1))}},
		{"known since before", is, [][]byte{list(tsa.Revoked{Certificate: signer, At: after, Reason: 1, Since: year(2028)})}},
		{"no reason", is, [][]byte{list(revoked(year(2029), -1))}},
		{"superseded after the token", "", [][]byte{list(revoked(year(2027), 4))}},
		{"superseded before the token", is, [][]byte{list(revoked(year(2025), 4))}},
		{"superseded when the token was made", "", [][]byte{list(revoked(year(2026).Add(time.Second), 5))}},
		{"on hold", is, [][]byte{list(revoked(year(2029), 6))}},
		{"no more on hold", "", [][]byte{list(revoked(year(2029), 8))}},
		{"twice, once in order", is, [][]byte{list(revoked(year(2025), 1), revoked(year(2029), 4))}},
		{"twice, first in order", is, [][]byte{list(revoked(year(2027), 4), revoked(year(2029), 1))}},
		{"one of two says so", is, [][]byte{list(), list(revoked(year(2029), 1))}},
		{"too old", open, [][]byte{w.below.CRL(year(2029), at.Add(-time.Second), nil)}},
		{"just not too old", "", [][]byte{w.below.CRL(year(2029), at, nil)}},
		{"too old, and says so", is, [][]byte{w.below.CRL(year(2028), year(2029), []tsa.Revoked{revoked(year(2027), 1)})}},
		{"from later", "", [][]byte{w.below.CRL(year(2032), year(2033), nil)}},
		{"from after its end", open, [][]byte{w.below.CRL(year(2036), year(2037), nil)}},
		{"by another of the name", open, [][]byte{other.below.CRL(before, after, nil)}},
		{"by the root", open, [][]byte{w.root.CRL(before, after, nil)}},
		{"about users only", "",
			[][]byte{w.below.CRL(before, after, nil, tsa.Part(tsa.Element(tsa.Context1, []byte{0xff})))}},
		{"about authorities only", open,
			[][]byte{w.below.CRL(before, after, nil, tsa.Part(tsa.Element(0x82, []byte{0xff})))}},
		{"indirect", open, [][]byte{w.below.CRL(before, after, nil, tsa.Part(tsa.Element(0x84, []byte{0xff})))}},
		{"about some reasons", open, [][]byte{w.below.CRL(before, after, nil, tsa.Part(tsa.Element(0x83, []byte{6, 0x40})))}},
		{"in PEM", "", [][]byte{pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: list()})}},
		{"cut", open, [][]byte{list()[:40]}},

		{"OCSP by the issuer", "", [][]byte{answer(tsa.Good, w.below)}},
		{"OCSP by a responder", "", [][]byte{answer(tsa.Good, responder)}},
		{"OCSP revoked", is, [][]byte{answer(revoked(year(2029), 1).Status(), responder)}},
		{"OCSP revoked after", "", [][]byte{answer(revoked(at.Add(time.Second), 1).Status(), responder)}},
		{"OCSP superseded", "", [][]byte{answer(revoked(year(2029), 4).Status(), responder)}},
		{"OCSP unknown", open, [][]byte{answer(tsa.Unknown, responder)}},
		{"OCSP too old", open, [][]byte{w.below.OCSP(signer, tsa.Good, year(2028), year(2029), w.below)}},
		{"OCSP about another", open, [][]byte{w.below.OCSP(responder.Certificate, tsa.Good, before, after, w.below)}},
		{"OCSP by another issuer of the name", open,
			[][]byte{other.below.OCSP(signer, tsa.Good, before, after, other.below)}},
		{"OCSP by the signer itself", open, [][]byte{answer(tsa.Good, w.signer)}},
		{"OCSP by a responder of another", open, [][]byte{answer(tsa.Good,
			other.below.Responder("Responder", tsa.ECDSA(), year(2022), year(2035)))}},
		{"OCSP by a responder to be checked itself", open,
			[][]byte{answer(tsa.Good, w.below.Responder("Responder", tsa.ECDSA(),
				year(2022), year(2035), func(c *x509.Certificate) { c.ExtraExtensions = nil }))}},
		{"OCSP by a certificate for something else", open,
			[][]byte{answer(tsa.Good, w.below.Responder("Responder", tsa.ECDSA(),
				year(2022), year(2035),
				func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }))}},
		{"a CRL with an unknown critical extension", open, [][]byte{w.below.CRL(before, after, nil, tsa.Extension(true))}},
		{"a CRL with an unknown extension", "", [][]byte{w.below.CRL(before, after, nil, tsa.Extension(false))}},
		{"OCSP by a responder that ended", open, [][]byte{answer(tsa.Good,
			w.below.Responder("Responder", tsa.ECDSA(), year(2022), year(2029)))}},
	} {
		chain := w.chain(t, w.token())
		docs := append([][]byte{w.root.CRL(before, after, nil)}, c.docs...)
		check.Equal(t, outcome(chain.Judge(at, evidence(docs...))), c.want, "%s", c.name)
	}
	chain, _ := w.judge(w.token().DER())
	if s := chain.Judge(at, evidence(list())); outcome(s) != open || len(s.Open) != 1 {
		t.Errorf("nothing about the authority below: %+v", s)
	}
	s := chain.Judge(at, evidence(list(), w.root.CRL(before, after, nil), other.root.CRL(before, after, nil)))
	check.That(t, len(s.Unused) == 1 && len(s.RestsOn) == 2, "unused evidence is not named: %+v", s)
}

// TestIssuersOfLists: an authority that may not sign CRLs shows nothing by one.
func TestIssuersOfLists(t *testing.T) {
	for usage, want := range map[x509.KeyUsage]finding.Code{
		x509.KeyUsageCertSign: timestamp.TokenUnchecked, x509.KeyUsageCertSign | x509.KeyUsageCRLSign: "", 0: "",
	} {
		w := newWorld(tsa.ECDSA)
		w.below = w.root.Below("Below", tsa.ECDSA(), year(2021), year(2045), func(c *x509.Certificate) { c.KeyUsage = usage })
		w.signer = w.below.Stamper("Stamper", tsa.ECDSA(), year(2022), year(2035))
		chain := w.chain(t, w.token())
		docs := evidence(w.root.CRL(year(2029), year(2031), nil), w.below.CRL(year(2029), year(2031), nil))
		check.Equal(t, outcome(chain.Judge(year(2030), docs)), want, "key usage %d", usage)
	}
}

// TestExpiry: a token is valid as long as its certificates and its pin are.
func TestExpiry(t *testing.T) {
	w := newWorld(tsa.ECDSA)
	token, _ := timestamp.Parse(w.token().DER())
	pins := w.pins()
	for _, c := range []struct {
		name      string
		until, at time.Time
		want      finding.Code
		ends      time.Time
	}{
		{name: "the last moment of the signer", at: year(2035), ends: year(2035)},
		{name: "after the signer", at: year(2035).Add(time.Second), want: timestamp.TokenNotValid, ends: year(2035)},
		{name: "the pin ended", until: year(2030), at: year(2030), want: timestamp.TokenNotValid, ends: year(2030)},
		{name: "just before", until: year(2030), at: year(2030).Add(-time.Second), ends: year(2030)},
	} {
		pins[0].Until = c.until
		chain, fault := token.Trace(pins, nil)
		must.That(t, fault == nil, "%v", fault)
		docs := evidence(w.below.CRL(year(2029), year(2040), nil), w.root.CRL(year(2029), year(2040), nil))
		s := chain.Judge(c.at, docs)
		if got := outcome(s); got != c.want || !s.Until.Equal(c.ends) {
			t.Errorf("%s: %q until %v, want %q until %v", c.name, got, s.Until, c.want, c.ends)
		}
	}
}
