package main

import (
	"context"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/form"
)

func walkCase(c *invocation) (*reply, error) {
	root := c.trustFile()
	if c.err != nil {
		return nil, c.err
	}
	ctx := c.interruptContext()
	if c.Given("max-duration") {
		limited, cancel := context.WithTimeout(ctx, c.Duration("max-duration"))
		defer cancel()
		ctx, c.ctx = limited, limited
	}
	o := c.examineOptions()
	o.Workers = c.jobsOf()
	o.Stores, o.FindStores = c.storesOf()
	o.Logs, o.NoCompare, o.Collected = c.List("log"), c.Switch("no-compare"), c.collectedOf()
	if c.Switch("since-last") {
		o.Extent = examine.SinceLast
	}
	result := tryRead(c, func() (*verdict.Result, error) {
		r, err := examine.Examine(ctx, c.caseFile(), root, o)
		return r, c.caseFault(err)
	})
	if c.err != nil {
		return nil, c.err
	}
	if c.wasStopped() {
		c.sayLine(partial + "; walk --since-last continues from there")
	}
	return c.firstScreen(result, c.askedOf()), nil
}

func crosscheckCase(c *invocation) (*reply, error) {
	root := c.trustFile()
	var evidence []crosscheck.Evidence
	for _, name := range c.List("evidence") {
		evidence = append(evidence, crosscheck.Evidence{Name: name, Bytes: c.readEvidence(name, form.MaxBundle)})
	}
	if c.err != nil {
		return nil, c.err
	}
	o := c.examineOptions()
	o.Stores, o.FindStores = c.storesOf()
	r, err := examine.Crosscheck(c.ctx, c.caseFile(), root, evidence, o)
	if err != nil {
		return nil, c.caseFault(err)
	}
	return &reply{code: exitCode(r.Verdict), json: r,
		doc: func() *answer.Doc { return report.Crosscheck(r, c.askedOf()) }}, nil
}
