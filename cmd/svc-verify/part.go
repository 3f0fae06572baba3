package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// partKey reads the key of --part-key; nil without one.
func (c *invocation) partKey() *part.Key {
	if !c.Given("part-key") {
		return nil
	}
	key, err := part.ReadKey(c.Text("part-key"))
	stopIf(err != nil, "the part key %s: %w", safetext.Quote(c.Text("part-key")), err)
	return key
}

// shareMemory is the memory from which on the collector works harder. A worker uses
// less: without this, garbage would double it.
const shareMemory = 160 << 20

// plannedShare returns the share of --plan and --index; nil without a plan.
func plannedShare(c *invocation) *share.Planned {
	refuseIf(!c.Given("plan") && c.Given("index"), "--index needs --plan")
	if !c.Given("plan") {
		return nil
	}
	refuseIf(!c.Given("index"), "--plan needs --index: Which share of the plan to read, from 0")
	set := slices.ContainsFunc([]string{"from-file", "only", "input-format", "batch-attribute", "unconfined"}, c.Given)
	refuseIf(len(c.Args) > 0 || set, "the plan says what to read and how: --plan goes without PATH, --from-file, "+
		"--only, --input-format, --batch-attribute and --unconfined")
	p, digest := c.readPlan()
	index := c.Number("index")
	refuseIf(index >= p.Shares, "--index: expected a share from 0 to %d of the plan, found %d", p.Shares-1, index)
	return &share.Planned{Plan: p, SHA256: digest, Index: index}
}

func writeShare(c *invocation) *reply {
	defer limitMemory(shareMemory)()
	root, key := c.trustFile(), c.partKey()
	from := plannedShare(c)
	return makePart(c, func(ctx context.Context, out *access.AsideFile) {
		writePartOf(ctx, c, out, key, func(o share.Options) (*share.Share, error) {
			if from != nil {
				return share.ReadPlanned(ctx, *from, root, o)
			}
			return share.Read(ctx, c.pathsOf(c.Args), root, o)
		})
	})
}

// writePartOf reads the share that a worker is to read, and writes its part.
func writePartOf(ctx context.Context, c *invocation, out *access.AsideFile, key *part.Key,
	from func(share.Options) (*share.Share, error)) {
	s, err := from(shareOptions(c, out.Is))
	stopOn(shareFault(err))
	_, err = part.Write(ctx, out, closeLater(c, s), key)
	stopOn(shareFault(err))
	stopOn(shareFault(out.Commit()))
	c.meter.Clear()
	c.sayLine("the part %s is written: %s, %s, %s, %s", safetext.Quote(c.Text("out")),
		safetext.Count(len(s.Shares()), "source"), safetext.Count(s.Summary.Events, "event"),
		safetext.Count(s.Summary.Documents, "document"),
		safetext.Count(s.Summary.Skipped, "span")+" that could not be read")
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
