package main

import (
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func showAnswer(c *invocation) *reply {
	search, in := c.searchOf(), c.openCase()
	last := c.lastWalk(in, chain.Hash{})
	out := mustHave(query.Show(c.ctx, in, last, search))
	out.AddNotes(c.journal)
	return &reply{code: anyOf(len(out.Events) > 0), json: out,
		doc: func() *answer.Doc { return report.Show(out, c.askedOf()) }}
}

// searchOf reads which events the flags select.
func (c *invocation) searchOf() query.Search {
	search := query.Search{Filter: c.filterOf()}
	ways := c.countGiven("sequence", "transaction", "hash")
	refuseIf(ways != 1, "show needs one of --sequence, --transaction and --hash")
	refuseIf(c.Given("sequence") && (search.First != search.Last || !c.Given("log")),
		"--sequence selects one event, and needs --log; svc-verify show events lists several")
	if c.Given("hash") {
		hash, ok := form.Digest(strings.ToLower(c.Text("hash")))
		refuseIf(!ok, "--hash: expected 64 hex digits, found %s", safetext.Quote(c.Text("hash")))
		search.Hash = (*chain.Hash)(&hash)
	}
	return search
}

// countGiven returns how many of some flags were given.
func (c *invocation) countGiven(flags ...string) (n int) {
	for _, name := range flags {
		if c.Given(name) {
			n++
		}
	}
	return n
}
