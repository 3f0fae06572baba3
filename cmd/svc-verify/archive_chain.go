package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/archive/renewal"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// sealInput is a seal whose signatures hold, its chain, and what both are judged by.
type sealInput struct {
	sealed  renewal.Sealed
	chain   *renewal.Chain
	options renewal.Options
	report  *seal.Report
}

// readSeal reads and verifies a seal and reads its chain. Sealed is not set if the seal
// does not hold: the report says why.
func readSeal(ctx context.Context, c *cliapp.Context) (in sealInput, err error) {
	if err := requireNamed(c); err != nil {
		return in, err
	}
	trusted, err := readSealTrust(c)
	if err != nil {
		return in, err
	}
	file, err := readFile(c.Args[0], seal.MaxSeal)
	if err != nil {
		return in, err
	}
	if in.report, err = seal.Verify(ctx, file, trusted, seal.Against{}); err != nil {
		return in, err
	}
	return in, in.read(c, file, trusted)
}

// read reads what judges a chain, and the chain. A chain that has not its form is an
// error of type renewal.Malformed.
func (in *sealInput) read(c *cliapp.Context, file []byte, trusted *sealkey.Trust) (err error) {
	if in.options, err = chainOptions(c, trusted); err != nil {
		return err
	}
	s, faults := seal.Parse(file)
	if len(faults) > 0 {
		return nil // the report says so
	}
	in.sealed = renewal.Of(s)
	in.sealed.Pin, _ = trusted.Pin(s.Envelope.Signer)
	in.chain, err = renewal.Read(renewal.FolderOf(c.Args[0]))
	return err
}

// chainOptions reads the flags by which a chain is judged.
func chainOptions(c *cliapp.Context, trusted *sealkey.Trust) (o renewal.Options, err error) {
	o.At = nowOf(c)
	if o.Authorities, err = renewal.AuthoritiesOf(trusted); err != nil {
		return o, err
	}
	if c.Given("algorithms") {
		doc, err := readFile(c.Text("algorithms"), renewal.MaxAlgorithms)
		if err != nil {
			return o, err
		}
		o.Algorithms, err = renewal.ParseAlgorithms(doc)
		var faults renewal.AlgorithmsFaults
		if errors.As(err, &faults) {
			writeFaults(c.Stderr, c.Text("algorithms"), faults)
			return o, fmt.Errorf("the file of --algorithms %s cannot be used: %s", safetext.Quote(c.Text("algorithms")),
				safetext.Count(len(faults), "fault"))
		}
	}
	return o, nil
}

// readRevocation reads the files of --revocation.
func readRevocation(c *cliapp.Context) (all []timestamp.Evidence, err error) {
	for _, name := range c.List("revocation") {
		doc, err := readFile(name, timestamp.MaxRevocation)
		if err != nil {
			return nil, err
		}
		e, fault := timestamp.ParseEvidence(name, doc)
		if fault != nil {
			return nil, fmt.Errorf("--revocation: %w", fault)
		}
		all = append(all, e)
	}
	return all, nil
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

// refused answers for a seal that does not hold, a chain that has not its form, and an
// error.
func (in *sealInput) refused(c *cliapp.Context, err error) (func() (int, error), bool) {
	var malformed *renewal.Malformed
	switch {
	case errors.As(err, &malformed):
		r := renewal.Unread(malformed, in.options.At)
		return func() (int, error) { return answerChain(c, r) }, true
	case err != nil:
		return func() (int, error) { return 0, err }, true
	case in.report.Verdict != outcome.Verified:
		return func() (int, error) { return answerSeal(c, in.report, text.Seal(in.report, safetext.Quote(c.Args[0]))) }, true
	}
	return nil, false
}

// answerChain writes an answer about a chain.
func answerChain(c *cliapp.Context, r *renewal.Report) (int, error) {
	reportChain(c, r)
	code := exitCode(verify.Verdict(r.Verdict))
	if c.Text("output") == "json" {
		return code, writeJSON(c.Stdout, r)
	}
	return code, writePage(c, text.Renewal(r, safetext.Quote(c.Args[0])))
}

// reportChain writes the first finding about a chain to standard error.
func reportChain(c *cliapp.Context, r *renewal.Report) {
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s: %s (%s)\n", r.Verdict, safetext.Line(f.Path), f.Sentence(), f.Code)
	}
}

// sealAnswer is the verification of a seal together with that of its chain.
type sealAnswer struct {
	*seal.Report
	Chain *renewal.Report `json:"chain,omitempty"`
}

// answerSealed answers for a seal and, if its signatures hold, for its chain. Without a
// chain it is as good as the seal.
func answerSealed(ctx context.Context, c *cliapp.Context, r *seal.Report, file []byte,
	trusted *sealkey.Trust) (int, error) {
	in := sealInput{report: r}
	err := in.read(c, file, trusted)
	var malformed *renewal.Malformed
	switch {
	case errors.As(err, &malformed):
		return answerBoth(c, r, renewal.Unread(malformed, in.options.At))
	case err != nil:
		return 0, err
	case r.Seal == nil || len(in.chain.Steps) == 0 && in.chain.Pending == nil && in.options.Algorithms == nil:
		return answerSeal(c, r, text.Seal(r, safetext.Quote(c.Args[0])))
	}
	if in.options.Revocation, err = readRevocation(c); err != nil {
		return 0, err
	}
	compared := len(c.Args) > 1 && r.Verdict == outcome.Verified
	if compared { // the seal's own tree was compared
		in.options.Trees = []renewal.Tree{in.sealed.Tree}
	}
	chain := renewal.Verify(in.sealed, in.chain, in.options)
	if tree, whole := chain.Tree(); compared && whole && tree.Hash != in.sealed.Tree.Hash {
		if in.options.Trees, err = readTrees(ctx, c, []timestamp.Hash{in.sealed.Tree.Hash, tree.Hash}); err != nil {
			return 0, err
		}
		chain = renewal.Verify(in.sealed, in.chain, in.options)
	}
	return answerBoth(c, r, chain)
}

// answerBoth writes an answer about a seal and its chain. The worse verdict counts.
func answerBoth(c *cliapp.Context, r *seal.Report, chain *renewal.Report) (int, error) {
	if r.Verdict == outcome.Verified && len(chain.Findings) > 0 {
		reportChain(c, chain)
	}
	r.Verdict = outcome.Worst(r.Verdict, chain.Verdict)
	if len(chain.Steps) > 0 { // the chain says what its time rests on
		r.Limitations = slices.DeleteFunc(r.Limitations,
			func(l seal.Limitation) bool { return l.Code == seal.SealTimeClaimed })
	}
	code := reportSeal(c, r)
	if c.Text("output") == "json" {
		return code, writeJSON(c.Stdout, sealAnswer{r, chain})
	}
	t := text.Seal(r, safetext.Quote(c.Args[0]))
	text.Chain(t, chain)
	return code, writePage(c, t)
}
