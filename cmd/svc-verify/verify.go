package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// batchMemory is the memory from which on the collector works harder.
const batchMemory = 192 << 20

func verifyProofs(c *invocation) *reply {
	if c.Switch("contradiction") {
		return verifyContradiction(c)
	}
	defer limitMemory(batchMemory)()
	options := c.batchOptions()
	c.requirePaths(c.Args)
	inputs := slices.Concat([]string{c.Text("trust")}, c.Args, c.List("from-file"))
	c.openReports(append(inputs, c.Text("expect-transactions"), c.Text("expect-digests"))...)
	var own atomic.Int64
	options.OwnTrust = own.Load
	trustFile, _ := os.Stat(c.Text("trust")) // nil is no file's
	set, err := entry.New(entry.Source{Paths: c.Args, Lists: c.List("from-file"), Stdin: c.Stdin,
		Only: c.patternsOf(), KeepStdin: c.Given("save-contradictions"), TempDir: options.TempDir,
		LeaveOut: func(info fs.FileInfo) bool {
			if os.SameFile(info, trustFile) {
				own.Add(1)
				return true
			}
			return c.reports.Owns(info)
		}})
	refuseIf(err != nil, "%s", err)
	closeLater(c, set)
	ctx := c.interruptContext()
	r := closeLater(c, mustHave(runBatch(ctx, c, set, options)))
	s := &r.Summary
	a := &reply{code: exitCode(s.Verdict), report: r.Report(),
		says: sayingsOf(s.UnknownKeys, s.NotExamined, s.Verdict, s.Reason()),
		json: r.Summary, doc: func() *answer.Doc { return mustHave(batch.Document(r, c.Text("trust"))) }}
	if s.TrustWithin {
		a.says = append([]string{trust.WithinEvidence}, a.says...)
	}
	// A failure to save is no reason to withhold the result.
	c.late = saveBatch(ctx, c, set, r)
	return a
}

// runBatch runs the batch, and shows how far it is.
func runBatch(ctx context.Context, c *invocation, set *entry.Set, o batch.Options) (*batch.Result, error) {
	show := c.countShown()
	o.Progress = func(p batch.Progress) { show(p.Name, p.Entries) }
	r, err := batch.Run(ctx, set, o)
	if isFull(err) {
		err = fmt.Errorf("%w: make room there, or choose another place with --temp-dir", err)
	}
	return r, err
}

// saveBatch writes the contradictions that were found, if requested.
func saveBatch(ctx context.Context, c *invocation, set *entry.Set, r *batch.Result) error {
	if !c.Given("save-contradictions") {
		return nil
	}
	if err := r.SaveContradictions(ctx, set, c.Text("save-contradictions")); err != nil {
		return fmt.Errorf("--save-contradictions: %w", access.WithoutPath(err))
	}
	return nil
}

// batchOptions reads the demands that the bundles are checked against.
func (c *invocation) batchOptions() batch.Options {
	o := batch.Options{Workers: c.jobsOf(), TempDir: c.Text("temp-dir"), Policy: c.askedPolicy()}
	if c.Given("expect") {
		n := int64(c.Number("expect"))
		o.Expected.Count = &n
	}
	o.Expected.Transactions = expectedList(c, "expect-transactions", batch.ReadTransactions)
	o.Expected.Digests = expectedList(c, "expect-digests", batch.ReadDigests)
	o.Root = c.trustFile()
	return o
}

// expectedList reads the list in the file of a flag, nil if the flag is not given.
func expectedList(c *invocation, flag string, from func(io.Reader) (*batch.ExpectedList, error)) *batch.ExpectedList {
	if !c.Given(flag) {
		return nil
	}
	f, err := openFile(c.Text(flag))
	stopIf(err != nil, "--%s: %w", flag, err)
	defer f.Close()
	list, err := from(f)
	refuseIf(err != nil, "--%s: %s: %s", flag, safetext.Quote(c.Text(flag)), err)
	return list
}
