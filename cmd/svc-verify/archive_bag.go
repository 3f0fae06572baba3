package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/verify"
)

// tool is how records name the program.
const tool = "svc-verify " + version

// exportArchive hands an archive over as a bag, or what its ledger says as PREMIS.
func exportArchive(c *invocation) (*reply, error) {
	if c.Switch("premis") {
		c.requireForm(commandForm{"where PREMIS is written", []string{"ledger"}, []string{"premis", "out"}})
		c.requireArgs(0, "where PREMIS is written: it is what the ledger says")
		return writePremis(c)
	}
	c.requireForm(commandForm{"where a bag is written", []string{"ledger", "trust", "out"},
		withAnswer("seal", "tar", "at")})
	c.requireArgs(1, "where a bag is written")
	if c.err != nil {
		return nil, c.err
	}
	o := handover.Options{Dir: c.Args[0], Ledger: c.Text("ledger"), At: c.nowOf(), Secret: c.ledgerKey(),
		Trust: c.List("trust"), Seals: c.List("seal"), Out: c.Text("out"), Tar: c.Text("tar"), Tool: tool}
	r := tryRead(c, func() (*handover.Result, error) {
		o.Progress = c.countShown()
		return handover.Export(c.interruptContext(), o)
	})
	if c.err != nil {
		return nil, c.err
	}
	return &reply{code: exitCode(r.Verdict), says: sayingsOf(r.UnknownKeys, r.NotExamined, r.Verdict, r.Reason()),
		json: r, doc: func() *answer.Doc { return text.Export(r) }}, nil
}

func checkBag(c *invocation) (*reply, error) {
	o := bag.Options{Place: c.Args[0]}
	c.judgeBag(&o)
	c.openReports(c.Text("trust"), c.Args[0])
	r := tryRead(c, func() (*bag.Result, error) {
		o.Progress = c.countShown()
		return openBag(c.interruptContext(), c, o)
	})
	if c.err != nil {
		return nil, c.err
	}
	var unknown *verify.UnknownKeys
	if r.Evidence != nil {
		unknown = r.Evidence.UnknownKeys
	}
	return &reply{code: exitCode(r.Verdict), report: r.Report(), lines: r.WriteLines,
		says: sayingsOf(unknown, r.NotExamined, r.Verdict, r.Reason()),
		json: r, doc: func() *answer.Doc { return text.Bag(r, safetext.Quote(c.Args[0])) }}, nil
}

// judgeBag reads what the evidence in a bag is verified against, if it is to be.
func (c *invocation) judgeBag(o *bag.Options) {
	policy := c.keptPolicy()
	if c.Given("trust") {
		o.Judge = c.newJudge(policy)
		return
	}
	for _, name := range []string{"minimum-approvals", "legacy-before", "tenant"} {
		if c.Given(name) {
			c.keepError(cliapp.Usagef("--%s: there is no evidence to verify without --trust", name))
		}
	}
}

// newJudge returns what verifies objects of archives under --trust.
func (c *invocation) newJudge(policy verify.Policy) *object.Judge {
	root := c.trustFile()
	if c.err != nil {
		return nil
	}
	return object.NewJudge(object.Options{Root: root, Policy: policy, TempDir: c.Text("temp-dir"), Workers: c.jobsOf()})
}

// openBag checks a folder, or an archive. One on standard input is kept meanwhile, as
// it is gone through twice.
func openBag(ctx context.Context, c *invocation, o bag.Options) (r *bag.Result, err error) {
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
		return nil, readFault(name, err)
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

// writePremis writes a ledger as PREMIS, to a file or to standard output.
func writePremis(c *invocation) (*reply, error) {
	l := c.openLedger()
	if c.err != nil {
		return nil, c.err
	}
	a := &reply{}
	switch l.Standing() {
	case ledger.Changed:
		return nil, fmt.Errorf("the ledger was altered: %w", l.Fault())
	case ledger.Foreign:
		c.sayLine("inconclusive: the ledger was written under another key")
		a.code = exitInconclusive
	}
	write := func(w io.Writer) error { return premis.FromLedger(c.ctx, w, l) }
	if c.Given("out") {
		return a, c.writeOut(c.Text("out"), write)
	}
	var b bytes.Buffer // a part of a document would look whole
	err := write(&b)
	a.text = b.String()
	return a, err
}
