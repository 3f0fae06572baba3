package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The forms of archive seal for a seal that is there.
var (
	requestForm = commandForm{"where a request is written", "request seal-trust",
		"revocation rehash leaves algorithms at" + meteredFlags, 0}
	tokenForm = commandForm{"where a token is taken in", "token seal-trust",
		"certificates leaves algorithms at" + meteredFlags, 1}
)

// requestToken writes the request for the token that is due: the first one of a seal, or the next one.
func (in *sealInput) requestToken(c *invocation) *reply {
	again, waiting := timestamp.Hash(c.Text("rehash")), c.Args[0]+requestSuffix
	stopIf(fileExists(waiting), "a request waits for its token in %s: take in the answer with svc-verify archive "+
		"seal --token, or remove that file", safetext.Quote(waiting))
	refuseIf(in.record == nil && (c.Given("revocation") || again != ""),
		"%s has no token yet: --revocation and --rehash are for the next one", safetext.Quote(c.Args[0]))
	refuseIf(again != "" && len(c.Args) < 2, "--rehash reads the data again: name the archive behind the seal")
	refuseIf(again == "" && len(c.Args) == 2, "without --rehash the data is not read; name the seal alone")
	in.options.Revocation = c.readRevocation()
	r := record.Verify(in.subject, in.record, in.options)
	if len(r.Notices) > 0 {
		f := r.Notices[0]
		return stopWith(fmt.Errorf("--revocation: %s: expected %s, found %s (%s)", safetext.Quote(f.Path),
			safetext.Line(f.Expected), safetext.Line(f.Found), f.Code))
	}
	if r.Verdict != outcome.Verified {
		return c.answerRecord(r)
	}
	kept := in.record
	if in.record != nil {
		kept = mustHave(in.record.Keep(nil, in.options.Revocation))
		in.record = kept
	}
	step, r := in.stepDue(c, again, r)
	if r.Verdict != outcome.Verified {
		return c.answerRecord(r)
	}
	if kept != nil && len(in.options.Revocation) > 0 {
		c.writeRecord(kept)
	}
	request := timestamp.NewRequest(step.Hash, step.Imprint()).Marshal()
	for _, name := range []string{c.Text("request"), waiting} {
		c.writeBytes(name, request)
	}
	r.Pending = true
	return c.answerRecord(r)
}

// stepDue returns the step that is stamped next, and the report of the record, which is judged
// again if the data is hashed again.
func (in *sealInput) stepDue(c *invocation, again timestamp.Hash, r *record.Report) (record.Step, *record.Report) {
	switch {
	case in.record == nil:
		return in.firstStep(c), r
	case again == "":
		return in.record.Renewal(), r
	}
	hashes := in.record.ChainHashes(again)
	refuseIf(hashes[len(hashes)-2] == again,
		"--rehash: the data is under %s already; a new token needs no --rehash", again)
	stopIf(!in.record.Ours(), "the record is not spelled as this program does: it can be renewed, but not hashed again")
	list := c.openOut(c.Args[0] + record.LeavesSuffix(len(hashes)))
	inventory := in.readObjects(c, hashes, list)
	c.sayLine("read and hashed again: %s, %s", safetext.Count(inventory.Objects, "object"),
		safetext.Count(inventory.Bytes, "octet"))
	r = record.Verify(in.subject, in.record, in.options)
	if r.Verdict == outcome.Verified {
		stopOn(list.Commit())
	}
	return in.options.Forest.Begin(), r
}

// firstStep returns the step of the first token, which is over the seal and the objects of its
// list of leaves.
func (in *sealInput) firstStep(c *invocation) record.Step {
	list := c.openLeaves(c.Args[0])
	stopIf(list == nil, "there is no list of leaves %s: a token is over all objects; give the list with --leaves",
		safetext.Quote(c.Args[0]+leavesSuffix))
	s := c.parseSeal(c.Args[0], in.file)
	stopIf(seal.Check(s, seal.ReadLeaves(list)) != nil, "not the list of leaves of %s", safetext.Quote(c.Args[0]))
	mustHave(list.Seek(0, io.SeekStart))
	return in.growFrom([]io.Reader{list}, []timestamp.Hash{s.Statement.Hash}).Begin()
}

// takeToken adds the answer to the pending request.
func (in *sealInput) takeToken(c *invocation) *reply {
	waiting := c.Args[0] + requestSuffix
	stopIf(!fileExists(waiting), "no request waits for a token: svc-verify archive seal --request writes one")
	request, fault := timestamp.ParseRequest(c.readFile(waiting, timestamp.MaxRequest))
	stopIf(fault != nil, "%s: %w", safetext.Quote(waiting), fault)
	step := in.stepOf(c, request)
	token, err := step.Answer(request, c.readFile(c.Text("token"), timestamp.MaxToken), c.readCertificates())
	if errors.As(err, &fault) {
		return c.answerRecord(record.Unread(fault, in.options.At))
	}
	stopOn(err)
	next := in.record.With(step, token)
	r := record.Verify(in.subject, next, in.options)
	a := c.answerRecord(r)
	if record.Taken(r) {
		c.writeRecord(next)
		a.code, c.late = exitVerified, access.WithoutPath(os.Remove(waiting))
	}
	return a
}

// stepOf returns the step that a request is for: a renewal, or the first step of a chain, for which there is a
// list of leaves.
func (in *sealInput) stepOf(c *invocation, request timestamp.Request) record.Step {
	if in.record == nil {
		return in.firstStep(c)
	}
	step := in.record.Renewal()
	if bytes.Equal(step.Imprint(), request.Imprint) {
		return step
	}
	hashes := in.record.ChainHashes(request.Hash)
	lists := c.openLists(len(hashes))
	if lists == nil || !in.record.Ours() {
		return step
	}
	return in.growFrom(lists, hashes).Begin()
}

// writeRecord writes the record of the seal, in the place of the one before.
func (c *invocation) writeRecord(r *record.Record) {
	der := mustHave(r.DER())
	c.writeBytes(c.Args[0]+recordSuffix, der)
}
