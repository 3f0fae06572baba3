package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/renewal"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// sealInput is a seal whose signatures hold, its chain, and what both are judged by.
type sealInput struct {
	sealed  renewal.Sealed
	chain   *renewal.Chain
	options renewal.Options
	report  *seal.Report
}

// onSeal does what a form of archive seal does with a seal that is there. One that does not hold, and a
// chain that has not its form, is the answer itself.
func (c *invocation) onSeal(f commandForm, most int, do func(*sealInput, *invocation) (*reply, error)) (*reply, error) {
	ctx := c.interruptContext()
	c.requireForm(f)
	c.requireArgs(1, most, f.where)
	c.requireNamed()
	in, trusted, file := &sealInput{}, c.sealTrust(), c.readFile(c.Args[0], seal.MaxSeal)
	in.report = tryRead(c, func() (*seal.Report, error) { return seal.Verify(ctx, file, trusted, seal.Against{}) })
	if c.err != nil {
		return nil, c.err
	}
	err := in.read(c, file, trusted)
	malformed := new(renewal.Malformed)
	switch {
	case errors.As(err, &malformed):
		return c.answerChain(renewal.Unread(malformed, in.options.At)), nil
	case err != nil:
		return nil, err
	case in.report.Verdict != outcome.Verified:
		return c.answerSeal(in.report, c.sealDocument(in.report)), nil
	}
	return do(in, c)
}

// read reads what judges a chain, and the chain. A chain that has not its form is an
// error of type renewal.Malformed.
func (in *sealInput) read(c *invocation, file []byte, trusted *sealkey.Trust) (err error) {
	in.options.At = c.nowOf()
	if in.options.Authorities, err = renewal.AuthoritiesOf(trusted); err != nil {
		return err
	}
	if c.Given("algorithms") {
		in.options.Algorithms = tryParse[renewal.AlgorithmsFaults](c, "file of --algorithms", c.Text("algorithms"),
			renewal.MaxAlgorithms, renewal.ParseAlgorithms)
	}
	s, faults := seal.Parse(file)
	if len(faults) > 0 || c.err != nil {
		return c.err // the report says what the faults are
	}
	in.sealed = renewal.Of(s)
	in.sealed.Pin, _ = trusted.Pin(s.Envelope.Signer)
	in.chain, err = renewal.Read(renewal.FolderOf(c.Args[0]))
	return err
}

// readRevocation reads the files of --revocation.
func (c *invocation) readRevocation() (all []timestamp.Evidence) {
	for _, name := range c.List("revocation") {
		doc := c.readFile(name, timestamp.MaxRevocation)
		all = append(all, tryRead(c, func() (timestamp.Evidence, error) {
			e, fault := timestamp.ParseEvidence(name, doc)
			if fault != nil {
				return e, fmt.Errorf("--revocation: %w", fault)
			}
			return e, nil
		}))
	}
	return all
}

// readCertificates reads all certificates of a PEM file.
func readCertificates(name string) (all []*x509.Certificate, err error) {
	doc, err := readFile(name, timestamp.MaxToken)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(doc); block != nil; block, rest = pem.Decode(rest) {
		c, err := timestamp.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading %s: expected certificates in PEM: %w", safetext.Quote(name), err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("reading %s: expected certificates in PEM, found no PEM block", safetext.Quote(name))
	}
	return all, nil
}

// answerChain answers about a chain, and says the first finding.
func (c *invocation) answerChain(r *renewal.Report) *reply {
	c.sayChain(r)
	return &reply{code: exitCode(r.Verdict), json: r,
		doc: func() *answer.Doc { return text.Renewal(r, safetext.Quote(c.Args[0])) }}
}

// sayChain says the first finding about a chain.
func (c *invocation) sayChain(r *renewal.Report) {
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		c.sayLine("%s: %s: %s (%s)", r.Verdict, safetext.Line(f.Path), f.Remark(), f.Code)
	}
}

// sealAnswer is the verification of a seal together with that of its chain.
type sealAnswer struct {
	*seal.Report
	Chain *renewal.Report `json:"chain,omitempty"`
}

// answerSealed answers for a seal and, if its signatures hold, for its chain. Without a
// chain it is as good as the seal.
func answerSealed(c *invocation, r *seal.Report, file []byte, trusted *sealkey.Trust) (*reply, error) {
	in := sealInput{report: r}
	err := in.read(c, file, trusted)
	var malformed *renewal.Malformed
	switch {
	case errors.As(err, &malformed):
		return c.answerBoth(r, renewal.Unread(malformed, in.options.At)), nil
	case err != nil:
		return nil, err
	case r.Seal == nil || len(in.chain.Steps) == 0 && in.chain.Pending == nil && in.options.Algorithms == nil:
		return c.answerSeal(r, c.sealDocument(r)), nil
	}
	if in.options.Revocation = c.readRevocation(); c.err != nil {
		return nil, c.err
	}
	compared := len(c.Args) > 1 && r.Verdict == outcome.Verified
	if compared { // the seal's own tree was compared
		in.options.Trees = []renewal.Tree{in.sealed.Tree}
	}
	chain := renewal.Verify(in.sealed, in.chain, in.options)
	if tree, whole := chain.Tree(); compared && whole && tree.Hash != in.sealed.Tree.Hash {
		if in.options.Trees, err = c.readTrees([]timestamp.Hash{in.sealed.Tree.Hash, tree.Hash}); err != nil {
			return nil, err
		}
		chain = renewal.Verify(in.sealed, in.chain, in.options)
	}
	return c.answerBoth(r, chain), nil
}

// answerBoth answers about a seal and its chain. The worse verdict counts.
func (c *invocation) answerBoth(r *seal.Report, chain *renewal.Report) *reply {
	if r.Verdict == outcome.Verified {
		c.sayChain(chain)
	}
	r.Verdict = outcome.Worst(r.Verdict, chain.Verdict)
	r.Limitations = slices.DeleteFunc(r.Limitations, // the chain says what its time rests on
		func(l seal.Limitation) bool { return l.Code == seal.NoToken })
	a := c.answerSeal(r, func() *answer.Doc { return text.SealAndChain(r, chain, safetext.Quote(c.Args[0])) })
	a.json = sealAnswer{r, chain}
	return a
}
