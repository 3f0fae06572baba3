package main

import (
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
)

func trustDiff(c *cliapp.Context) (int, error) {
	for _, flag := range []string{"ledger", "all", "legacy-before", "tenant", "jobs", "temp-dir"} {
		if c.Given(flag) && !c.Given("replay") {
			return 0, cliapp.Usagef("--%s needs --replay", flag)
		}
	}
	from, err := readTrust(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	to, err := readTrust(c, c.Args[1])
	if err != nil {
		return 0, err
	}
	d := change.Between(from, to, c.Number("minimum-approvals"))
	if !c.Given("replay") {
		return exitVerified, writeDifference(c, d, nil)
	}
	r, err := rehearse(c, from, to)
	if err != nil {
		return 0, err
	}
	return classCode(outcome.Class(r.Verdict)), writeDifference(c, d, r)
}

// rehearse replays the change on a folder.
func rehearse(c *cliapp.Context, from, to *trust.Root) (_ *replay.Result, err error) {
	asked, err := keptPolicyOf(c)
	if err != nil {
		return nil, err
	}
	o := replay.Options{Dir: c.Text("replay"), Old: replay.Under{Root: from, Policy: asked},
		New: replay.Under{Root: to, Policy: asked}, All: c.Switch("all"), Workers: jobsOf(c), TempDir: c.Text("temp-dir")}
	ctx, stop := interruptible()
	defer stop()
	if c.Given("ledger") {
		l, err := readLedger(ctx, c)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		if err := o.UseLedger(ctx, l, asked); err != nil {
			return nil, err
		}
	}
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	o.Progress = func(path string, objects int64) { m.Show(progress.Done{Doing: path, Events: objects}) }
	r, err := replay.Run(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("--replay %s: %w", safetext.Quote(c.Text("replay")), access.WithoutPath(err))
	}
	return r, nil
}

// writeDifference writes what differs, and what a replay came to, if there was one.
func writeDifference(c *cliapp.Context, d change.Difference, r *replay.Result) error {
	if c.Text("output") == "json" {
		return writeJSON(c.Stdout, struct {
			Schema string `json:"schema"`
			change.Difference
			Replay *replay.Result `json:"replay,omitempty"`
		}{"svc-verify/trust-diff/v1", d, r})
	}
	p, err := text.Difference(d)
	if err != nil {
		return err
	}
	if r == nil {
		return writePage(c, p)
	}
	first, err := text.Replay(r)
	if err != nil {
		return err
	}
	rest := first.Rest()
	if err := writePart(c, first); err != nil {
		return err
	}
	rest.Break()
	rest.WriteString(p.String())
	return writePage(c, rest)
}
