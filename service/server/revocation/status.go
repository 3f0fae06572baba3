package revocation

import (
	"cmp"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/signer"
)

// ListState is how a list of an issuer stands.
type ListState struct {
	List
	// State is current; pending while there is no list, or while one with a
	// revocation could not be published; or expired.
	State string
}

// Status is how the publication stands.
type Status struct {
	Lists     []ListState // by issuer
	Responses int         // certificates that OCSP answers for
	Attention int         // of these, those whose issuer could not sign last
}

// Current reports whether everything is published as it should be.
func (s Status) Current() bool {
	return s.Attention == 0 && !slices.ContainsFunc(s.Lists, func(l ListState) bool { return l.State != "current" })
}

// Status is how the publication stands at a time.
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

// Expiring counts the certificates in force at a time, and returns those of them
// that expire within a window from then, the next to expire first.
func (p *Publisher) Expiring(now time.Time, window time.Duration) (active int64, expiring []signer.Certificate) {
	for _, i := range p.issuers {
		for _, e := range i.certificates {
			if !e.RevokedAt.IsZero() || !now.Before(e.NotAfter) {
				continue
			}
			active++
			if !e.NotAfter.After(now.Add(window)) {
				expiring = append(expiring, e.Certificate)
			}
		}
	}
	slices.SortFunc(expiring, func(a, b signer.Certificate) int {
		return cmp.Or(a.NotAfter.Compare(b.NotAfter), cmp.Compare(a.IssuerKey, b.IssuerKey),
			cmp.Compare(a.Serial, b.Serial))
	})
	return active, expiring
}
