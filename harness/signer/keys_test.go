package signer_test

import (
	"crypto/x509"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// generations are the keys of so many generations.
func generations(t *testing.T, count int) []signer.Generation {
	t.Helper()
	var list []signer.Generation
	for i := range count {
		g := signer.NewGeneration(i+1, time.Now(), chance.Fresh())
		list = append(list, g)
	}
	return list
}

func TestKeysAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signer.keys")
	if none, err := signer.ReadKeys(path); err != nil || len(none) != 0 {
		t.Errorf("before the first: %v, %v", none, err)
	}
	want := generations(t, 2)
	for i := range want {
		must.Do(t, signer.WriteKeys(path, want[:i+1]))
	}
	got, err := signer.ReadKeys(path)
	must.That(t, err == nil && len(got) == 2, "%d generations, %v", len(got), err)
	for i, g := range got {
		check.That(t, g.Key.ID == want[i].Key.ID && g.Key.Private.Equal(want[i].Key.Private) &&
			g.Issuer.KeyDigest() == want[i].Issuer.KeyDigest(),
			"generation %d is another one", i+1)
		list := must.Get(x509.CreateRevocationList(nil,
			&x509.RevocationList{Number: big.NewInt(1), NextUpdate: time.Now().Add(time.Hour)},
			g.Issuer.Certificate, g.Issuer.Key))(t)
		if parsed, err := x509.ParseRevocationList(list); err != nil ||
			parsed.CheckSignatureFrom(want[i].Issuer.Certificate) != nil {
			t.Errorf("generation %d does not sign: %v", i+1, err)
		}
	}
	info, err := os.Stat(path)
	check.That(t, err == nil && info.Mode().Perm() == 0o600, "%v %v", info.Mode(), err)
}

// Whatever the file holds, no key of it is in the error.
func TestDamagedKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signer.keys")
	must.Do(t, signer.WriteKeys(path, generations(t, 1)))
	whole := must.Get(os.ReadFile(path))(t)
	o := must.Get(seal.Parse(whole))(t)
	entry := seal.List(o, "generations")[0].(seal.Object)
	secrets := []string{seal.Text(entry, "private_key"), seal.Text(entry, "issuer_private_key")}
	damaged := map[string][]byte{"half of it": whole[:len(whole)/2], "nothing": nil}
	for _, name := range []string{"private_key", "issuer_certificate", "issuer_private_key"} {
		for what, value := range map[string]any{"cut": seal.Text(entry, name)[:20], "absent": "",
			"no base64": "!" + seal.Text(entry, name)} {
			other := seal.CloneObject(o)
			seal.List(other, "generations")[0].(seal.Object)[name] = value
			damaged[name+" "+what] = seal.Canonical(other)
		}
	}
	for name, b := range damaged {
		must.Do(t, os.WriteFile(path, b, 0o600))
		_, err := signer.ReadKeys(path)
		if err == nil {
			t.Errorf("%s: read", name)
			continue
		}
		for _, secret := range secrets {
			check.That(t, !strings.Contains(err.Error(), secret[:20]), "%s: the error shows a key: %v", name, err)
		}
	}
}

// A resumed signer knows the certificates that it issued and revoked, and signs for the
// issuers of every generation.
func TestResume(t *testing.T) {
	b := ready(t)
	must.Get(b.Signer.Issue(b.t.Case, b.request))(t)
	certificate, ok := b.Signer.Certificate(transaction)
	_, other := b.Signer.Certificate("other")
	must.That(t, ok && !other, "no certificate, or one of another transaction")
	keys := generations(t, 2)
	roster := consent.NewRoster(b.t.Case.TransactionID)
	resumed := func(c signer.Certificate) *signer.Signer {
		s := signer.New(roster, b.Clock, chance.New(3).Stream("serials"))
		s.Use(keys[0])
		s.Use(keys[1])
		registry := s.Publish(signer.Algorithms)
		again := signer.New(roster, b.Clock, chance.New(3).Stream("serials"))
		again.Use(keys[0])
		again.Use(keys[1])
		again.Resume(registry, []signer.Certificate{c})
		return again
	}
	certificate.IssuerKey = keys[0].Issuer.KeyDigest()
	s := resumed(certificate)
	check.Fails(t, check.Err(s.Issue(b.t.Case, b.request)), "already", "a second certificate")
	_, _, err := s.Revoke(transaction, "superseded")
	check.That(t, err == nil, "revocation under a retired issuer: %v", err)
	after, _ := s.Certificate(transaction)
	check.That(t, !after.RevokedAt.IsZero() && after.Reason == "superseded", "%+v", after)
	_, _, err = resumed(after).Revoke(transaction, "superseded")
	check.That(t, err != nil, "revoked twice")
	for i, issuer := range s.Issuers() {
		id := keys[i].Issuer.KeyDigest()
		der := must.Get(s.SignCRL(id, &x509.RevocationList{Number: big.NewInt(1), NextUpdate: time.Now().Add(time.Hour)}))(t)
		list, err := x509.ParseRevocationList(der)
		check.That(t, err == nil && list.CheckSignatureFrom(issuer) == nil, "list of issuer %d: %v", i, err)
		der = must.Get(s.SignOCSP(id, ocsp.Response{SerialNumber: big.NewInt(1), ThisUpdate: time.Now(),
			NextUpdate: time.Now().Add(time.Hour)}))(t)
		check.OK(t, check.Err(ocsp.ParseResponse(der, issuer)), "answer of issuer %d", i)
	}
	check.That(t, check.Err(s.SignCRL("none", &x509.RevocationList{})) != nil, "a list of no issuer")
	check.That(t, check.Err(s.SignOCSP("none", ocsp.Response{})) != nil, "an answer of no issuer")
}
