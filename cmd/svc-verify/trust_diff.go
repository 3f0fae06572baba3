package main

import (
	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
)

func trustDiff(c *invocation) *reply {
	if !c.Given("replay") {
		c.requireForm(commandForm{"without --replay", "", "minimum-approvals" + meteredFlags, 2})
	}
	from, to := c.readTrust(c.Args[0]), c.readTrust(c.Args[1])
	d := change.Between(from, to, c.Number("minimum-approvals"))
	a, r := &reply{}, (*replay.Result)(nil)
	if c.Given("replay") {
		r = replayChange(c, from, to)
		a.code = exitCode(outcome.Class(r.Verdict))
	}
	a.doc = func() *answer.Doc {
		if r != nil {
			return text.Replay(r, d)
		}
		return text.Difference(d)
	}
	a.json = struct {
		Schema string `json:"schema"`
		change.Difference
		Replay *replay.Result `json:"replay,omitempty"`
	}{"svc-verify/trust-diff/v1", d, r}
	return a
}

// replayChange replays the change on a folder.
func replayChange(c *invocation, from, to *trust.Root) *replay.Result {
	asked := c.keptPolicy()
	o := replay.Options{Dir: c.Text("replay"), Old: replay.Under{Root: from, Policy: asked},
		New: replay.Under{Root: to, Policy: asked}, All: c.Switch("all"), Workers: c.jobsOf(), TempDir: c.Text("temp-dir")}
	ctx := c.interruptContext()
	if c.Given("ledger") {
		stopOn(o.UseLedger(ctx, c.openLedger(), asked))
	}
	o.Progress = c.countShown()
	r, err := replay.Run(ctx, o)
	stopIf(err != nil, "--replay %s: %w", safetext.Quote(o.Dir), access.WithoutPath(err))
	return r
}
