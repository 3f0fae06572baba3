package record

import (
	"bytes"
	"crypto/x509"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/outcome"
)

// Step describes the next time stamp of a seal's record.
type Step struct {
	Hash   timestamp.Hash
	Lists  [][][]byte // the reduced hash tree of the seal
	Begins bool       // it begins a chain
}

// Imprint returns the digest that is stamped.
func (s Step) Imprint() []byte { return rootOf(s.Hash, s.Lists) }

// Begin returns the first step of the last chain, which has no time stamp yet.
func (f *Forest) Begin() Step {
	last := len(f.chains) - 1
	return Step{f.chains[last].Hash, f.trees[last].pathOf(f.objects[0].leaves[last]), true}
}

// Renewal returns the step that renews the newest token: it covers all tokens of its chain.
func (r *Record) Renewal() Step {
	c := &r.Chains[len(r.Chains)-1]
	var list [][]byte
	for i := range c.Stamps {
		list = append(list, c.Stamps[i].Token.Hashed(c.Hash))
	}
	slices.SortFunc(list, bytes.Compare)
	return Step{Hash: c.Hash, Lists: [][][]byte{list}}
}

// With returns the record with a token over a step. The record is nil for the first one.
func (r *Record) With(s Step, token *timestamp.Token) *Record {
	next := &Record{}
	if r != nil {
		next.Chains = slices.Clone(r.Chains)
	}
	if s.Begins {
		next.Chains = append(next.Chains, Chain{Hash: s.Hash})
	}
	last := &next.Chains[len(next.Chains)-1]
	*last = Chain{Hash: s.Hash, Stamps: append(slices.Clone(last.Stamps), Stamp{s.Lists, token})}
	return next
}

// Keep returns the record with evidence for its newest token put into that token:
// certificates on its way, and revocation data about them. The next time stamp covers them.
func (r *Record) Keep(certificates []*x509.Certificate, evidence []timestamp.Evidence) (*Record, error) {
	chains := slices.Clone(r.Chains)
	last := &chains[len(chains)-1]
	stamps := slices.Clone(last.Stamps)
	newest := &stamps[len(stamps)-1]
	token, fault := newest.Token.With(certificates, evidence)
	if fault != nil {
		return nil, fault
	}
	newest.Token = token
	*last = Chain{Hash: last.Hash, Stamps: stamps}
	return &Record{Chains: chains}, nil
}

// ErrNotDue reports a request that is not for the next time stamp.
var ErrNotDue = errors.New("the waiting request is not the one that is due: the seal, its lists or its record changed")

// Answer returns the token of an authority's answer to the request for a step, with
// further certificates on its way. The error is [ErrNotDue], a [timestamp.Fault], or about
// the further certificates.
func (s Step) Answer(request timestamp.Request, answer []byte, further []*x509.Certificate) (*timestamp.Token, error) {
	if request.Hash != s.Hash || !bytes.Equal(request.Imprint, s.Imprint()) {
		return nil, ErrNotDue
	}
	token, fault := timestamp.Parse(answer)
	if fault != nil {
		return nil, fault
	}
	if fault := token.Answers(request); fault != nil {
		return nil, fault
	}
	if token, fault = token.With(further, nil); fault != nil {
		return nil, fault
	}
	return token, nil
}

// Taken reports whether the newest token may be added to its record: nothing is wrong, and
// nothing is open but whether the certificates of that token itself are revoked by now.
func Taken(r *Report) bool {
	if r.Verdict == outcome.Rejected {
		return false
	}
	return !slices.ContainsFunc(r.Findings, func(f finding.InDocument) bool {
		return f.Step != len(r.Steps) || f.Code != timestamp.TokenUnchecked
	})
}
