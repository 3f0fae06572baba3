package timestamp

import (
	"crypto/x509"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/internal/form"
)

// Standing is the status of a chain at a time.
type Standing struct {
	// Fault is nil if the chain is valid, or if that is open.
	Fault *Fault
	// Open names the certificates without evidence that they were not revoked.
	Open []*Fault
	// Unused names the evidence that could not be used, and why.
	Unused []*Fault
	// RestsOn are the algorithms of the evidence that was used.
	RestsOn []Algorithm
	// Until is the earliest time at which a certificate or the pin ends.
	Until time.Time
}

// Judge returns the standing of the token at a time (SPEC 17.6 and 17.7): every certificate of
// its way is valid, none below the authority is revoked, and the authority is still pinned. It
// uses the evidence that is given and that in the token.
func (c *Chain) Judge(at time.Time, evidence []Evidence) Standing {
	s := Standing{Until: c.until()}
	evidence = slices.Concat(evidence, c.Token.Revocation)
	if end := c.Authority.Until; !end.IsZero() && !at.Before(end) {
		s.Fault = faultAt(TokenNotValid, "authority "+c.Authority.Name, "an authority that is pinned at "+
			form.FormatTime(at), "one that is pinned until "+form.FormatTime(end))
		return s
	}
	for _, one := range c.Way {
		if fault := validAt(one, at); fault != nil {
			s.Fault = fault
			return s
		}
	}
	used := make([]bool, len(evidence))
	why := make([]*Fault, len(evidence))
	for i, one := range c.Way[:len(c.Way)-1] {
		s.revocation(one, c.Way[i+1], c.Token.Time, at, evidence, used, why)
		if s.Fault != nil {
			return s
		}
	}
	for i := range evidence {
		if !used[i] && why[i] != nil {
			s.Unused = append(s.Unused, why[i])
		}
	}
	s.Unused = append(s.Unused, c.Token.Unusable...)
	s.RestsOn = Distinct(s.RestsOn)
	return s
}

// until returns the earliest end.
func (c *Chain) until() time.Time {
	end := c.Authority.Until
	for _, one := range c.Way {
		if end.IsZero() || one.NotAfter.Before(end) {
			end = one.NotAfter
		}
	}
	return end
}

// revocation judges one certificate of the way by all evidence about it.
func (s *Standing) revocation(c, issuer *x509.Certificate, made, at time.Time, evidence []Evidence,
	used []bool, why []*Fault) {
	covered := false
	for i, e := range evidence {
		state, fault := e.about(c, issuer, at)
		if fault != nil {
			if why[i] == nil {
				why[i] = fault
			}
			continue
		}
		used[i] = true
		s.RestsOn = append(s.RestsOn, state.restsOn...)
		covered = covered || state.covers
		for _, r := range state.revoked {
			if r.counts(made, at) {
				s.Fault = faultAt(TokenNotValid, nameOf(c), "a certificate that was not revoked at "+form.FormatTime(at),
					"one revoked from "+form.FormatTime(r.at)+" on, reason "+r.reason.String())
				return
			}
		}
	}
	if !covered {
		s.Open = append(s.Open, faultAt(TokenUnchecked, nameOf(c), "a CRL or OCSP answer for "+
			form.FormatTime(at), "none"))
	}
}

// state is the status of one certificate by the evidence.
type state struct {
	covers  bool // it speaks for the time asked about
	revoked []revoked
	restsOn []Algorithm
}

// revoked is when and why a certificate was revoked; the zero value means nothing.
type revoked struct {
	at     time.Time
	reason reason
}

// reason is a CRLReason of RFC 5280, section 5.3.1.
type reason int

// reasons are those under which RFC 3161, section 4, keeps tokens from before.
var reasons = map[reason]string{0: "unspecified", 1: "keyCompromise", 2: "cACompromise",
	3: "affiliationChanged", 4: "superseded",
	5: "cessationOfOperation", 6: "certificateHold", 8: "removeFromCRL", 9: "privilegeWithdrawn", 10: "aACompromise"}

// String returns the reason's name.
func (r reason) String() string {
	if name, ok := reasons[r]; ok {
		return name
	}
	return "unknown"
}

// counts reports whether a revocation speaks against a token that was made at a time and is
// judged at another. Where the key was given up in order, it does not speak against tokens
// from before (RFC 3161, section 4). In all other cases an attacker may have the key, and can
// date tokens back.
func (r revoked) counts(made, at time.Time) bool {
	if r.at.IsZero() || r.at.After(at) {
		return false
	}
	inOrder := r.reason == 3 || r.reason == 4 || r.reason == 5
	return !inOrder || !r.at.After(made)
}
