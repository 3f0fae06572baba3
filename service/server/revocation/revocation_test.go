package revocation

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"math/big"
	"testing"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// keys is an authority of two issuers; one of them can lose its key.
type keys struct {
	issuers []*x509.Certificate
	private map[string]crypto.Signer
	lost    string
}

func newKeys() *keys {
	k := &keys{private: map[string]crypto.Signer{}}
	for i, name := range []string{"one", "two"} {
		a := testca.New(name)
		k.issuers = append(k.issuers, a.Certificate)
		k.private[k.id(i)] = a.Key
	}
	return k
}

func (k *keys) id(i int) string { return seal.SHA256(k.issuers[i].RawSubjectPublicKeyInfo) }

func (k *keys) Issuers() []*x509.Certificate { return k.issuers }

var errLost = errors.New("the key is lost")

func (k *keys) issuer(id string) *x509.Certificate {
	if k.id(0) == id {
		return k.issuers[0]
	}
	return k.issuers[1]
}

func (k *keys) SignCRL(id string, template *x509.RevocationList) ([]byte, error) {
	if id == k.lost {
		return nil, errLost
	}
	return x509.CreateRevocationList(rand.Reader, template, k.issuer(id), k.private[id])
}

func (k *keys) SignOCSP(id string, template ocsp.Response) ([]byte, error) {
	if id == k.lost {
		return nil, errLost
	}
	return ocsp.CreateResponse(k.issuer(id), k.issuer(id), template, k.private[id])
}

var start = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

func publisher(k *keys, lists ...List) *Publisher {
	return New(Config{Authority: k, ListLifetime: 24 * time.Hour, AnswerLifetime: time.Hour}, lists)
}

// states are the states of both lists.
func states(p *Publisher, k *keys, now time.Time) [2]string {
	var found [2]string
	for _, l := range p.Status(now).Lists {
		if l.IssuerKey == k.id(0) {
			found[0] = l.State
		} else {
			found[1] = l.State
		}
	}
	return found
}

func publish(t *testing.T, p *Publisher, now time.Time, want int) []List {
	t.Helper()
	lists, err := p.Publish(now)
	must.That(t, err == nil && len(lists) == want, "%d lists, %v; want %d", len(lists), err, want)
	return lists
}

func TestListsAreRenewed(t *testing.T) {
	k := newKeys()
	p := publisher(k)
	got := states(p, k, start)
	check.That(t, got == [2]string{"pending", "pending"} && !p.Status(start).Current(), "before the first: %v", got)
	publish(t, p, start, 2)
	check.That(t, p.Status(start).Current(), "after the first: %v", states(p, k, start))
	publish(t, p, start.Add(12*time.Hour), 0)
	publish(t, p, start.Add(12*time.Hour+time.Second), 2)
	late := start.Add(37 * time.Hour)
	check.Equal(t, states(p, k, late), [2]string{"expired", "expired"}, "when nobody renewed them")
	edge := start.Add(36*time.Hour + time.Second)
	check.Equal(t, states(p, k, edge.Add(-time.Second)), [2]string{"current", "current"}, "a second before")
	check.Equal(t, states(p, k, edge), [2]string{"expired", "expired"}, "at the moment")
	for _, list := range publish(t, p, late, 2) {
		check.That(t, list.Number == 3, "number %d, not 3", list.Number)
	}
}

func TestRevocationIsPublishedAtOnce(t *testing.T) {
	k := newKeys()
	p := publisher(k)
	publish(t, p, start, 2)
	c := signer.Certificate{IssuerKey: k.id(0), Serial: "5a", NotAfter: start.Add(100 * time.Hour)}
	must.Do(t, p.Put(c))
	publish(t, p, start.Add(time.Minute), 0)
	c.RevokedAt, c.Reason = start.Add(2*time.Minute), "aACompromise"
	must.Do(t, p.Put(c))
	check.Equal(t, states(p, k, c.RevokedAt), [2]string{"pending", "current"}, "before it is published")
	lists := publish(t, p, c.RevokedAt, 1)
	list, err := x509.ParseRevocationList(lists[0].DER)
	must.That(t, err == nil && list.CheckSignatureFrom(k.issuers[0]) == nil, "%v", err)
	entry := list.RevokedCertificateEntries[0]
	check.That(t, entry.SerialNumber.Text(16) == "5a" && entry.ReasonCode == 10 &&
		entry.RevocationTime.Equal(c.RevokedAt) && list.Number.Int64() == 2, "the entry: %+v", entry)
	check.That(t, bytes.Equal(p.CRL(k.id(0)), lists[0].DER) && p.CRL("none") == nil, "another list is given out")
	// A publisher that starts anew continues the numbers, and keeps the entry until the
	// certificate has expired and was in a list after that.
	again := publisher(k, lists...)
	must.Do(t, again.Put(c))
	for at, want := range map[time.Duration]int{60 * time.Hour: 1, 110 * time.Hour: 1, 150 * time.Hour: 0} {
		fresh := publisher(k, lists...)
		must.Do(t, fresh.Put(c))
		made := must.Get(fresh.Publish(start.Add(at)))(t)
		for _, l := range made {
			list := must.Get(x509.ParseRevocationList(l.DER))(t)
			check.That(t, l.IssuerKey != k.id(0) || len(list.RevokedCertificateEntries) == want && l.Number == 3,
				"after %v: list %d has %d entries, want %d", at, l.Number, len(list.RevokedCertificateEntries), want)
		}
	}
	check.That(t, p.Put(signer.Certificate{IssuerKey: "none"}) != nil, "a certificate of no issuer was taken")
}

