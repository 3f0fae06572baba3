package main

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
)

func concludeParts(c *invocation) (*reply, error) {
	root := c.trustFile()
	var o conclude.Options
	if c.Given("plan") {
		o.Plan, o.Digest = c.readPlan()
	}
	ctx, key := c.interruptContext(), c.partKey()
	defer limitMemory(partsMemory)()
	parts := c.openParts(key)
	o.Proven, o.Examine = key != nil, c.walkOptions()
	result := tryRead(c, func() (*verdict.Result, error) { return conclude.Conclude(ctx, parts.Content, root, o) })
	switch {
	case errors.Is(c.err, context.Canceled):
		return nil, errors.New("interrupted before there was a verdict")
	case c.err != nil:
		return nil, c.err
	case c.wasStopped():
		c.sayLine(partial)
	}
	return c.firstScreen(result, report.Asked{Name: argsName(c.Args),
		Next: append([]string{"svc-verify", "conclude", "--full", "--trust", c.Text("trust")}, c.Args...)}), nil
}
