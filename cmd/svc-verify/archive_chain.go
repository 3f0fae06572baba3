package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// sealInput is a seal whose signatures hold, its chain, and what both are judged by.
type sealInput struct {
	sealed  record.Sealed
	chain   *record.Chain
	options record.Options
	report  *seal.Report
}

// onSeal does what a form of archive seal does with a seal that is there. One that does not hold, and a
// chain that has not its form, is the answer itself.
func (c *invocation) onSeal(f commandForm, do func(*sealInput, *invocation) *reply) *reply {
	ctx := c.interruptContext()
	c.requireForm(f)
	c.requireNamed()
	in, trusted, file := &sealInput{}, c.sealTrust(), c.readFile(c.Args[0], seal.MaxSeal)
	in.report = mustHave(seal.Verify(ctx, file, trusted, seal.Against{}))
	unread := in.read(c, file, trusted)
	switch {
	case unread != nil:
		return c.answerChain(unread)
	case in.report.Verdict != outcome.Verified:
		return c.answerSeal(in.report, withName(text.Seal, c.Args[0]))
	}
	return do(in, c)
}

// read reads what judges a chain, and the chain. It returns a report if that has not its form.
func (in *sealInput) read(c *invocation, file []byte, trusted *sealkey.Trust) (unread *record.Report) {
	in.options.At, in.options.Authorities = c.nowOf(), mustHave(record.AuthoritiesOf(trusted))
	if c.Given("algorithms") {
		in.options.Algorithms = tryParse[record.AlgorithmsFaults](c, "file of --algorithms", c.Text("algorithms"),
			record.MaxAlgorithms, record.ParseAlgorithms)
	}
	s, faults := seal.Parse(file)
	if len(faults) > 0 {
		return nil // the report says what the faults are
	}
	in.sealed = record.Of(s)
	in.sealed.Pin, _ = trusted.Pin(s.Envelope.Signer)
	chain, err := record.Read(record.FolderOf(c.Args[0]))
	if malformed := new(record.Malformed); errors.As(err, &malformed) {
		return record.Unread(malformed, in.options.At)
	}
	in.chain = mustHave(chain, err)
	return nil
}

// readRevocation reads the files of --revocation.
func (c *invocation) readRevocation() (all []timestamp.Evidence) {
	for _, name := range c.List("revocation") {
		e, fault := timestamp.ParseEvidence(name, c.readFile(name, timestamp.MaxRevocation))
		stopIf(fault != nil, "--revocation: %w", fault)
		all = append(all, e)
	}
	return all
}

// readCertificates reads all certificates of the PEM files of --certificates.
func (c *invocation) readCertificates() (all []*x509.Certificate) {
	for _, name := range c.List("certificates") {
		block, rest := pem.Decode(c.readFile(name, timestamp.MaxToken))
		stopIf(block == nil, "reading %s: expected certificates in PEM, found no PEM block", safetext.Quote(name))
		for ; block != nil; block, rest = pem.Decode(rest) {
			one, err := timestamp.ParseCertificate(block.Bytes)
			stopIf(err != nil, "reading %s: expected certificates in PEM: %w", safetext.Quote(name), err)
			all = append(all, one)
		}
	}
	refuseIf(len(all) > timestamp.MaxCertificates, "--certificates: at most %d certificates", timestamp.MaxCertificates)
	return all
}

// answerChain answers about a chain, and says the first finding.
func (c *invocation) answerChain(r *record.Report) *reply {
	c.sayChain(r)
	return replyTo(r.Verdict, r, withName(text.Renewal, c.Args[0]))
}

// sayChain says the first finding about a chain.
func (c *invocation) sayChain(r *record.Report) {
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		c.sayLine("%s: %s: %s (%s)", r.Verdict, safetext.Line(f.Path), f.Remark(), f.Code)
	}
}

// sealAnswer is the verification of a seal together with that of its chain.
type sealAnswer struct {
	*seal.Report
	Chain *record.Report `json:"chain,omitempty"`
}

// answerSealed answers for a seal and, if its signatures hold, for its chain. Without a
// chain it is as good as the seal.
func answerSealed(c *invocation, r *seal.Report, file []byte, trusted *sealkey.Trust) *reply {
	in := sealInput{report: r}
	unread := in.read(c, file, trusted)
	switch {
	case unread != nil:
		return c.answerBoth(r, unread)
	case r.Seal == nil || len(in.chain.Steps) == 0 && in.chain.Pending == nil && in.options.Algorithms == nil:
		return c.answerSeal(r, withName(text.Seal, c.Args[0]))
	}
	in.options.Revocation = c.readRevocation()
	compared := len(c.Args) > 1 && r.Verdict == outcome.Verified
	if compared { // the seal's own tree was compared
		in.options.Trees = []record.Tree{in.sealed.Tree}
	}
	chain := record.Verify(in.sealed, in.chain, in.options)
	if tree, whole := chain.Tree(); compared && whole && tree.Hash != in.sealed.Tree.Hash {
		in.options.Trees = c.readTrees([]timestamp.Hash{in.sealed.Tree.Hash, tree.Hash})
		chain = record.Verify(in.sealed, in.chain, in.options)
	}
	return c.answerBoth(r, chain)
}

// answerBoth answers about a seal and its chain. The worse verdict counts.
func (c *invocation) answerBoth(r *seal.Report, chain *record.Report) *reply {
	if r.Verdict == outcome.Verified {
		c.sayChain(chain)
	}
	r.Verdict = outcome.Worst(r.Verdict, chain.Verdict)
	r.Limitations = slices.DeleteFunc(r.Limitations, // the chain says what its time rests on
		func(l seal.Limitation) bool { return l.Code == seal.NoToken })
	a := c.answerSeal(r, func(*seal.Report) *answer.Doc { return text.SealAndChain(r, chain, safetext.Quote(c.Args[0])) })
	a.json = sealAnswer{r, chain}
	return a
}