// An issuer that cannot sign holds up no one but itself, and it shows.
func TestIssuerThatCannotSign(t *testing.T) {
	k := newKeys()
	p := publisher(k)
	publish(t, p, start, 2)
	for i := range k.issuers {
		must.Do(t, p.Put(signer.Certificate{IssuerKey: k.id(i), Serial: "5a", NotAfter: start.Add(100 * time.Hour)}))
	}
	k.lost = k.id(1)
	must.Do(t, p.Put(signer.Certificate{IssuerKey: k.id(1), Serial: "5b", NotAfter: start.Add(100 * time.Hour),
		RevokedAt: start.Add(time.Minute), Reason: "superseded"}))
	now := start.Add(13 * time.Hour)
	lists, err := p.Publish(now)
	check.That(t, len(lists) == 1 && lists[0].IssuerKey == k.id(0) && errors.Is(err, errLost),
		"%d lists, %v", len(lists), err)
	status := p.Status(now)
	if got := states(p, k, now); got != [2]string{"current", "pending"} || status.Responses != 3 || status.Attention != 2 {
		t.Errorf("%v, %d of %d need attention", got, status.Attention, status.Responses)
	}
	request := func(i int, serial int64) []byte {
		return must.Get(ocsp.CreateRequest(&x509.Certificate{SerialNumber: big.NewInt(serial)}, k.issuers[i], nil))(t)
	}
	got := p.Answer(request(1, 0x5a), now)
	check.That(t, bytes.Equal(got, ocsp.TryLaterErrorResponse), "OCSP: %x", got)
	check.OK(t, check.Err(ocsp.ParseResponse(p.Answer(request(0, 0x5a), now), k.issuers[0])), "OCSP of the other issuer")
	k.lost = ""
	publish(t, p, now, 1)
	check.That(t, p.Status(now).Current(), "it has its key again")
}

// An answer is kept for half its life, and not for a moment after a revocation.
func TestAnswersAreKept(t *testing.T) {
	k := newKeys()
	p := publisher(k)
	c := signer.Certificate{IssuerKey: k.id(0), Serial: "5a", NotAfter: start.Add(100 * time.Hour)}
	must.Do(t, p.Put(c))
	request := must.Get(ocsp.CreateRequest(&x509.Certificate{SerialNumber: big.NewInt(0x5a)}, k.issuers[0], nil))(t)
	first := p.Answer(request, start)
	check.That(t, bytes.Equal(first, p.Answer(request, start.Add(29*time.Minute))), "it was not kept")
	check.That(t, !bytes.Equal(first, p.Answer(request, start.Add(30*time.Minute))),
		"it was kept for more than half its life")
	c.RevokedAt, c.Reason = start.Add(31*time.Minute), "superseded"
	must.Do(t, p.Put(c))
	answer, err := ocsp.ParseResponse(p.Answer(request, c.RevokedAt), k.issuers[0])
	check.That(t, err == nil && answer.Status == ocsp.Revoked && answer.RevocationReason == ocsp.Superseded,
		"after the revocation: %+v, %v", answer, err)
}

func TestExpiring(t *testing.T) {
	p := publisher(newKeys())
	for serial, after := range map[string]time.Duration{"1": time.Hour, "2": 2 * time.Hour, "3": 3 * time.Hour,
		"4": -time.Hour} {
		must.Do(t, p.Put(signer.Certificate{IssuerKey: p.config.Authority.(*keys).id(0), Serial: serial,
			NotAfter: start.Add(after)}))
	}
	active, expiring := p.Expiring(start, 2*time.Hour)
	check.That(t, active == 3 && expiring == 2, "%d active, %d expiring", active, expiring)
}

// No request crashes the responder, and every answer is one.
func FuzzAnswer(f *testing.F) {
	k := newKeys()
	p := publisher(k)
	must.Do(f, p.Put(signer.Certificate{IssuerKey: k.id(0), Serial: "5a", NotAfter: start.Add(time.Hour)}))
	good := must.Get(ocsp.CreateRequest(&x509.Certificate{SerialNumber: big.NewInt(0x5a)}, k.issuers[0], nil))(f)
	f.Add(good)
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, request []byte) {
		answer := p.Answer(request, start)
		_, err := ocsp.ParseResponse(answer, k.issuers[0])
		var refusal ocsp.ResponseError
		check.That(t, err == nil || errors.As(err, &refusal), "%x is answered with %x: %v", request, answer, err)
	})
}
