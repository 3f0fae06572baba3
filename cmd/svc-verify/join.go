package main

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func joinParts(c *invocation) (*reply, error) {
	key := c.partKey()
	return makePart(c, func(ctx context.Context, out *access.AsideFile) error { return joinTo(ctx, c, out, key) })
}

// makePart has a part written to --out. One that is interrupted is not there.
func makePart(c *invocation, write func(context.Context, *access.AsideFile) error) (*reply, error) {
	out := c.openOut(c.Text("out"))
	if c.err != nil {
		return nil, c.err
	}
	err := write(c.interruptContextWith(out.Discard), out)
	if errors.Is(err, context.Canceled) {
		return nil, errors.New("interrupted: no part was written")
	}
	return &reply{}, err
}

// joinTo writes the part that the parts of the arguments are together.
func joinTo(ctx context.Context, c *invocation, out *access.AsideFile, key *part.Key) error {
	defer limitMemory(partsMemory)()
	parts := c.openParts(key)
	if c.err != nil {
		return c.err
	}
	digest, err := part.Write(ctx, out, parts.Content, key)
	if err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	c.meter.Clear()
	c.sayLine("the part %s is written: %s, %s in %s, sha256 %s",
		safetext.Quote(c.Text("out")), safetext.Count(parts.Files(), "part"),
		safetext.Count(len(parts.Content.Shares()), "range"), safetext.Count(len(parts.Content.Logs()), "log"), digest)
	return nil
}

// partsMemory is the memory from which on the collector works harder. A thousand parts
// that are read side by side take less than half of it.
const partsMemory = 384 << 20

// openParts opens the parts of the arguments.
func (c *invocation) openParts(key *part.Key) *conclude.Parts {
	files := tryRead(c, func() ([]string, error) { return conclude.Find(c.Args) })
	return tryOpen(c, func() (*conclude.Parts, error) {
		m := c.newMeter(progress.Number)
		return conclude.Open(c.ctx, files, key, func(opened int) {
			m.Show(progress.Done{Doing: "parts", Read: int64(opened), Of: int64(len(files))})
		})
	})
}
