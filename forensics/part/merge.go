package part

import (
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
)

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
