package main

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func describeCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "describe",
		Summary: "Show what a part holds, without judging it",
		Description: "Shows what a part says of itself: under which trust file, plan and rules it was made, which ranges " +
			"of which sources it holds, and how many records of each log and source. It gives no verdict: only " +
			"conclude does. Whether a part has a MAC is shown; whether the MAC holds needs --part-key.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the part is shown, whatever is in it"},
			{Code: cliapp.ExitFailure, Meaning: "could not work: a file that cannot be read, is no part of this version, or " +
				"is damaged; a MAC that does not hold"},
		},
		Args: "PART",
		Flags: append([]cliapp.Flag{
			partKeyFlag(), formFlag(), colorFlag(), sourcesFlag(),
		}, progress.Flags()...),
		Examples: []string{
			"svc-verify describe 7.part",
			"svc-verify describe --part-key part.key --output json all.part",
		},
		Action: describePart,
	}
}

func describePart(c *cliapp.Context) (int, error) {
	key, err := partKey(c)
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	m.Show(progress.Done{Doing: "parts", Of: 1})
	d, err := describe(ctx, c.Args[0], key)
	m.Clear()
	switch {
	case errors.Is(err, context.Canceled):
		return 0, errors.New("interrupted before the part was read")
	case err != nil:
		return 0, &conclude.FileError{Path: c.Args[0], Err: err}
	}
	if c.Text("output") == "json" {
		return exitVerified, writeJSON(c.Stdout, d)
	}
	return exitVerified, writeDocument(c, report.Part(d, safetext.Quote(c.Args[0]), c.Switch("sources")))
}

func describe(ctx context.Context, path string, key *part.Key) (_ *part.Description, err error) {
	f, err := part.OpenPath(ctx, path, key)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return part.Describe(ctx, f)
}
