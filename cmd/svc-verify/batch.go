package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/batch/expect"
	"github.com/svc-edge/svc-verify/batch/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/outcome/form"
	"github.com/svc-edge/svc-verify/verify"
)

// batchMemory is the memory from which on the collector works harder. A batch
// uses less: without this, garbage would double it.
const batchMemory = 192 << 20

func verifyBatch(c *cliapp.Context) (code int, err error) {
	if limit := debug.SetMemoryLimit(-1); limit > batchMemory {
		debug.SetMemoryLimit(batchMemory)
		defer debug.SetMemoryLimit(limit)
	}
	options, err := batchOptions(c)
	if err == nil {
		err = requirePaths(c.Args)
	}
	if err != nil {
		return 0, err
	}
	inputs := slices.Concat([]string{c.Text("trust")}, c.Args, c.List("from-file"))
	reports, err := openReports(c, append(inputs, c.Text("expect-transactions"), c.Text("expect-digests"))...)
	if err != nil {
		return 0, err
	}
	defer reports.Discard()
	set, err := entry.New(entry.Source{Paths: c.Args, Lists: c.List("from-file"), Stdin: c.Stdin, Only: c.List("only"),
		KeepStdin: c.Given("contradictions"), TempDir: options.TempDir, LeaveOut: reports.Owns})
	if err != nil {
		return 0, cliapp.Usagef("%s", err)
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	ctx, stop := interruptible()
	defer stop()
	result, err := runBatch(ctx, c, set, options)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	// What could not be saved or reported is no reason to withhold the result.
	err = errors.Join(saveBatch(ctx, c, set, result), reportBatch(c, result, reports, ctx.Err() != nil))
	return classCode(result.Summary.Verdict), errors.Join(err, writeBatch(c, result))
}

// runBatch runs the batch, and shows how far it is.
func runBatch(ctx context.Context, c *cliapp.Context, set *entry.Set, o batch.Options) (*batch.Result, error) {
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	o.Progress = func(p batch.Progress) { m.Show(progress.Done{Doing: p.Name, Events: p.Entries}) }
	r, err := batch.Run(ctx, set, o)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) {
		err = fmt.Errorf("%w: make room there, or choose another place with --temp-dir", err)
	}
	return r, err
}

// saveBatch writes the contradictions that were found, if it was asked for.
func saveBatch(ctx context.Context, c *cliapp.Context, set *entry.Set, r *batch.Result) error {
	if !c.Given("contradictions") {
		return nil
	}
	if err := r.SaveContradictions(ctx, set, c.Text("contradictions")); err != nil {
		return fmt.Errorf("--contradictions: %w", access.WithoutPath(err))
	}
	return nil
}

// batchOptions reads what the bundles are held against.
func batchOptions(c *cliapp.Context) (o batch.Options, err error) {
	o = batch.Options{Workers: jobsOf(c), TempDir: c.Text("temp-dir")}
	if o.Policy, err = policyOf(c); err != nil {
		return o, err
	}
	if o.Expected, err = expectedOf(c); err != nil {
		return o, err
	}
	o.Root, err = readTrust(c, c.Text("trust"))
	return o, err
}

// expectedOf reads what must be there.
func expectedOf(c *cliapp.Context) (expected batch.Expected, err error) {
	if c.Given("expect") {
		n := int64(c.Number("expect"))
		expected.Count = &n
	}
	if expected.Transactions, err = listOf(c, "expect-transactions", expect.Transactions); err != nil {
		return expected, err
	}
	expected.Digests, err = listOf(c, "expect-digests", expect.Digests)
	return expected, err
}

// listOf reads the list in the file of a flag, nil if the flag is not given.
func listOf(c *cliapp.Context, flag string, read func(io.Reader) (*expect.List, error)) (*expect.List, error) {
	if !c.Given(flag) {
		return nil, nil
	}
	f, err := openFile(c.Text(flag))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	defer f.Close()
	list, err := read(f)
	if err != nil {
		return nil, cliapp.Usagef("--%s: %s: %s", flag, safetext.Quote(c.Text(flag)), err)
	}
	return list, nil
}

// reportBatch writes the reports, unless the run was stopped: a report of a part
// would look whole.
func reportBatch(c *cliapp.Context, r *batch.Result, reports *form.Reports, stopped bool) error {
	if stopped {
		sayStopped(c)
		return nil
	}
	return commitReports(c, reports, r.Report(), r.WriteLines, r.Summary)
}

// sayUnknownKeys says to standard error what the trust file lacks, if it lacks any.
func sayUnknownKeys(c *cliapp.Context, u *verify.UnknownKeys) {
	if u != nil {
		fmt.Fprintf(c.Stderr, "svc-verify: %s (%s)\n", u.Sentence, u.Code)
	}
}

// writeBatch writes the result, and what was not examined to standard error.
func writeBatch(c *cliapp.Context, r *batch.Result) error {
	sayUnknownKeys(c, r.Summary.UnknownKeys)
	for _, sentence := range r.Summary.NotExamined {
		fmt.Fprintln(c.Stderr, "svc-verify: not examined: "+safetext.Line(sentence))
	}
	if s := &r.Summary; s.Verdict != outcome.Verified {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s\n", s.Verdict, safetext.Line(s.Reason()))
	}
	if c.Text("output") == "json" {
		return writeJSON(c.Stdout, r.Summary)
	}
	p, err := text.Page(r, safetext.Quote(c.Text("trust")))
	if err != nil {
		return err
	}
	return writePage(c, p)
}

// classCode is the exit code of a run: a function of every class there could be.
func classCode(class outcome.Class) int {
	switch class {
	case outcome.Verified:
		return exitVerified
	case outcome.Rejected, outcome.NotABundle:
		return exitRejected
	case outcome.Unreadable:
		return cliapp.ExitFailure
	}
	return exitInconclusive
}
