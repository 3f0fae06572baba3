// Package revocation publishes revocations. It makes a certificate revocation list (RFC 5280,
// section 5) and OCSP answers (RFC 6960) for every issuer, the retired ones too.
//
// Each issuer answers for itself, with its own key. A list is published anew at
// once after a revocation, and in time before it expires.
package revocation

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"golang.org/x/crypto/ocsp"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// Authority holds the issuers' keys. An issuer is named by the SHA-256 of its
// SubjectPublicKeyInfo, in hex.
type Authority interface {
	Issuers() []*x509.Certificate
	SignCRL(issuerKey string, template *x509.RevocationList) ([]byte, error)
	SignOCSP(issuerKey string, template ocsp.Response) ([]byte, error)
}

// List is a published revocation list.
type List struct {
	IssuerKey              string
	Number                 int64
	ThisUpdate, NextUpdate time.Time
	DER                    []byte
}

// ReadList reads a list that was published.
func ReadList(issuerKey string, der []byte) (List, error) {
	l, err := x509.ParseRevocationList(der)
	if err != nil {
		return List{}, err
	}
	return List{issuerKey, l.Number.Int64(), l.ThisUpdate, l.NextUpdate, der}, nil
}

// Config configures a publisher.
type Config struct {
	Authority Authority
	// ListLifetime is how long a list is valid, and AnswerLifetime an OCSP
	// answer. Both are made anew when half of it is over.
	ListLifetime, AnswerLifetime time.Duration
}

// Publisher makes the lists and the answers. It is not safe for use by many
// goroutines.
type Publisher struct {
	config  Config
	issuers map[string]*issuer // by key digest
}

// issuer holds the publications in the name of one issuer.
type issuer struct {
	certificate  *x509.Certificate
	certificates map[string]*entry // by serial
	list         List              // Number 0 before the first
	stale        bool              // a revocation is not in the list yet
	failed       error             // why its key could not sign last
}

type entry struct {
	signer.Certificate
	answers map[answerKey]answer
}

// New returns a publisher that continues where the lists end.
func New(c Config, lists []List) *Publisher {
	p := &Publisher{config: c, issuers: map[string]*issuer{}}
	p.takeIssuers()
	for _, list := range lists {
		if i := p.issuers[list.IssuerKey]; i != nil {
			i.list = list
		}
	}
	return p
}

// takeIssuers adds the issuers that are new.
func (p *Publisher) takeIssuers() {
	for _, certificate := range p.config.Authority.Issuers() {
		key := seal.SHA256(certificate.RawSubjectPublicKeyInfo)
		if p.issuers[key] == nil {
			p.issuers[key] = &issuer{certificate: certificate, certificates: map[string]*entry{}, list: List{IssuerKey: key}}
		}
	}
}

// Put adds a certificate, or replaces its earlier state.
func (p *Publisher) Put(c signer.Certificate) error {
	p.takeIssuers()
	i := p.issuers[c.IssuerKey]
	if i == nil {
		return fmt.Errorf("no issuer with the key %s", c.IssuerKey)
	}
	revoked := !c.RevokedAt.IsZero()
	i.certificates[c.Serial] = &entry{Certificate: c, answers: map[answerKey]answer{}}
	i.stale = i.stale || revoked && !c.RevokedAt.Before(i.list.ThisUpdate)
	return nil
}

// Publish makes every list that is due and returns the new ones, in no order. A
// list that cannot be signed stays due; the error names all of them.
func (p *Publisher) Publish(now time.Time) ([]List, error) {
	p.takeIssuers()
	var made []List
	var failed error
	for key, i := range p.issuers {
		if !i.due(now, p.config.ListLifetime) {
			continue
		}
		list, err := p.newList(key, i, now)
		i.failed = err
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("revocation list of %s: %w", key, err))
			continue
		}
		i.list, i.stale = list, false
		made = append(made, list)
	}
	return made, failed
}

