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
