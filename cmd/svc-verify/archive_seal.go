package main

import (
	"crypto/sha512"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// leavesSuffix is added to the name of a seal to name its list of leaves.
const leavesSuffix = ".leaves"

// makeForm is the form of archive seal for an archive.
var makeForm = commandForm{"where an archive is sealed; --request and --token are for a seal",
	"ledger key trust out", "previous at" + meteredFlags, 1}

// archiveSeal makes a seal or, for an existing one, writes the request that is due or adds its token.
func archiveSeal(c *invocation) *reply {
	switch {
	case c.Given("request"):
		return c.onSeal(requestForm, (*sealInput).requestToken)
	case c.Given("token"):
		return c.onSeal(tokenForm, (*sealInput).takeToken)
	}
	c.requireForm(makeForm)
	c.requireNamed()
	out := c.Text("out")
	for _, name := range []string{out, out + leavesSuffix} {
		stopOn(mustBeNew(c.Args[0], name))
	}
	k, root, l := c.loadKey(c.Text("key")), c.openArchive(c.Args[0]), c.openLedger()
	st := statementOf(c, l)
	o := seal.Options{Archive: root, Known: l.Objects(c.ctx), Statement: st, Key: k, Progress: c.objectsShown(l.Len())}
	return c.answerSeal(c.writeSeal(o, out), withName(text.MadeSeal, c.Args[0]))
}

// objectsShown returns a function that shows how many of the objects of an archive were read.
func (c *invocation) objectsShown(of int64) func(objects int64) {
	m := c.newMeter(progress.Number)
	return func(objects int64) {
		m.Show(progress.Done{Doing: c.Args[len(c.Args)-1], Read: objects, Of: of, Events: objects})
	}
}

// writeSeal writes the list of leaves and the seal, or neither.
func (c *invocation) writeSeal(o seal.Options, out string) *seal.Report {
	leaves := c.openOut(out + leavesSuffix)
	o.Leaves = leaves
	file, r, err := seal.Make(c.ctx, o)
	stopOn(err)
	if file == nil {
		return r
	}
	f := c.openOut(out)
	mustHave(f.Write(file))
	stopOn(errors.Join(leaves.Commit(), f.Commit()))
	return r
}

// mustBeNew returns an error if there is a file of this name, or if it would be part of
// the archive.
func mustBeNew(dir, name string) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already, and is not replaced", safetext.Quote(name))
	}
	return access.WithoutPath(ledger.Outside(dir, name))
}

func (c *invocation) openArchive(dir string) *listing.Root {
	root, err := listing.Open(dir)
	stopIf(err != nil, "opening %s: %w", safetext.Quote(dir), access.WithoutPath(err))
	return closeLater(c, root)
}

// statementOf returns the statement of a seal, without the objects.
func statementOf(c *invocation, l *ledger.Ledger) (st seal.Statement) {
	st.Hash = seal.SHA512
	stopIf(l.Fault() != nil, "nothing is sealed by a ledger that was altered: %w", l.Fault())
	stopIf(l.Standing() != ledger.Own, "nothing is sealed by a ledger under another key: svc-verify archive check --adopt")
	number, digest := l.Newest()
	fits := mustHave(l.Expect(c.ctx, digest))
	stopIf(number == 0 || !fits.Fits, "no finished run of the ledger has all of its objects as they are now: "+
		"svc-verify archive check")
	newest := mustHave(l.Run(number))
	if newest.Ignored != nil {
		st.Ignored = newest.Ignored.Patterns
	}
	st.Run, st.Trust, st.SealedAt = digest, trustFiles(c, newest.Trust), c.nowOf()
	if ended := time.UnixMilli(newest.Ended); st.SealedAt.Before(ended) {
		c.sayLine("the newest run of the ledger ended later than now, at %s: the clock went back", form.FormatTime(ended))
	}
	if c.Given("previous") {
		file := c.readFile(c.Text("previous"), seal.MaxSeal)
		c.parseSeal(c.Text("previous"), file)
		st.Previous = seal.Digest(st.Hash.Sum(file))
	}
	return st
}

// parseSeal reads a seal, whose signatures are not verified.
func (c *invocation) parseSeal(name string, file []byte) *seal.Seal {
	s, faults := seal.Parse(file)
	if len(faults) > 0 {
		c.sayFaults(name, faults[:1])
		stopOn(fmt.Errorf("%s is no seal", safetext.Quote(name)))
	}
	return s
}

// trustFiles returns the digests of the files of --trust, which include the newest run's.
func trustFiles(c *invocation, newest run.Digest) (all [][sha512.Size]byte) {
	found := false
	for _, name := range c.List("trust") {
		doc := c.readFile(name, form.MaxTrust)
		root, err := trust.Parse(doc)
		stopIf(err != nil, "the trust file %s cannot be used: %w", safetext.Quote(name), err)
		found = found || root.SHA256() == newest
		all = append(all, sha512.Sum512(doc))
	}
	slices.SortFunc(all, func(a, b [sha512.Size]byte) int { return slices.Compare(a[:], b[:]) })
	all = slices.Compact(all)
	stopIf(!found, "the newest run was under the trust file with the SHA-256 %x: give it with --trust, "+
		"or check again", newest)
	refuseIf(len(all) > seal.MaxTrustFiles, "--trust: a seal names at most %d files", seal.MaxTrustFiles)
	return all
}

// answerSeal answers about a seal, and reports the first finding.
func (c *invocation) answerSeal(r *seal.Report, doc func(*seal.Report) *answer.Doc) *reply {
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		c.sayLine("%s: %s#%s: %s (%s)", r.Verdict, f.In, safetext.Line(f.Path), f.Remark(), f.Code)
	}
	return replyTo(r.Verdict, r, doc)
}
