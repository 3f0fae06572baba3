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

// logbookCommands are the commands that answer from a ledger alone.
func logbookCommands() []*cliapp.Command {
	return []*cliapp.Command{archiveAcceptCommand(), archiveLogCommand(), archiveStatusCommand(), archiveDiffCommand()}
}

// ledgerFlags are the flags that say which ledger is meant.
func ledgerFlags() []cliapp.Flag {
	return []cliapp.Flag{
		ledgerFlag(),
		{Name: "expect-run", Value: "DIGEST", Usage: "The ledger must have the run with this SHA-256"},
	}
}

// ledgerExits are the exit codes of a command whose answer is worth what the ledger is.
func ledgerExits(good string) []cliapp.ExitCode {
	return []cliapp.ExitCode{
		{Code: exitVerified, Meaning: good},
		{Code: exitRejected, Meaning: "the ledger was changed by something else, or lacks the run that was expected"},
		{Code: exitInconclusive, Meaning: "the ledger is under another user's key"},
	}
}

func archiveLogCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "log",
		Summary: "Show what the runs of an archive found, and who accepted what",
		Description: "Reads like a logbook: for each run its number, its time, how many objects were read, what " +
			"changed, and the digest. Objects that were added, moved or grew are counted; the first 20 others are " +
			"named.",
		ExitCodes: ledgerExits("done"),
		Flags:     append(ledgerFlags(), formFlag(), colorFlag()),
		Examples:  []string{"svc-verify archive log --ledger proofs.ledger"},
		Action:    archiveLog,
	}
}

func archiveLog(c *cliapp.Context) (int, error) {
	return withLedger(c, func(ctx context.Context, l *ledger.Ledger, about logbook.About) (int, error) {
		log, err := logbook.ReadLog(ctx, l, about)
		if err != nil {
			return 0, err
		}
		return archive.Exit(log.Verdict), writeForm(c, log, text.Log(log))
	})
}

func archiveStatusCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "status",
		Summary: "Show how much of an archive was read lately, and what is wrong now",
		Description: "Answers from the ledger alone: no object is read. The verdict is that of a check that found " +
			"nothing new.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "everything was read lately, and nothing is wrong"},
			{Code: exitRejected, Meaning: "an object is altered, missing or rejected, and not accepted, " +
				"or the ledger cannot be believed"},
			{Code: cliapp.ExitFailure, Meaning: "none of that, but an object could not be read; or the command failed"},
			{Code: exitInconclusive, Meaning: "none of that, but an object was not read lately or is inconclusive, " +
				"or the ledger is under another user's key"},
		},
		Flags: append(ledgerFlags(),
			cliapp.Flag{Name: "max-age", Kind: cliapp.Seconds, Value: "D", Least: "1s", Most: mostAge, Default: "90d",
				Usage: "How long ago is lately, such as 12h or 90d"},
			nowFlag(), formFlag(), colorFlag()),
		Examples: []string{"svc-verify archive status --ledger proofs.ledger --max-age 30d"},
		Action:   archiveStatus,
	}
}

// nowFlag sets the time that a command takes for now.
func nowFlag() cliapp.Flag {
	return cliapp.Flag{Name: "at", Kind: cliapp.Time, Value: "TIME", Usage: "The time that counts as now; without it, that of the clock"}
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

func archiveDiffCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "diff",
		Summary: "Show which objects became different between two runs, and in which run first",
		Description: "A RUN is its number, or the SHA-256 of its record. Names each object that changed after the " +
			"earlier of the two runs, up to the later one: the first run in which it did, how, and what became of " +
			"it. An object that changed and was changed back is named too.",
		ExitCodes: ledgerExits("done, whatever became different"),
		Args:      "RUN RUN",
		Flags:     append(ledgerFlags(), formFlag(), colorFlag()),
		Examples:  []string{"svc-verify archive diff --ledger proofs.ledger 1 12"},
		Action:    archiveDiff,
	}
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

func archiveAcceptCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "accept",
		Summary: "Accept an object of an archive as it is",
		Description: "What the last check found in the place of an object counts from now on, and fails no check. " +
			"An object that is missing is forgotten. One whose evidence is bad stays rejected, and is counted so. " +
			"The record of the next run has who accepted what, when and why.\n\nPATH is the path below the " +
			"folder, as a check writes it, and DIGEST the SHA-256 that it found there, or of what is missing. The " +
			"digest shows that you mean these octets.",
		ExitCodes: ledgerExits("accepted"),
		Args:      "PATH",
		Flags: append(ledgerFlags(),
			cliapp.Flag{Name: "digest", Value: "DIGEST", Usage: "The SHA-256 of what is accepted", Required: true},
			cliapp.Flag{Name: "reason", Value: "TEXT", Usage: "Why it is accepted", Required: true},
			cliapp.Flag{Name: "by", Value: "NAME", Usage: "Who accepts it", Required: true},
			nowFlag(), formFlag(), colorFlag()),
		Examples: []string{"svc-verify archive accept 2026/11/tx-7.json --ledger proofs.ledger \\\n    " +
			"--by R.Berg --reason exported-again \\\n    " +
			"--digest e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		Action: archiveAccept,
	}
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
