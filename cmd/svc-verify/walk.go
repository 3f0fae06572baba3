package main

import (
	"context"
	"path/filepath"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

func walkCase(c *invocation) *reply {
	root := c.trustFile()
	ctx := c.interruptContext()
	if c.Given("max-duration") {
		limited, cancel := context.WithTimeout(ctx, c.Duration("max-duration"))
		defer cancel()
		c.ctx = limited
	}
	o := c.caseWalkOptions()
	o.Logs, o.NoCompare = c.List("log"), c.Switch("no-compare")
	if c.Switch("since-last") {
		o.Extent = examine.SinceLast
	}
	result := c.walkInto(root, o)
	if c.wasStopped() {
		c.sayLine(partial + "; walk --since-last continues from there")
	}
	return c.firstScreen(result, c.askedOf())
}

// caseWalkOptions returns the options of a walk that keeps its result.
func (c *invocation) caseWalkOptions() examine.Options {
	o := c.walkFlags(c.examineOptions())
	o.TrustPath = mustHave(filepath.Abs(c.trustPath()))
	return o
}

// walkFlags adds to the options of a walk the flags that every command with a verdict on logs has.
func (c *invocation) walkFlags(o examine.Options) examine.Options {
	o.Workers, o.Collected, o.Strict = c.jobsOf(), c.collectedOf(), c.Switch("strict")
	o.Stores, o.FindStores = c.storesOf()
	return o
}

// walkInto walks the case, which keeps the result.
func (c *invocation) walkInto(root *trust.Root, o examine.Options) *verdict.Result {
	r, err := examine.Examine(c.ctx, c.caseFile(), root, o)
	return mustHave(r, c.caseFault(err))
}

func crosscheckCase(c *invocation) *reply {
	root := c.trustFile()
	var evidence []crosscheck.Evidence
	for _, name := range c.List("evidence") {
		evidence = append(evidence, crosscheck.Evidence{Name: name, Bytes: c.readEvidence(name, form.MaxBundle)})
	}
	o := c.examineOptions()
	o.Stores, o.FindStores = c.storesOf()
	r, err := examine.Crosscheck(c.ctx, c.caseFile(), root, evidence, o)
	stopOn(c.caseFault(err))
	return &reply{code: exitCode(r.Verdict), json: r,
		doc: func() *answer.Doc { return report.Crosscheck(r, c.askedOf()) }}
}
