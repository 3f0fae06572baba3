package main

import (
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/renewal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

func requestToken(c *invocation) (*reply, error) { return prepareRequest(c, false) }

func renewToken(c *invocation) (*reply, error) { return prepareRequest(c, true) }

// prepareRequest writes the request for the first token of a seal, or for the next one.
func prepareRequest(c *invocation, next bool) (*reply, error) {
	in, err := readSeal(c)
	if a, err := in.refused(c, err); a != nil || err != nil {
		return a, err
	}
	switch name := safetext.Quote(c.Args[0]); {
	case !next && len(in.chain.Steps) > 0:
		return nil, fmt.Errorf("%s has a token already; the next one: svc-verify archive renew", name)
	case next && len(in.chain.Steps) == 0:
		return nil, fmt.Errorf("%s has no token to renew; the first one: svc-verify archive request", name)
	case in.chain.Pending != nil:
		return nil, fmt.Errorf("a request waits for its token in %s: take in the answer with svc-verify archive stamp, "+
			"or remove that folder", safetext.Quote(renewal.FolderOf(c.Args[0])+"/pending"))
	}
	var again timestamp.Hash
	if next {
		in.options.Revocation = c.readRevocation()
		again = tryRead(c, func() (timestamp.Hash, error) { return rehashOf(c) })
	}
	if c.err != nil {
		return nil, c.err
	}
	r, tree, err := in.judgeTree(c, again)
	if err != nil {
		return nil, err
	}
	if len(r.Notices) > 0 {
		f := r.Notices[0]
		return nil, fmt.Errorf("--revocation: %s: expected %s, found %s (%s)", safetext.Quote(f.Path),
			safetext.Line(f.Expected), safetext.Line(f.Found), f.Code)
	}
	if r.Verdict != outcome.Verified {
		return c.answerChain(r), nil
	}
	step, err := renewal.Prepare(in.sealed, in.chain, tree, in.options.Revocation)
	if err == nil {
		err = writeRequest(c, step)
	}
	r.Pending = true
	return c.answerChain(r), err
}

// writeRequest writes the request beside the seal, and for the authority.
func writeRequest(c *invocation, step renewal.Step) error {
	out := c.openOut(c.Text("out"))
	if c.err != nil {
		return c.err
	}
	if _, err := out.Write(step.Request()); err != nil {
		return err
	}
	if err := renewal.WritePending(renewal.FolderOf(c.Args[0]), step); err != nil {
		return err
	}
	return out.Commit()
}

// judgeTree judges the chain, and returns the tree that the next step stands on. If the
// data is to be hashed again and the chain holds, the data is read, and its tree under the
// old hash is compared with the chain.
func (in *sealInput) judgeTree(c *invocation, h timestamp.Hash) (*renewal.Report, renewal.Tree, error) {
	r := renewal.Verify(in.sealed, in.chain, in.options)
	tree, whole := r.Tree()
	if h == "" || !whole || r.Verdict != outcome.Verified {
		return r, tree, nil
	}
	if h == tree.Hash {
		return nil, tree, cliapp.Usagef("--rehash: the data is under %s already; a new token needs no --rehash", h)
	}
	trees, err := c.readTrees([]timestamp.Hash{tree.Hash, h})
	if err != nil {
		return nil, tree, err
	}
	in.options.Trees = trees[:1]
	c.sayLine("read and hashed again: %s, %s", safetext.Count(trees[1].Objects, "object"),
		safetext.Count(trees[1].Octets, "octet"))
	return renewal.Verify(in.sealed, in.chain, in.options), trees[1], nil
}

// rehashOf returns the hash of --rehash, which goes with the archive behind the seal; ""
// if the data is not read.
func rehashOf(c *invocation) (timestamp.Hash, error) {
	switch h := c.Text("rehash"); {
	case h != "" && len(c.Args) < 2:
		return "", cliapp.Usagef("--rehash reads the data again: name the archive behind the seal")
	case h == "" && len(c.Args) == 2:
		return "", cliapp.Usagef("without --rehash the data is not read; name the seal alone")
	default:
		return timestamp.Hash(h), nil
	}
}

// readTrees reads the archive of a command line, and its list of leaves if there is one.
func (c *invocation) readTrees(hashes []timestamp.Hash) ([]renewal.Tree, error) {
	data := renewal.Data{Archive: c.openArchive(c.Args[1])}
	if leaves := c.openLeaves(c.Args[0]); leaves != nil {
		data.Leaves = leaves
	}
	trees := tryRead(c, func() ([]renewal.Tree, error) { return data.Trees(c.ctx, hashes) })
	return trees, c.err
}

// stamp takes in an answer.
func stamp(c *invocation) (*reply, error) {
	in, err := readSeal(c)
	if a, err := in.refused(c, err); a != nil || err != nil {
		return a, err
	}
	token := c.readFile(c.Text("token"), timestamp.MaxToken)
	var further []*x509.Certificate
	for _, name := range c.List("certificates") {
		further = append(further, tryRead(c, func() ([]*x509.Certificate, error) { return readCertificates(name) })...)
	}
	if len(further) > timestamp.MaxCertificates {
		c.keepError(cliapp.Usagef("--certificates: at most %d certificates", timestamp.MaxCertificates))
	}
	if c.err != nil {
		return nil, c.err
	}
	next, r, err := renewal.Take(in.sealed, in.chain, token, further, in.options)
	if errors.Is(err, renewal.ErrNoPending) {
		return nil, fmt.Errorf("%w: svc-verify archive request or renew writes one", err)
	}
	if err != nil {
		return nil, err
	}
	a := c.answerChain(r)
	if renewal.Taken(r) {
		a.code, c.late = exitVerified, renewal.WriteLast(renewal.FolderOf(c.Args[0]), next)
	}
	return a, nil
}
