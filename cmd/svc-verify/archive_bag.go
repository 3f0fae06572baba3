package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/userkey"
	"github.com/svc-edge/svc-verify/outcome"
)

func exportArchive(c *cliapp.Context) (int, error) {
	at := nowOf(c)
	secret, err := ledgerSecret()
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	r, err := handover.Export(ctx, handover.Options{Dir: c.Args[0], Ledger: c.Text("ledger"), Secret: secret,
		Trust: c.List("trust"), Seals: c.List("seal"), Out: c.Text("out"), Tar: c.Text("tar"), At: at,
		Tool:     "svc-verify " + version,
		Progress: func(path string, n int64) { m.Show(progress.Done{Doing: path, Events: n}) }})
	if err != nil {
		return 0, err
	}
	m.Clear()
	sayUnknownKeys(c, r.UnknownKeys)
	sayResult(c, r.Verdict, r.NotExamined, r.Reason())
	if c.Text("output") == "json" {
		return classCode(r.Verdict), writeJSON(c.Stdout, r)
	}
	return classCode(r.Verdict), writePage(c, text.Export(r))
}

// ledgerSecret is the secret that ledgers are kept under.
func ledgerSecret() (ledger.Secret, error) {
	secret, err := userkey.Load()
	if err != nil {
		err = fmt.Errorf("a ledger is kept under your key, and there is none: %s", safetext.Line(err.Error()))
	}
	return secret, err
}

// sayResult writes to standard error what was not examined, and why a result is not
// verified.
func sayResult(c *cliapp.Context, verdict outcome.Class, notExamined []string, reason string) {
	for _, sentence := range notExamined {
		fmt.Fprintln(c.Stderr, "svc-verify: not examined: "+safetext.Line(sentence))
	}
	if verdict != outcome.Verified {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s\n", verdict, safetext.Line(reason))
	}
}

func checkBag(c *cliapp.Context) (int, error) {
	o := bag.Options{Place: c.Args[0]}
	if err := judgeOf(c, &o); err != nil {
		return 0, err
	}
	reports, err := openReports(c, c.Text("trust"), c.Args[0])
	if err != nil {
		return 0, err
	}
	defer reports.Discard()
	ctx, stop := interruptible()
	defer stop()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	o.Progress = func(name string, n int64) { m.Show(progress.Done{Doing: name, Events: n}) }
	r, err := openBag(ctx, c, o)
	if err != nil {
		return 0, err
	}
	m.Clear()
	err = commitReports(c, reports, r.Report(), r.WriteLines, r)
	if r.Evidence != nil {
		sayUnknownKeys(c, r.Evidence.UnknownKeys)
	}
	sayResult(c, r.Verdict, r.NotExamined, r.Reason())
	if c.Text("output") == "json" {
		return classCode(r.Verdict), errors.Join(err, writeJSON(c.Stdout, r))
	}
	return classCode(r.Verdict), errors.Join(err, writePage(c, text.Bag(r, safetext.Quote(c.Args[0]))))
}

// judgeOf reads what the evidence in a bag is verified against, if it is to be.
func judgeOf(c *cliapp.Context, o *bag.Options) error {
	policy, err := keptPolicyOf(c)
	if err != nil {
		return err
	}
	if !c.Given("trust") {
		for _, name := range []string{"minimum-approvals", "legacy-before", "tenant"} {
			if c.Given(name) {
				return cliapp.Usagef("--%s: there is no evidence to verify without --trust", name)
			}
		}
		return nil
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return err
	}
	o.Judge = object.NewJudge(object.Options{Root: root, Policy: policy, TempDir: c.Text("temp-dir"), Workers: jobsOf(c)})
	return nil
}

// openBag checks a folder, or an archive. One on standard input is kept meanwhile, as
// it is gone through twice.
func openBag(ctx context.Context, c *cliapp.Context, o bag.Options) (r *bag.Result, err error) {
	name := c.Args[0]
	if name == stdinName {
		kept, err := spool.Create(c.Text("temp-dir"))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, kept.Close()) }()
		size, err := io.Copy(kept, c.Stdin)
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", access.WithoutPath(err))
		}
		return bag.CheckTar(ctx, kept, size, o)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", safetext.Quote(name), access.WithoutPath(err))
	}
	if info.IsDir() {
		return bag.CheckFolder(ctx, name, o)
	}
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	return bag.CheckTar(ctx, f, info.Size(), o)
}

func writePremis(c *cliapp.Context) (code int, err error) {
	secret, err := ledgerSecret()
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	l, err := ledger.Open(ctx, c.Text("ledger"), secret)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	switch l.Standing() {
	case ledger.Changed:
		return 0, fmt.Errorf("the ledger was altered: %w", l.Fault())
	case ledger.Foreign:
		sayResult(c, outcome.Inconclusive, nil, "the ledger was written under another key")
		code = exitInconclusive
	}
	if !c.Given("out") {
		var b bytes.Buffer // a part of a document would look whole
		if err := premis.FromLedger(ctx, &b, l); err != nil {
			return 0, err
		}
		_, err := c.Stdout.Write(b.Bytes())
		return code, err
	}
	f, err := access.OpenAside(c.Text("out"))
	if err != nil {
		return 0, err
	}
	defer f.Discard()
	if err := premis.FromLedger(ctx, f, l); err != nil {
		return 0, err
	}
	return code, f.Commit()
}
