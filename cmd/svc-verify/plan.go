package main

import (
	"errors"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func planPaths(c *invocation) *reply {
	n := c.Number("parts")
	refuseIf(n > plan.MaxShares, "--parts: expected at most %d, found %d", plan.MaxShares, n)
	ctx, out := c.interruptContext(), c.openOut(c.Text("out"))
	c.requirePaths(c.Args)
	paths := c.pathsOf(c.Args)
	refuseIf(len(paths) == 0, "missing argument: svc-verify plan takes PATH... or --from-file")
	m := c.newMeter(progress.Size)
	p, err := plan.Make(ctx, paths, plan.Options{Shares: n,
		Ingest: ingest.Options{Read: c.readOptions(), LeaveOut: out.Is}}, func(p plan.Progress) {
		m.Show(progress.Done{Doing: p.Path, Read: p.Read, Of: p.Of})
	})
	refuseIf(errors.Is(err, ingest.ErrStream), "-: %v: svc-verify part takes it without a plan", err)
	stopInterrupted(err, ": no plan was written")
	doc := mustHave(p.Document())
	mustHave(out.Write(doc))
	stopOn(out.Commit())
	return &reply{code: anyOf(len(p.Sources) > 0), doc: func() *answer.Doc { return planDocument(p, doc) }}
}

// planDocument shows the content of a plan.
func planDocument(p *plan.Plan, doc []byte) *answer.Doc {
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
	d := &answer.Doc{Title: safetext.Count(p.Shares, "share"), Head: []answer.Block{answer.Pairs{
		answer.Value("without a source", empty), answer.Value("sources", len(p.Sources)), answer.Value("cut", cut),
		answer.Value("octets", octets), answer.Value("not read", len(p.Unread)),
		answer.Value("plan sha256", answer.Code(plan.Digest(doc).String()))}}}
	var list answer.List
	shown, left := answer.Cut(p.Unread, answer.MostDetails)
	for _, u := range shown {
		list = append(list, answer.Item{Text: answer.Say(answer.Name(u.Path)),
			Below: []answer.Text{answer.Say(u.Code, ": ", u.Detail)}})
	}
	if len(list) > 0 {
		d.AddSections(answer.Section{Heading: "Not read",
			Blocks: []answer.Block{list, answer.Rest{File: "the plan"}.Left(left, "paths")}})
	}
	return d
}

// readPlan reads the plan of --plan, and its digest.
func (c *invocation) readPlan() (*plan.Plan, chain.Hash) {
	name := c.Text("plan")
	doc := c.readFile(name, plan.MaxSize)
	p, err := plan.Parse(doc)
	if err != nil {
		stopOn(&fileFault{"plan " + safetext.Quote(name), err})
	}
	return p, plan.Digest(doc)
}