func (i *issuer) due(now time.Time, lifetime time.Duration) bool {
	return i.list.Number == 0 || i.stale || i.list.NextUpdate.Sub(now) < lifetime/2
}

func (p *Publisher) newList(key string, i *issuer, now time.Time) (List, error) {
	begin := now.UTC().Truncate(time.Second)
	template := &x509.RevocationList{
		Number: big.NewInt(i.list.Number + 1), ThisUpdate: begin, NextUpdate: begin.Add(p.config.ListLifetime),
	}
	for serial, e := range i.certificates {
		if e.NotAfter.Add(p.config.ListLifetime).Before(now) {
			delete(i.certificates, serial) // it stood in a list after it expired
			continue
		}
		if e.RevokedAt.IsZero() {
			continue
		}
		template.RevokedCertificateEntries = append(template.RevokedCertificateEntries, x509.RevocationListEntry{
			SerialNumber: parseSerial(serial), RevocationTime: e.RevokedAt.UTC().Truncate(time.Second),
			ReasonCode: reasonCode(e.Reason),
		})
	}
	slices.SortFunc(template.RevokedCertificateEntries, func(a, b x509.RevocationListEntry) int {
		return a.SerialNumber.Cmp(b.SerialNumber)
	})
	der, err := p.config.Authority.SignCRL(key, template)
	if err != nil {
		return List{}, err
	}
	return ReadList(key, der)
}

// CRL is the newest list of an issuer, nil if there is none.
func (p *Publisher) CRL(issuerKey string) []byte {
	if i := p.issuers[issuerKey]; i != nil {
		return i.list.DER
	}
	return nil
}

// parseSerial reads a serial.
func parseSerial(serial string) *big.Int {
	n, _ := new(big.Int).SetString(serial, 16)
	return n
}

// reasonCode is the number of a reason, RFC 5280, 5.3.1.
func reasonCode(reason string) int {
	return max(0, slices.Index([]string{
		"unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded",
		"cessationOfOperation", "certificateHold", "", "removeFromCRL", "privilegeWithdrawn", "aACompromise",
	}, reason))
}

// ListState is the state of an issuer's list.
type ListState struct {
	List
	// State is current; pending while there is no list, or while one with a
	// revocation could not be published; or expired.
	State string
}

// Status is the state of the publication.
type Status struct {
	Lists     []ListState // by issuer
	Responses int         // certificates that OCSP answers for
	Attention int         // of these, those whose issuer could not sign last
}

// Current reports whether everything is published as it should be.
func (s Status) Current() bool {
	return s.Attention == 0 && !slices.ContainsFunc(s.Lists, func(l ListState) bool { return l.State != "current" })
}

// Status is how the publication is at a time.
func (p *Publisher) Status(now time.Time) Status {
	var status Status
	for _, i := range p.issuers {
		state := "current"
		switch {
		case i.list.Number == 0 || i.stale:
			state = "pending"
		case !now.Before(i.list.NextUpdate):
			state = "expired"
		}
		status.Lists = append(status.Lists, ListState{i.list, state})
		for _, e := range i.certificates {
			if e.NotAfter.Before(now) {
				continue
			}
			status.Responses++
			if i.failed != nil {
				status.Attention++
			}
		}
	}
	slices.SortFunc(status.Lists, func(a, b ListState) int { return cmp.Compare(a.IssuerKey, b.IssuerKey) })
	return status
}

// Expiring counts the certificates in force at a time, and how many of them expire within a
// window from then.
func (p *Publisher) Expiring(now time.Time, window time.Duration) (active, expiring int64) {
	for _, i := range p.issuers {
		for _, e := range i.certificates {
			if !e.RevokedAt.IsZero() || !now.Before(e.NotAfter) {
				continue
			}
			active++
			if !e.NotAfter.After(now.Add(window)) {
				expiring++
			}
		}
	}
	return active, expiring
}
