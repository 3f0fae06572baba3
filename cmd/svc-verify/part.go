package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// partKey reads the key of --part-key; nil without one.
func (c *invocation) partKey() *part.Key {
	if !c.Given("part-key") {
		return nil
	}
	return tryRead(c, func() (*part.Key, error) {
		key, err := part.ReadKey(c.Text("part-key"))
		if err != nil {
			err = fmt.Errorf("the part key %s: %w", safetext.Quote(c.Text("part-key")), err)
		}
		return key, err
	})
}

// shareMemory is the memory from which on the collector works harder. A worker uses
// less: without this, garbage would double it.
const shareMemory = 160 << 20

// plannedShare returns the share of --plan and --index; nil without a plan.
func plannedShare(c *invocation) (*share.Planned, error) {
	switch {
	case !c.Given("plan") && c.Given("index"):
		return nil, cliapp.Usagef("--index needs --plan")
	case !c.Given("plan"):
		return nil, nil
	case !c.Given("index"):
		return nil, cliapp.Usagef("--plan needs --index: Which share of the plan to read, from 0")
	case len(c.Args) > 0, c.Given("from-file"), c.Given("input-format"), c.Given("batch-attribute"):
		return nil, cliapp.Usagef("the plan says what to read and how: --plan goes without PATH, --from-file, " +
			"--input-format and --batch-attribute")
	}
	p, digest := c.readPlan()
	index := c.Number("index")
	if c.err == nil && index >= p.Shares {
		c.keepError(cliapp.Usagef("--index: expected a share from 0 to %d of the plan, found %d", p.Shares-1, index))
	}
	return &share.Planned{Plan: p, SHA256: digest, Index: index}, c.err
}

func writeShare(c *invocation) (*reply, error) {
	defer limitMemory(shareMemory)()
	root, key := c.trustFile(), c.partKey()
	from := tryRead(c, func() (*share.Planned, error) { return plannedShare(c) })
	return makePart(c, func(ctx context.Context, out *access.AsideFile) error {
		return shareFault(writePartOf(ctx, c, out, key, func(o share.Options) (*share.Share, error) {
			if from != nil {
				return share.ReadPlanned(ctx, *from, root, o)
			}
			paths := c.pathsOf(c.Args)
			if c.err != nil {
				return nil, c.err
			}
			return share.Read(ctx, paths, root, o)
		}))
	})
}

// writePartOf reads the share that a worker is to read, and writes its part.
func writePartOf(ctx context.Context, c *invocation, out *access.AsideFile, key *part.Key,
	from func(share.Options) (*share.Share, error)) (err error) {
	s, err := from(shareOptions(c, out.Is))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := part.Write(ctx, out, s, key); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	c.meter.Clear()
	c.sayLine("the part %s is written: %s, %s, %s, %s", safetext.Quote(c.Text("out")),
		safetext.Count(len(s.Shares()), "source"), safetext.Count(s.Summary.Events, "event"),
		safetext.Count(s.Summary.Documents, "document"),
		safetext.Count(s.Summary.Skipped, "span")+" that could not be read")
	return nil
}

// shareFault names the path of an error of a file, as it was given.
func shareFault(err error) error {
	if at := new(fs.PathError); errors.As(err, &at) {
		return fmt.Errorf("reading %s: %s", safetext.Quote(at.Path), safetext.Line(at.Err.Error()))
	}
	return err
}

// shareOptions returns how a share is read for a part: evidence that cannot be read is
// no answer, as it may be there when it is tried again.
func shareOptions(c *invocation, own func(fs.FileInfo) bool) share.Options {
	return share.Options{Dir: c.Text("temp-dir"), Progress: shownBy(c.newMeter(progress.Size)), Options: ingest.Options{
		Stdin: c.Stdin, Read: c.readOptions(), Workers: c.jobsOf(), LeaveOut: own,
		Unreadable: func(path string, err error) error {
			return fmt.Errorf("reading %s: %s", safetext.Quote(path), safetext.Line(access.WithoutPath(err).Error()))
		}}}
}
