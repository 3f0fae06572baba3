package server_test

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"math/big"
	"net/http"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// public makes a call without a client certificate.
func (b *bench) public(method, path string, body []byte) (int, string, []byte) {
	b.t.Helper()
	answer, text := b.send(b.http(), method, path, body)
	return answer.StatusCode, answer.Header.Get("Content-Type"), []byte(text)
}

// certificates are the leaf and the issuer of a transaction.
func (b *bench) certificates(id string) (leaf, issuer *x509.Certificate) {
	b.t.Helper()
	var list []*x509.Certificate
	for _, text := range seal.Texts(b.status(id, "0"), "certificates") {
		der := must.Get(seal.Unbase64(text))(b.t)
		certificate := must.Get(x509.ParseCertificate(der))(b.t)
		list = append(list, certificate)
	}
	return list[0], list[1]
}

// crl reads the revocation list of an issuer.
func (b *bench) crl(issuer *x509.Certificate) *x509.RevocationList {
	b.t.Helper()
	status, kind, der := b.public("GET", "/pki/"+seal.SHA256(issuer.RawSubjectPublicKeyInfo)+".crl", nil)
	must.That(b.t, status == 200 && kind == "application/pkix-crl", "the list: %d %s", status, kind)
	list := must.Get(x509.ParseRevocationList(der))(b.t)
	must.Do(b.t, list.CheckSignatureFrom(issuer))
	return list
}

// ocsp asks for the status of a serial.
func (b *bench) ocsp(leaf, issuer *x509.Certificate, hash crypto.Hash) *ocsp.Response {
	b.t.Helper()
	request := must.Get(ocsp.CreateRequest(leaf, issuer, &ocsp.RequestOptions{Hash: hash}))(b.t)
	status, kind, der := b.public("POST", "/pki/ocsp", request)
	must.That(b.t, status == 200 && kind == "application/ocsp-response", "%d %s", status, kind)
	return must.Get(ocsp.ParseResponseForCert(der, leaf, issuer))(b.t)
}

func TestRevocationIsPublished(t *testing.T) {
	b, nodes := fleet(t)
	for _, id := range []string{"tx-1", "tx-2"} {
		b.issued(id, "payments-api")
	}
	leaf, issuer := b.certificates("tx-1")
	other, _ := b.certificates("tx-2")
	before := b.crl(issuer)
	check.That(t, len(before.RevokedCertificateEntries) == 0 && before.NextUpdate.After(time.Now().Add(20*time.Hour)),
		"before: %+v", before)
	got := b.ocsp(leaf, issuer, crypto.SHA1)
	check.That(t, got.Status == ocsp.Good, "before: %d", got.Status)
	revocation := "/api/v1/transactions/tx-1/revocation"
	for _, reason := range []string{"certificateHold", "removeFromCRL", "", "none"} {
		b.refused("request_invalid", operator, "POST", revocation, seal.Object{"reason": reason})
	}
	for range 2 {
		b.as(operator, "POST", revocation, seal.Object{"reason": "keyCompromise"})
	}
	b.refused("conflict", operator, "POST", revocation, seal.Object{"reason": "superseded"})
	b.refused("not_found", operator, "POST", "/api/v1/transactions/tx-9/revocation", seal.Object{"reason": "superseded"})
	hold := func(number int64) {
		t.Helper()
		list := b.crl(issuer)
		must.That(t, len(list.RevokedCertificateEntries) == 1 && list.Number.Cmp(big.NewInt(number)) >= 0,
			"the list: %+v", list)
		entry := list.RevokedCertificateEntries[0]
		check.That(t, entry.SerialNumber.Cmp(leaf.SerialNumber) == 0 && entry.ReasonCode == 1 &&
			time.Since(entry.RevocationTime) <= time.Minute, "its entry: %+v", entry)
		for _, hash := range []crypto.Hash{crypto.SHA1, crypto.SHA256} {
			got := b.ocsp(leaf, issuer, hash)
			check.That(t, got.Status == ocsp.Revoked && got.RevocationReason == ocsp.KeyCompromise &&
				got.RevokedAt.Equal(entry.RevocationTime), "OCSP: %+v", got)
		}
		if got := b.ocsp(other, issuer, crypto.SHA256); got.Status != ocsp.Good || !got.NextUpdate.After(time.Now()) {
			t.Errorf("OCSP of the other one: %+v", got)
		}
		got := b.ocsp(&x509.Certificate{SerialNumber: big.NewInt(7)}, issuer, crypto.SHA1)
		check.That(t, got.Status == ocsp.Unknown, "OCSP of none: %+v", got)
	}
	hold(before.Number.Int64() + 1)
	b.restart()
	hold(before.Number.Int64() + 1)
	nodes[0].topics()
	rotated := b.as(operator, "POST", "/api/v1/signer/rotation", seal.Object{})
	check.That(t, seal.Integer(rotated, "generation") == 2, "rotated: %s", seal.Canonical(rotated))
	hold(before.Number.Int64() + 1)
	// The retired issuer still revokes, and its list is still renewed.
	b.as(operator, "POST", "/api/v1/transactions/tx-2/revocation", seal.Object{"reason": "superseded"})
	list := b.crl(issuer)
	check.That(t, len(list.RevokedCertificateEntries) == 2, "the list of the retired issuer: %+v", list)
	number := b.crl(issuer).Number
	b.clock.pass(13 * time.Hour)
	must.Eventually(b.t, "the list is renewed", func() bool { return b.crl(issuer).Number.Cmp(number) > 0 })
	b.verified("tx-2", "revoked", nodes)
	must.Eventually(b.t, "the notice", func() bool { return has(nodes[0].topics(), "trust_bundle.updated") })
	b.issued("tx-3", "payments-api")
	_, next := b.certificates("tx-3")
	check.That(t, !next.Equal(issuer), "the retired issuer has issued")
	b.verified("tx-3", "issued", nodes)
}

func TestPublicationRefuses(t *testing.T) {
	b := start(t)
	for path, want := range map[string]int{"/pki/none.crl": 404, "/pki/": 404, "/pki/ocsp": 405, "/pki/ocsp/AAAA": 404} {
		status, _, _ := b.public("GET", path, nil)
		check.That(t, status == want, "GET %s: %d, want %d", path, status, want)
	}
	for name, body := range map[string][]byte{"nothing": nil, "noise": []byte("noise"), "too much": make([]byte, 5000)} {
		want := 200
		if name == "too much" {
			want = 413
		}
		status, _, der := b.public("POST", "/pki/ocsp", body)
		check.Equal(t, status, want, "%s", name)
		check.That(t, want != 200 || bytes.Equal(der, ocsp.MalformedRequestErrorResponse), "%s: %x", name, der)
	}
	stranger := testca.New("stranger").Certificate
	request := must.Get(ocsp.CreateRequest(stranger, stranger, nil))(t)
	_, _, der := b.public("POST", "/pki/ocsp", request)
	check.That(t, bytes.Equal(der, ocsp.UnauthorizedErrorResponse), "an issuer that is another's: %x", der)
	status, _, _ := b.public("GET", "/api/v1/overview", nil)
	check.That(t, status == http.StatusForbidden, "the overview without a certificate: %d", status)
}
