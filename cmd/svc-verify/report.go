package main

import (
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/report"
)

func reportCase(c *invocation) *reply {
	root, in := c.givenTrust(), c.openCase()
	result := c.lastWalk(in, digestOf(root))
	if result == nil {
		c.sayLine("the case was not walked under this trust file, or not at all: svc-verify walk")
		return &reply{code: exitInconclusive}
	}
	r := mustHave(report.Gather(c.ctx, in, result))
	r.Title, r.Tool, r.Custody = c.Text("title"), tool(), c.journal
	incident.AddNotes(r.Incidents, c.journal)
	r.SetNames(c.askedOf())
	if root != nil {
		stopOn(c.caseFault(r.FindAffected(c.ctx, in, root, result)))
	}
	out := c.bufferedOut()
	remarks, err := report.Write(c.ctx, out, in, r, c.Text("output"))
	for _, remark := range remarks {
		c.sayLine("%s", remark)
	}
	stopOn(err)
	stopOn(out.Flush())
	return &reply{}
}
