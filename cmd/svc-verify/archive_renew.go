package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/listing"
	"github.com/svc-edge/svc-verify/archive/renewal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

func requestToken(c *cliapp.Context) (int, error) { return prepare(c, false) }

func renewToken(c *cliapp.Context) (int, error) { return prepare(c, true) }

// prepare writes the request for the first token of a seal, or for the next one.
func prepare(c *cliapp.Context, next bool) (code int, err error) {
	ctx, stop := interruptible()
	defer stop()
	in, err := readSeal(ctx, c)
	if code, done := in.refused(c, err); done {
		return code()
	}
	switch name := safetext.Quote(c.Args[0]); {
	case !next && len(in.chain.Steps) > 0:
		return 0, fmt.Errorf("%s has a token already; the next one: svc-verify archive renew", name)
	case next && len(in.chain.Steps) == 0:
		return 0, fmt.Errorf("%s has no token to renew; the first one: svc-verify archive request", name)
	case in.chain.Pending != nil:
		return 0, fmt.Errorf("a request waits for its token in %s: take in the answer with svc-verify archive stamp, "+
			"or remove that folder", safetext.Quote(renewal.FolderOf(c.Args[0])+"/pending"))
	}
	var again timestamp.Hash
	if next {
		if in.options.Revocation, err = readRevocation(c); err != nil {
			return 0, err
		}
		if again, err = rehashOf(c); err != nil {
			return 0, err
		}
	}
	r, tree, err := in.judgeTree(ctx, c, again)
	if err != nil {
		return 0, err
	}
	if len(r.Notices) > 0 {
		f := r.Notices[0]
		return 0, fmt.Errorf("--revocation: %s: expected %s, found %s (%s)", safetext.Quote(f.Path),
			safetext.Line(f.Expected), safetext.Line(f.Found), f.Code)
	}
	if r.Verdict != outcome.Verified {
		return answerChain(c, r)
	}
	step, err := renewal.Prepare(in.sealed, in.chain, tree, in.options.Revocation)
	if err != nil {
		return 0, err
	}
	if err := writeRequest(c, step); err != nil {
		return 0, err
	}
	r.Pending = true
	return answerChain(c, r)
}

// writeRequest writes the request beside the seal, and for the authority.
func writeRequest(c *cliapp.Context, step renewal.Step) error {
	out, err := access.OpenAside(c.Text("out"))
	if err != nil {
		return err
	}
	defer out.Discard()
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
func (in *sealInput) judgeTree(ctx context.Context, c *cliapp.Context, h timestamp.Hash) (*renewal.Report,
	renewal.Tree, error) {
	r := renewal.Verify(in.sealed, in.chain, in.options)
	tree, whole := r.Tree()
	if h == "" || !whole || r.Verdict != outcome.Verified {
		return r, tree, nil
	}
	if h == tree.Hash {
		return nil, tree, cliapp.Usagef("--rehash: the data is under %s already; a new token needs no --rehash", h)
	}
	trees, err := readTrees(ctx, c, []timestamp.Hash{tree.Hash, h})
	if err != nil {
		return nil, tree, err
	}
	in.options.Trees = trees[:1]
	fmt.Fprintf(c.Stderr, "svc-verify: read and hashed again: %s, %s\n", safetext.Count(trees[1].Objects, "object"),
		safetext.Count(trees[1].Octets, "octet"))
	return renewal.Verify(in.sealed, in.chain, in.options), trees[1], nil
}

// rehashOf returns the hash of --rehash, which goes with the archive behind the seal; ""
// if the data is not read.
func rehashOf(c *cliapp.Context) (timestamp.Hash, error) {
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
func readTrees(ctx context.Context, c *cliapp.Context, hashes []timestamp.Hash) (trees []renewal.Tree, err error) {
	root, err := listing.Open(c.Args[1])
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", safetext.Quote(c.Args[1]), access.WithoutPath(err))
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	data := renewal.Data{Archive: root}
	leaves, err := openLeaves(c, c.Args[0])
	if err != nil {
		return nil, err
	}
	if leaves != nil {
		defer leaves.Close()
		data.Leaves = leaves
	}
	return data.Trees(ctx, hashes)
}

// stamp takes in an answer.
func stamp(c *cliapp.Context) (int, error) {
	ctx, cancel := interruptible()
	defer cancel()
	in, err := readSeal(ctx, c)
	if code, done := in.refused(c, err); done {
		return code()
	}
	answer, err := readFile(c.Text("token"), timestamp.MaxToken)
	if err != nil {
		return 0, err
	}
	var further []*x509.Certificate
	for _, name := range c.List("certificates") {
		some, err := readCertificates(name)
		if err != nil {
			return 0, err
		}
		further = append(further, some...)
	}
	if len(further) > timestamp.MaxCertificates {
		return 0, cliapp.Usagef("--certificates: at most %d certificates", timestamp.MaxCertificates)
	}
	next, r, err := renewal.Take(in.sealed, in.chain, answer, further, in.options)
	if errors.Is(err, renewal.ErrNoPending) {
		return 0, fmt.Errorf("%w: svc-verify archive request or renew writes one", err)
	}
	if err != nil {
		return 0, err
	}
	code, err := answerChain(c, r)
	if err != nil || !renewal.Taken(r) {
		return code, err
	}
	return exitVerified, renewal.WriteLast(renewal.FolderOf(c.Args[0]), next)
}
