package main

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// joinParts writes the part that the parts of the arguments are together.
func joinParts(c *invocation) *reply {
	key := c.partKey()
	return makePart(c, func(ctx context.Context, out *access.AsideFile) {
		defer limitMemory(partsMemory)()
		parts := c.openParts(key)
		digest := mustHave(part.Write(ctx, out, parts, key))
		stopOn(out.Commit())
		c.meter.Clear()
		c.sayLine("the part %s is written: %s, %s in %s, sha256 %s",
			safetext.Quote(c.Text("out")), safetext.Count(parts.Files(), "part"),
			safetext.Count(len(parts.Shares()), "range"), safetext.Count(len(parts.Logs()), "log"), digest)
	})
}

// makePart has a part written to --out. One that is interrupted is not there.
func makePart(c *invocation, write func(context.Context, *access.AsideFile)) *reply {
	out := c.openOut(c.Text("out"))
	ctx := c.interruptContextWith(out.Discard)
	stopInterrupted(catchFailure(func() { write(ctx, out) }), ": no part was written")
	return &reply{}
}

// partsMemory is the memory from which on the collector works harder. A thousand parts
// that are read side by side take less than half of it.
const partsMemory = 384 << 20

// openParts opens the parts of the arguments.
func (c *invocation) openParts(key *part.Key) *conclude.Parts {
	files := mustHave(conclude.Find(c.Args))
	m := c.newMeter(progress.Number)
	return closeLater(c, mustHave(conclude.Open(c.ctx, files, key, func(opened int) {
		m.Show(progress.Done{Doing: "parts", Read: int64(opened), Of: int64(len(files))})
	})))
}
