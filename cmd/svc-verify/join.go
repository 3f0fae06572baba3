package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/aside"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// joinTo writes the part that the parts of the arguments are together.
func joinTo(ctx context.Context, c *cliapp.Context, out *aside.File, key *part.Key) (err error) {
	defer limitMemory(partsMemory)()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	parts, err := openParts(ctx, c, key, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, parts.Close()) }()
	digest, err := part.Write(ctx, out, parts.Content, key)
	if err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	m.Clear()
	fmt.Fprintf(c.Stderr, "svc-verify: the part %s is written: %s, %s in %s, sha256 %s\n",
		safetext.Quote(c.Text("out")), safetext.Count(parts.Files(), "part"),
		safetext.Count(len(parts.Content.Shares()), "range"), safetext.Count(len(parts.Content.Logs()), "log"), digest)
	return nil
}

// partsMemory is the memory from which on the collector works harder. A thousand parts
// that are read side by side take less than half of it.
const partsMemory = 384 << 20

// openParts opens the parts of the arguments.
func openParts(ctx context.Context, c *cliapp.Context, key *part.Key, m *progress.Meter) (*conclude.Parts, error) {
	files, err := conclude.Find(c.Args)
	if err != nil {
		return nil, err
	}
	return conclude.Open(ctx, files, key, func(opened int) {
		m.Show(progress.Done{Doing: "parts", Read: int64(opened), Of: int64(len(files))})
	})
}
