package part

import (
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// merged is several contents as one.
type merged struct {
	header Header
	shares []Share
	unread []Unread
	inputs []input
	logs   []walk.Log
	all    []*input
	holds  map[walk.Log][]span // of those that have copies of a log
}

// input is a content, and what becomes of its shares.
type input struct {
	Content
	shares []moved
	cut    bool // some of its shares are dropped

	lends    bool // what it yields stays while two more are read, and may be changed
	shuffled bool // its arrivals may come into another order
}

// moved is what becomes of a share.
type moved struct {
	to         int
	dropped    bool  // another content has all of it
	records    int64 // of the ranges below it
	containers []int // where its containers are; nil if they stay where they are
}

// owned is a share of one of the contents.
type owned struct {
	Share
	content, index int
}

// alike returns an error that says in what two headers differ.
func alike(a, b Header) error {
	switch {
	case a.Rules != b.Rules:
		return &Differs{"rules", strconv.Quote(a.Rules), strconv.Quote(b.Rules)}
	case a.Read != b.Read:
		return &Differs{"ways of reading", strconv.Quote(a.Read), strconv.Quote(b.Read)}
	case a.TrustSHA256 != b.TrustSHA256:
		return &Differs{"trust files", a.TrustSHA256.String(), b.TrustSHA256.String()}
	case a.Plan != b.Plan:
		return &Differs{"plans", planned(a.Plan), planned(b.Plan)}
	}
	return nil
}

func planned(plan chain.Hash) string {
	if plan == (chain.Hash{}) {
		return "none"
	}
	return plan.String()
}

// move moves a place of an input, and reports whether it is kept.
func (in *input) move(p *Place) bool {
	s := &in.shares[p.Share]
	p.Share, p.Record = s.to, p.Record+s.records
	if s.containers != nil {
		p.Container = s.containers[p.Container]
	}
	return !s.dropped
}

// Header returns the header that all inputs have.
func (m *merged) Header() Header { return m.header }

// Shares returns the shares of all inputs, joined.
func (m *merged) Shares() []Share { return m.shares }

// Unread returns the unread paths of all inputs.
func (m *merged) Unread() []Unread { return m.unread }

// Logs returns the logs of all inputs.
func (m *merged) Logs() []walk.Log { return m.logs }
