package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/outcome"
)

// The forms of archive verify. A bag needs no keys, so it refuses the flags of a seal: a bag in place of
// a seal never passes.
var (
	bagForm = commandForm{"where a bag is verified without --trust", "", "report base temp-dir" + meteredFlags, 1}
	// evidenceForm is for a bag whose evidence is verified too.
	evidenceForm = commandForm{"where a bag is verified", "trust",
		bagForm.takes + " minimum-approvals legacy-before tenant jobs", 1}
	proofForm = commandForm{"where the proof of an object is verified: name the proof, and then the object",
		"seal-trust", "revocation algorithms at" + meteredFlags, 2}
	recordForm = commandForm{"where an evidence record is verified: name the record, and then the object",
		"seal-trust", "revocation algorithms at" + meteredFlags, 2}
	sealForm = commandForm{"where a seal is verified", "seal-trust",
		"leaves ledger revocation algorithms at" + meteredFlags, 0}
)

// archiveVerify verifies a seal, the proof or the evidence record of an object, or a bag, which it recognises by
// content.
func archiveVerify(c *invocation) *reply {
	ctx := c.interruptContext()
	c.requireNamed()
	if info, err := os.Stat(c.Args[0]); err == nil && info.IsDir() {
		return c.verifyBag(ctx, nil, 0)
	}
	file, size := c.openVerified()
	if bag.IsTar(io.NewSectionReader(file, 0, size)) {
		return c.verifyBag(ctx, file, size)
	}
	doc, err := io.ReadAll(io.NewSectionReader(file, 0, min(size, seal.MaxProof+1)))
	if err != nil {
		return stopWith(readFault(c.Args[0], err))
	}
	if record.Looks(doc) {
		return c.verifyRecord(file, size)
	}
	protocol, other := seal.Recognise(doc)
	switch protocol {
	case seal.Protocol:
		return c.verifySeal(ctx, doc)
	case seal.ProofProtocol:
		return c.verifyObject(doc)
	}
	return c.answerSeal(other, withName(text.Seal, c.Args[0]))
}

// openVerified opens the file that is verified. Standard input is kept meanwhile, as it may be gone
// through twice.
func (c *invocation) openVerified() (file io.ReaderAt, size int64) {
	if c.Args[0] == stdinName {
		kept := closeLater(c, mustHave(spool.Create(c.Text("temp-dir"))))
		n, err := io.Copy(kept, c.Stdin)
		stopIf(err != nil, "reading standard input: %w", access.WithoutPath(err))
		return kept, n
	}
	f := closeLater(c, mustHave(openFile(c.Args[0])))
	return f, mustHave(f.Stat()).Size()
}

// verifyBag answers for a bag, and for the evidence in it if there is a trust file. The bag is a tar
// archive or, without one, a folder.
func (c *invocation) verifyBag(ctx context.Context, archive io.ReaderAt, size int64) *reply {
	o := bag.Options{Place: c.Args[0]}
	if c.Given("trust") {
		c.requireForm(evidenceForm)
		o.Judge = c.newJudge(c.keptPolicy())
	} else {
		c.requireForm(bagForm)
	}
	c.openReports(c.Text("trust"), c.Args[0])
	o.Progress = c.countShown()
	var r *bag.Result
	if archive == nil {
		r = mustHave(bag.CheckFolder(ctx, o.Place, o))
	} else {
		r = mustHave(bag.CheckTar(ctx, archive, size, o))
	}
	a := replyTo(r.Verdict, r, withName(text.Bag, c.Args[0]))
	a.report, a.says = r.Report(), sayingsOf(r.UnknownKeys(), r.NotExamined, r.Verdict, r.Reason())
	return a
}

// verifySeal answers for a seal, its chain of tokens, and the archive if it is named.
func (c *invocation) verifySeal(ctx context.Context, file []byte) *reply {
	c.requireForm(sealForm)
	trusted := c.sealTrust()
	a := seal.Against{Leaves: c.openLeaves(c.Args[0])}
	if len(c.Args) > 1 {
		a.Archive = c.openArchive(c.Args[1])
	}
	if c.Given("ledger") {
		a.Runs = c.openLedger().Runs(ctx)
	}
	if s, faults := seal.Parse(file); len(faults) == 0 {
		a.Progress = c.objectsShown(s.Statement.Objects)
	}
	return answerSealed(c, mustHave(seal.Verify(ctx, file, trusted, a)), file, trusted)
}

// verifyObject answers for the proof of an object, the file that it is about, and the records that go with it.
func (c *invocation) verifyObject(proof []byte) *reply {
	c.requireForm(proofForm)
	trusted := c.sealTrust()
	f := closeLater(c, mustHave(openFile(c.Args[1])))
	r, err := seal.VerifyObject(proof, trusted, f)
	if err != nil {
		return stopWith(readFault(c.Args[1], err))
	}
	o := c.recordOptions(trusted)
	o.Revocation = c.readRevocation()
	var ofSeal, ofObject *record.Report
	if p, faults := seal.ParseProof(proof); len(faults) == 0 && r.Verdict == outcome.Verified {
		pin, _ := trusted.Pin(p.Seal.Envelope.Signer)
		ofSeal = c.judgeRecord(c.Args[0]+sealRecord, record.SubjectOf(p.Seal, pin), o)
		ofObject = c.judgeRecord(c.Args[0]+objectRecord, c.fileSubject(c.Args[1]), o)
	}
	if ofSeal == nil && ofObject == nil {
		return c.answerSeal(r, withName(text.Seal, c.Args[1]))
	}
	return c.answerRecords(r, ofSeal, ofObject)
}

// judgeRecord judges a record in a file; nil if there is none. A seal is judged without one, too.
func (c *invocation) judgeRecord(name string, s record.Subject, o record.Options) *record.Report {
	r, unread := c.readRecord(name, o)
	if unread != nil || r == nil && s.Sealed == nil {
		return unread
	}
	return record.Verify(s, r, o)
}

// fileSubject is a file as the subject of a record. It is read once for each hash.
func (c *invocation) fileSubject(name string) record.Subject {
	digests := map[timestamp.Hash][]byte{}
	return record.Subject{Digest: func(h timestamp.Hash) []byte {
		if digests[h] == nil {
			f, sum := mustHave(openFile(name)), h.New()
			mustHave(io.Copy(sum, f))
			stopOn(f.Close())
			digests[h] = sum.Sum(nil)
		}
		return digests[h]
	}}
}

// verifyRecord answers for the evidence record of a file, by whatever program it was made.
func (c *invocation) verifyRecord(file io.ReaderAt, size int64) *reply {
	c.requireForm(recordForm)
	o := c.recordOptions(c.sealTrust())
	o.Revocation = c.readRevocation()
	der := mustHave(io.ReadAll(io.NewSectionReader(file, 0, min(size, record.MaxRecord+1))))
	r, err := record.Parse(der)
	if malformed := new(timestamp.Fault); errors.As(err, &malformed) {
		return c.answerRecord(record.Unread(malformed, o.At))
	}
	return c.answerRecord(record.Verify(c.fileSubject(c.Args[1]), mustHave(r, err), o))
}
