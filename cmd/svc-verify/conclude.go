package main

import (
	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
)

func concludeParts(c *invocation) *reply {
	root := c.trustFile()
	var o conclude.Options
	if c.Given("plan") {
		o.Plan, o.Digest = c.readPlan()
	}
	ctx, key := c.interruptContext(), c.partKey()
	defer limitMemory(partsMemory)()
	var result *verdict.Result
	stopInterrupted(catchFailure(func() {
		parts := c.openParts(key)
		o.Proven, o.Examine = key != nil, c.walkOptions()
		result = mustHave(conclude.Conclude(ctx, parts, root, o))
	}), " before there was a verdict")
	if c.wasStopped() {
		c.sayLine(partial)
	}
	return c.firstScreen(result, report.Asked{Name: argsName(c.Args),
		Next: append([]string{"svc-verify", "conclude", "--full", "--trust", c.Text("trust")}, c.Args...)})
}
