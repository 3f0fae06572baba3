package main

import (
	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// describePart describes a part.
func describePart(c *invocation) *reply {
	key := c.partKey()
	ctx := c.interruptContext()
	c.newMeter(progress.Number).Show(progress.Done{Doing: "parts", Of: 1})
	var d *part.Description
	f, err := part.OpenPath(ctx, c.Args[0], key)
	if err == nil {
		d, err = part.Describe(ctx, closeLater(c, f))
	}
	if err != nil {
		stopInterrupted(&conclude.FileError{Path: c.Args[0], Err: err}, " before the part was read")
	}
	return &reply{json: d,
		doc: func() *answer.Doc { return report.Part(d, safetext.Quote(c.Args[0])) }}
}
