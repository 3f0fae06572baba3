package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// partKey reads the key of --part-key; nil without one.
func partKey(c *cliapp.Context) (*part.Key, error) {
	if !c.Given("part-key") {
		return nil, nil
	}
	key, err := part.ReadKey(c.Text("part-key"))
	if err != nil {
		return nil, fmt.Errorf("the part key %s: %w", safetext.Quote(c.Text("part-key")), err)
	}
	return key, nil
}

// shareMemory is the memory from which on the collector works harder. A worker uses
// less: without this, garbage would double it.
const shareMemory = 160 << 20

// limitMemory sets a limit for the garbage collector, and returns what takes it back.
func limitMemory(most int64) (restore func()) {
	before := debug.SetMemoryLimit(-1)
	if before <= most {
		return func() {}
	}
	debug.SetMemoryLimit(most)
	return func() { debug.SetMemoryLimit(before) }
}

// planned returns the share of --plan and --index; nil without a plan.
func planned(c *cliapp.Context) (*share.Planned, error) {
	if !c.Given("plan") {
		if c.Given("index") {
			return nil, cliapp.Usagef("--index needs --plan")
		}
		return nil, nil
	}
	switch {
	case !c.Given("index"):
		return nil, cliapp.Usagef("--plan needs --index: Which share of the plan to read, from 0")
	case len(c.Args) > 0 || c.Given("input-format") || c.Given("batch-attribute"):
		return nil, cliapp.Usagef("the plan says what to read and how: --plan goes without PATH, --input-format and " +
			"--batch-attribute")
	}
	p, digest, err := readPlan(c.Text("plan"))
	if err != nil {
		return nil, err
	}
	index := c.Number("index")
	if index >= p.Shares {
		return nil, cliapp.Usagef("--index: expected a share from 0 to %d of the plan, found %d", p.Shares-1, index)
	}
	return &share.Planned{Plan: p, SHA256: digest, Index: index}, nil
}

func writeShare(c *cliapp.Context) (int, error) {
	defer limitMemory(shareMemory)()
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	key, err := partKey(c)
	if err != nil {
		return 0, err
	}
	from, err := planned(c)
	if err != nil {
		return 0, err
	}
	return makePart(c, func(ctx context.Context, out *access.AsideFile) error {
		return writePartTo(ctx, c, out, &shareReader{c, root, from}, key)
	})
}

// shareReader reads the share that a worker is to read.
type shareReader struct {
	*cliapp.Context
	root *trust.Root
	plan *share.Planned // nil for the paths of the command line
}

func (r *shareReader) read(ctx context.Context, o share.Options) (*share.Share, error) {
	if r.plan != nil {
		return share.ReadPlanned(ctx, *r.plan, r.root, o)
	}
	return share.Read(ctx, r.Args, r.root, o)
}

// writePartTo reads the evidence and writes its part.
func writePartTo(ctx context.Context, c *cliapp.Context, out *access.AsideFile, r *shareReader,
	key *part.Key) (err error) {
	m := progress.New(c, progress.Size, nil)
	defer m.Clear()
	s, err := r.read(ctx, shareOptions(c, m, out.Is))
	if err != nil {
		return shareFault(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := part.Write(ctx, out, s, key); err != nil {
		return shareFault(err)
	}
	if err := out.Commit(); err != nil {
		return err
	}
	m.Clear()
	fmt.Fprintf(c.Stderr, "svc-verify: the part %s is written: %s, %s, %s, %s\n", safetext.Quote(c.Text("out")),
		safetext.Count(len(s.Shares()), "source"), counted(s.Summary.Events, "event"),
		counted(s.Summary.Documents, "document"), counted(s.Summary.Skipped, "span")+" that could not be read")
	return nil
}

func counted(n int64, what string) string { return safetext.Count(int(n), what) }

// shareFault names the path of an error of a file, as it was given.
func shareFault(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("reading %s: %s", safetext.Quote(at.Path), safetext.Line(at.Err.Error()))
	}
	return err
}

// shareOptions returns how a share is read for a part: evidence that cannot be read is
// no answer, as it may be there when it is tried again.
func shareOptions(c *cliapp.Context, m *progress.Meter, own func(fs.FileInfo) bool) share.Options {
	return share.Options{Dir: c.Text("temp-dir"), Progress: shownBy(m), Options: ingest.Options{Stdin: c.Stdin,
		Read: readOptions(c), Workers: jobsOf(c), LeaveOut: own, Unreadable: func(path string, err error) error {
			return fmt.Errorf("reading %s: %s", safetext.Quote(path), safetext.Line(access.WithoutPath(err).Error()))
		}}}
}
