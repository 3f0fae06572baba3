package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveLog(c *cliapp.Context) (int, error) {
	return withLedger(c, func(ctx context.Context, l *ledger.Ledger, about logbook.About) (int, error) {
		log, err := logbook.ReadLog(ctx, l, about)
		if err != nil {
			return 0, err
		}
		return archive.Exit(log.Verdict), writeForm(c, log, text.Log(log))
	})
}

// nowOf returns the time that a command takes for now, in whole milliseconds.
func nowOf(c *cliapp.Context) time.Time {
	if c.Given("at") {
		return timeOf(c, "at")
	}
	return time.Now().UTC().Truncate(time.Millisecond)
}

func archiveStatus(c *cliapp.Context) (int, error) {
	at := nowOf(c)
	return withLedger(c, func(ctx context.Context, l *ledger.Ledger, about logbook.About) (int, error) {
		s, err := logbook.ReadStatus(ctx, l, about, at, c.Duration("max-age"))
		if err != nil {
			return 0, err
		}
		sayUnknownKeys(c, s.UnknownKeys)
		return archive.Exit(s.Verdict), writeForm(c, s, text.Status(s))
	})
}

func archiveDiff(c *cliapp.Context) (int, error) {
	return withLedger(c, func(ctx context.Context, l *ledger.Ledger, about logbook.About) (int, error) {
		d, err := logbook.ReadDiff(ctx, l, about, c.Args[0], c.Args[1])
		if err != nil {
			return 0, err
		}
		return archive.Exit(d.Verdict), writeForm(c, d, text.Diff(d))
	})
}

func archiveAccept(c *cliapp.Context) (code int, err error) {
	at := nowOf(c)
	path, ok := object.ParsePath(c.Args[0])
	if !ok {
		return 0, cliapp.Usagef("PATH: expected a path as a check writes it, found %s", safetext.Quote(c.Args[0]))
	}
	digest, err := digestOf(c, "digest")
	if err != nil {
		return 0, err
	}
	expect, err := digestOf(c, "expect-run")
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	if _, err := os.Stat(c.Text("ledger")); err != nil { // a new one has nothing to accept
		return 0, fmt.Errorf("reading %s: %w", safetext.Quote(c.Text("ledger")), access.WithoutPath(err))
	}
	w, err := writeLedger(ctx, c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	about, err := logbook.Look(ctx, w.Ledger, expect)
	if err != nil {
		return 0, err
	}
	by := run.Acceptance{At: at.UnixMilli(), By: c.Text("by"), Reason: c.Text("reason")}
	a, err := logbook.Accept(w, about, path, *digest, by)
	if err != nil {
		return 0, err
	}
	return archive.Exit(a.Verdict), writeForm(c, a, text.Accepted(a))
}

// withLedger answers from the ledger of a command, and says first how far that can be
// believed.
func withLedger(c *cliapp.Context, answer func(context.Context, *ledger.Ledger, logbook.About) (int, error)) (_ int,
	err error) {
	expect, err := digestOf(c, "expect-run")
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	l, err := readLedger(ctx, c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	about, err := logbook.Look(ctx, l, expect)
	if err != nil {
		return 0, err
	}
	for _, f := range about.Findings {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s\n", f.Code, safetext.Line(f.Message))
	}
	return answer(ctx, l, about)
}

// writeForm writes an answer as --output says.
func writeForm(c *cliapp.Context, answer any, p *page.Page) error {
	if c.Text("output") == "json" {
		return writeJSON(c.Stdout, answer)
	}
	return writePage(c, p)
}
