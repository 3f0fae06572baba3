package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/trust"
)

func concludeParts(c *cliapp.Context) (int, error) {
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	var options conclude.Options
	if c.Given("plan") {
		if options.Plan, options.Digest, err = readPlan(c.Text("plan")); err != nil {
			return 0, err
		}
	}
	ctx, stop := interruptible()
	defer stop()
	result, err := concludeFrom(ctx, c, root, options)
	switch {
	case errors.Is(err, context.Canceled):
		return 0, errors.New("interrupted before there was a verdict")
	case err != nil:
		return 0, err
	case ctx.Err() != nil:
		fmt.Fprintln(c.Stderr, "svc-verify: stopped before the end: the result covers what was walked")
	}
	if c.Text("output") == "json" {
		return exitCode(result.Verdict), writeJSON(c.Stdout, result)
	}
	return exitCode(result.Verdict), writeAnswer(c, result, report.Asked{Name: argsName(c.Args),
		Next: append([]string{"svc-verify", "conclude", "--full", "--trust", c.Text("trust")}, c.Args...)})
}

// concludeFrom concludes from the parts of the arguments.
func concludeFrom(ctx context.Context, c *cliapp.Context, root *trust.Root, o conclude.Options) (_ *verdict.Result,
	err error) {
	key, err := partKey(c)
	if err != nil {
		return nil, err
	}
	defer limitMemory(partsMemory)()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	parts, err := openParts(ctx, c, key, m)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, parts.Close()) }()
	o.Proven = key != nil
	o.Examine = examine.Options{Workers: jobsOf(c), Progress: walkShownBy(m)}
	if o.Examine.Collected, err = collectedOf(c); err != nil {
		return nil, err
	}
	o.Examine.Stores, o.Examine.FindStores = storesOf(c)
	return conclude.Conclude(ctx, parts.Content, root, o)
}
