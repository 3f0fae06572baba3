package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/conclude"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func joinParts(c *cliapp.Context) (int, error) {
	key, err := partKey(c)
	if err != nil {
		return 0, err
	}
	return makePart(c, func(ctx context.Context, out *access.AsideFile) error { return joinTo(ctx, c, out, key) })
}

// makePart has a part written to --out. One that is interrupted is not there.
func makePart(c *cliapp.Context, write func(context.Context, *access.AsideFile) error) (int, error) {
	out, err := access.OpenAside(c.Text("out"))
	if err != nil {
		return 0, err
	}
	defer out.Discard()
	ctx, stop := interruptibleWith(out.Discard)
	defer stop()
	err = write(ctx, out)
	if errors.Is(err, context.Canceled) {
		return 0, errors.New("interrupted: no part was written")
	}
	return exitVerified, err
}

// joinTo writes the part that the parts of the arguments are together.
func joinTo(ctx context.Context, c *cliapp.Context, out *access.AsideFile, key *part.Key) (err error) {
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
