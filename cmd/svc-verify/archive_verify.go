package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/verify"
)

// The forms of archive verify. A bag needs no keys, so it refuses those of a seal: one in the place of a
// seal is never taken for it.
var (
	bagForm = commandForm{"where a bag is verified", nil, withAnswer("trust", "minimum-approvals", "legacy-before",
		"tenant", "report", "base", "jobs", "temp-dir")}
	proofForm = commandForm{"where the proof of an object is verified", []string{"seal-trust"}, withAnswer()}
	sealForm  = commandForm{"where a seal is verified", []string{"seal-trust"}, withAnswer("leaves", "ledger",
		"revocation", "algorithms", "at")}
)

// archiveVerify verifies what the first argument is by its content: a seal, the proof of an object, or a bag.
func archiveVerify(c *invocation) (*reply, error) {
	ctx := c.interruptContext()
	c.requireNamed()
	if info, err := os.Stat(c.Args[0]); c.err == nil && err == nil && info.IsDir() {
		return c.verifyBag(func(o bag.Options) (*bag.Result, error) { return bag.CheckFolder(ctx, c.Args[0], o) })
	}
	file, size := c.openVerified()
	if c.err != nil {
		return nil, c.err
	}
	content := io.NewSectionReader(file, 0, size)
	if bag.IsTar(content) {
		return c.verifyBag(func(o bag.Options) (*bag.Result, error) { return bag.CheckTar(ctx, file, size, o) })
	}
	doc, err := io.ReadAll(io.NewSectionReader(file, 0, min(size, seal.MaxProof+1)))
	if err != nil {
		return nil, readFault(c.Args[0], err)
	}
	switch seal.KindOf(doc) {
	case seal.Protocol:
		return c.verifySeal(ctx, doc)
	case seal.ProofProtocol:
		return c.verifyObject(doc)
	}
	r := seal.Unrecognised(doc, "a seal, the proof of an object, or a bag")
	return c.answerSeal(r, c.sealDocument(r)), nil
}

// openVerified opens the file that is verified. Standard input is kept meanwhile, as it may be gone
// through twice.
func (c *invocation) openVerified() (file io.ReaderAt, size int64) {
	if c.Args[0] == stdinName {
		kept := tryOpen(c, func() (*spool.Temporary, error) { return spool.Create(c.Text("temp-dir")) })
		size = tryRead(c, func() (int64, error) {
			n, err := io.Copy(kept, c.Stdin)
			if err != nil {
				err = fmt.Errorf("reading standard input: %w", access.WithoutPath(err))
			}
			return n, err
		})
		return kept, size
	}
	f := tryOpen(c, func() (*os.File, error) { return openFile(c.Args[0]) })
	info := tryRead(c, func() (os.FileInfo, error) { return f.Stat() })
	if c.err == nil {
		size = info.Size()
	}
	return f, size
}

// verifyBag answers for a bag, and for the evidence in it if there is a trust file.
func (c *invocation) verifyBag(check func(bag.Options) (*bag.Result, error)) (*reply, error) {
	c.requireForm(bagForm)
	c.requireArgs(1, 1, bagForm.where)
	o := bag.Options{Place: c.Args[0]}
	policy := c.keptPolicy()
	if c.Given("trust") {
		o.Judge = c.newJudge(policy)
	}
	for _, name := range []string{"minimum-approvals", "legacy-before", "tenant"} {
		if c.Given(name) && !c.Given("trust") {
			c.keepError(cliapp.Usagef("--%s: there is no evidence to verify without --trust", name))
		}
	}
	c.openReports(c.Text("trust"), c.Args[0])
	r := tryRead(c, func() (*bag.Result, error) {
		o.Progress = c.countShown()
		return check(o)
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

// verifySeal answers for a seal, its chain of tokens, and the archive if it is named.
func (c *invocation) verifySeal(ctx context.Context, file []byte) (*reply, error) {
	c.requireForm(sealForm)
	trusted := c.sealTrust()
	var a seal.Against
	if leaves := c.openLeaves(c.Args[0]); leaves != nil {
		a.Leaves = leaves
	}
	if len(c.Args) > 1 {
		a.Archive = c.openArchive(c.Args[1])
	}
	if c.Given("ledger") {
		if l := c.openLedger(); c.err == nil {
			a.Runs = runsOf(ctx, l)
		}
	}
	r := tryRead(c, func() (*seal.Report, error) {
		if s, faults := seal.Parse(file); len(faults) == 0 {
			a.Progress = c.objectsShown(s.Statement.Objects)
		}
		return seal.Verify(ctx, file, trusted, a)
	})
	if c.err != nil {
		return nil, c.err
	}
	return answerSealed(c, r, file, trusted)
}

// runsOf yields the digests of the runs of a ledger.
func runsOf(ctx context.Context, l *ledger.Ledger) iter.Seq2[[sha256.Size]byte, error] {
	return func(yield func([sha256.Size]byte, error) bool) {
		if fault := l.Fault(); fault != nil {
			yield([sha256.Size]byte{}, fault)
			return
		}
		for r, err := range l.Runs(ctx) {
			if !yield(r.Digest, err) {
				return
			}
		}
	}
}

// verifyObject answers for the proof of an object, and the file that it is about.
func (c *invocation) verifyObject(proof []byte) (*reply, error) {
	c.requireForm(proofForm)
	c.requireArgs(2, 2, proofForm.where+": name the proof, and then the object")
	trusted := c.sealTrust()
	f := tryOpen(c, func() (*os.File, error) { return openFile(c.Args[1]) })
	if c.err != nil {
		return nil, c.err
	}
	r, err := seal.VerifyObject(proof, trusted, f)
	if err != nil {
		return nil, readFault(c.Args[1], err)
	}
	return c.answerSeal(r, func() *answer.Doc { return text.Seal(r, safetext.Quote(c.Args[1])) }), nil
}
