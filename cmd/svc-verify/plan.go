package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func planPaths(c *invocation) (*reply, error) {
	if n := c.Number("parts"); n > plan.MaxShares {
		return nil, cliapp.Usagef("--parts: expected at most %d, found %d", plan.MaxShares, n)
	}
	ctx, out := c.interruptContext(), c.openOut(c.Text("out"))
	c.requirePaths(c.Args)
	if c.err != nil {
		return nil, c.err
	}
	m := c.newMeter(progress.Size)
	p, err := plan.Make(ctx, c.Args, plan.Options{Shares: c.Number("parts"),
		Ingest: ingest.Options{Read: c.readOptions(), LeaveOut: out.Is}}, func(p plan.Progress) {
		m.Show(progress.Done{Doing: p.Path, Read: p.Read, Of: p.Of})
	})
	switch {
	case errors.Is(err, ingest.ErrStream):
		return nil, cliapp.Usagef("-: %v: svc-verify part takes it without a plan", err)
	case errors.Is(err, context.Canceled):
		return nil, errors.New("interrupted: no plan was written")
	case err != nil:
		return nil, err
	}
	doc, err := p.Document()
	if err != nil {
		return nil, err
	}
	if _, err := out.Write(doc); err != nil {
		return nil, err
	}
	return &reply{code: anyOf(len(p.Sources) > 0), page: func() *page.Page { return planPage(p, doc) }}, out.Commit()
}

// planPage is what a plan says, for people.
func planPage(p *plan.Plan, doc []byte) *page.Page {
	octets, cut, empty := int64(0), 0, 0
	for i := range p.Sources {
		octets += p.Sources[i].Size
		if len(p.Sources[i].Ranges) > 1 {
			cut++
		}
	}
	for _, pieces := range p.Pieces() {
		if len(pieces) == 0 {
			empty++
		}
	}
	out := page.New()
	out.Heading(safetext.Count(p.Shares, "share"))
	out.Pairs(page.Pair{"without a source", fmt.Sprint(empty)}, page.Pair{"sources", fmt.Sprint(len(p.Sources))},
		page.Pair{"cut", fmt.Sprint(cut)}, page.Pair{"octets", fmt.Sprint(octets)},
		page.Pair{"not read", fmt.Sprint(len(p.Unread))}, page.Pair{"plan sha256", plan.Digest(doc).String()})
	for i, u := range p.Unread[:min(len(p.Unread), mostUnread)] {
		if i == 0 {
			out.Heading("not read")
		}
		out.Prose(2, safetext.Quote(u.Path))
		out.Prose(4, u.Code+": "+safetext.Line(u.Detail))
	}
	if more := len(p.Unread) - mostUnread; more > 0 {
		out.Prose(2, fmt.Sprintf("%d more are in the plan", more))
	}
	return out
}

// mostUnread is how many paths are shown that are not read.
const mostUnread = 20

// readPlan reads the plan of --plan, and its digest.
func (c *invocation) readPlan() (*plan.Plan, chain.Hash) {
	name := c.Text("plan")
	doc := c.readFile(name, plan.MaxSize)
	return tryRead(c, func() (*plan.Plan, error) {
		p, err := plan.Parse(doc)
		if err != nil {
			err = &fileFault{"plan " + safetext.Quote(name), err}
		}
		return p, err
	}), plan.Digest(doc)
}
