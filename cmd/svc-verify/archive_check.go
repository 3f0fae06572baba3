package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	reports "github.com/svc-edge/svc-verify/outcome/form"
)

func checkArchive(c *cliapp.Context) (code int, err error) {
	if limit := debug.SetMemoryLimit(-1); limit > batchMemory {
		debug.SetMemoryLimit(batchMemory)
		defer debug.SetMemoryLimit(limit)
	}
	o, err := archiveOptions(c)
	if err != nil {
		return 0, err
	}
	written, err := openReports(c, c.Text("trust"), c.Text("ledger"))
	if err != nil {
		return 0, err
	}
	defer written.Discard()
	ctx, stop := interruptible()
	defer stop()
	l, err := writeLedger(ctx, c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	r, err := runCheck(ctx, c, l, o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	// What could not be reported is no reason to withhold the result.
	err = reportCheck(c, r, written, ctx.Err() != nil)
	return archive.Exit(r.Verdict), errors.Join(err, writeCheck(c, r))
}

// archiveOptions reads what an archive is checked with.
func archiveOptions(c *cliapp.Context) (o archive.Options, err error) {
	o = archive.Options{Dir: c.Args[0], Tool: "svc-verify " + version, ToolSHA256: ownDigest(),
		Budget: c.Duration("budget"),
		MaxAge: c.Duration("max-age"), Adopt: c.Switch("adopt"), Workers: jobsOf(c), TempDir: c.Text("temp-dir"),
		Records: len(c.List("report")) > 0, At: time.Now()}
	if c.Given("at") {
		o.Fixed = true
		o.At = timeOf(c, "at")
	}
	if o.Sample, o.Seed, err = sampleOf(c); err != nil {
		return o, err
	}
	if o.Expect, err = digestOf(c, "expect-run"); err != nil {
		return o, err
	}
	policy, err := keptPolicyOf(c)
	if err != nil {
		return o, err
	}
	if err := outsideOf(c, o.Dir); err != nil {
		return o, err
	}
	root, err := readTrust(c, c.Text("trust"))
	if err == nil {
		o.Judge = object.NewJudge(object.Options{Root: root, Policy: policy, TempDir: o.TempDir, Workers: o.Workers})
	}
	return o, err
}

// sampleOf reads --sample and --seed.
func sampleOf(c *cliapp.Context) (parts int64, seed string, err error) {
	if !c.Given("sample") {
		if c.Given("seed") {
			return 0, "", cliapp.Usagef("--seed: there is no sample to draw; give --sample too")
		}
		return 0, "", nil
	}
	parts, ok := archive.ParsePercent(c.Text("sample"))
	if !ok {
		return 0, "", cliapp.Usagef("--sample: expected more than 0%% and at most 100%%, with up to four decimals "+
			"such as 5%% or 0.25%%, "+
			"found %s", safetext.Quote(c.Text("sample")))
	}
	if c.Given("seed") {
		seed = c.Text("seed")
		if !run.IsText(seed) {
			return 0, "", cliapp.Usagef("--seed: expected 1 to %d octets without control characters", run.MaxText)
		}
		return parts, seed, nil
	}
	random := make([]byte, 16)
	rand.Read(random) // never fails
	return parts, hex.EncodeToString(random), nil
}

// outsideOf returns an error if something would be written into the archive.
func outsideOf(c *cliapp.Context, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		if _, gone := os.Lstat(c.Text("ledger")); gone == nil && errors.Is(err, fs.ErrNotExist) {
			return nil // the archive is gone
		}
		return fmt.Errorf("%s: %w", safetext.Quote(dir), access.WithoutPath(err))
	}
	for _, value := range c.List("report") {
		if _, file, given := strings.Cut(value, "="); given && file != "" {
			if err := ledger.Outside(dir, file); err != nil {
				return cliapp.Usagef("--report: %s; an archive is never written to", err)
			}
		}
	}
	if err := ledger.Outside(dir, filepath.Join(cmp.Or(c.Text("temp-dir"), os.TempDir()), "file")); err != nil {
		return cliapp.Usagef("--temp-dir: %s; an archive is never written to", err)
	}
	if err := ledger.Outside(dir, c.Text("ledger")); err != nil {
		return cliapp.Usagef("--ledger: %s; an archive is never written to", err)
	}
	return nil
}

// ownDigest is the digest of the program's file; zeros if it cannot be read.
var ownDigest = sync.OnceValue(func() (sum [sha256.Size]byte) {
	name, err := os.Executable()
	if err != nil {
		return sum
	}
	f, err := access.OpenRegular(name)
	if err != nil {
		return sum
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err == nil {
		hash.Sum(sum[:0])
	}
	return sum
})

// runCheck runs the check, and shows how far it is.
func runCheck(ctx context.Context, c *cliapp.Context, l *ledger.Writer, o archive.Options) (*archive.Result, error) {
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	o.Progress = func(p archive.Progress) {
		m.Show(progress.Done{Doing: o.Dir, Read: p.Done, Of: p.Of, Events: p.Done})
	}
	r, err := archive.Check(ctx, l, o)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) {
		err = fmt.Errorf("%w: make room for the ledger, and for temporary files or choose another place with "+
			"--temp-dir", err)
	}
	return r, err
}

// reportCheck writes the reports, unless the run was stopped.
func reportCheck(c *cliapp.Context, r *archive.Result, written *reports.Reports, stopped bool) error {
	if stopped {
		sayStopped(c)
		return nil
	}
	return commitReports(c, written, r.Report(), r.WriteLines, r)
}

// writeCheck writes the result, and what was not examined to standard error.
func writeCheck(c *cliapp.Context, r *archive.Result) error {
	sayUnknownKeys(c, r.UnknownKeys)
	for _, sentence := range r.NotExamined {
		fmt.Fprintln(c.Stderr, "svc-verify: not examined: "+safetext.Line(sentence))
	}
	if r.Verdict != outcome.Verified {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s\n", r.Verdict, safetext.Line(r.Reason()))
	}
	if c.Text("output") == "json" {
		return writeJSON(c.Stdout, r)
	}
	return writePage(c, text.Check(r, safetext.Quote(c.Text("trust")), safetext.Quote(c.Text("ledger"))))
}
