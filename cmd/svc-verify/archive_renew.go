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

// renewCommands are the commands that make the chain of tokens over a seal.
func renewCommands() []*cliapp.Command {
	return []*cliapp.Command{archiveRequestCommand(), archiveStampCommand(), archiveRenewCommand()}
}

// chainFlags are the flags by which a chain is judged.
func chainFlags() []cliapp.Flag {
	return []cliapp.Flag{
		{Name: "algorithms", Value: "FILE", Usage: "The file that says until when algorithms are believed"},
		{Name: "at", Kind: cliapp.Time, Value: "TIME", Usage: "The time of the check; the clock's time unless given"},
	}
}

func revocationFlag() cliapp.Flag {
	return cliapp.Flag{Name: "revocation", Kind: cliapp.List, Value: "FILE",
		Usage: "A CRL or OCSP answer about the certificates of the newest token"}
}

func outFlag() cliapp.Flag {
	return cliapp.Flag{Name: "out", Value: "FILE", Required: true, Usage: "The request to write, for the authority"}
}

func chainExitCodes(done string) []cliapp.ExitCode {
	return []cliapp.ExitCode{
		{Code: exitVerified, Meaning: done},
		{Code: exitRejected, Meaning: "refused: the seal, its chain or the token does not hold"},
		{Code: cliapp.ExitFailure, Meaning: "could not work"},
		{Code: exitInconclusive, Meaning: "refused: it is open whether the newest token still holds"},
	}
}

func archiveRequestCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "request",
		Summary: "Write a request for the first time-stamp token of a seal",
		Description: "Verifies the seal, and writes a request (RFC 3161) over it for a time-stamping authority. " +
			"Nothing is sent: an authority takes it by HTTP, as application/timestamp-query. The request waits in " +
			"SEAL.chain until svc-verify archive stamp takes in the answer.",
		ExitCodes: chainExitCodes("the request was written"),
		Args:      "SEAL",
		Flags:     append([]cliapp.Flag{sealTrustFlag(), outFlag()}, append(chainFlags(), formFlag(), colorFlag())...),
		Examples:  []string{"svc-verify archive request --seal-trust keys.json --out 2026.tsq 2026.seal"},
		Action:    func(c *cliapp.Context) (int, error) { return prepare(c, false) },
	}
}

func archiveRenewCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "renew",
		Summary: "Write a request for the next token, over the seal and all tokens before",
		Description: "Verifies the seal and its chain, and writes a request over everything before it. The newest " +
			"token must still hold, and CRLs or OCSP answers must show it: they become a part of the chain. What " +
			"has ended cannot be renewed.\n\nWith --rehash, every octet of DIR is read and hashed again, under " +
			"the old hash and the new one. That renews the hash of the data too, and takes as long as reading the " +
			"archive.",
		ExitCodes: chainExitCodes("the request was written"),
		Args:      "SEAL [DIR]",
		Flags: append([]cliapp.Flag{sealTrustFlag(), outFlag(), revocationFlag(),
			{Name: "rehash", Choices: []string{string(timestamp.SHA3x512), string(timestamp.SHA512)},
				Usage: "Hash the data again with this hash"},
			leavesFlag()}, append(chainFlags(), formFlag(), colorFlag())...),
		Examples: []string{
			"svc-verify archive renew --seal-trust keys.json --revocation tsa.crl \\\n    --out 2031.tsq 2026.seal",
			"svc-verify archive renew --seal-trust keys.json \\\n    --revocation tsa.crl --rehash sha3-512 \\\n" +
				"    --out 2036.tsq 2026.seal evidence/",
		},
		Action: func(c *cliapp.Context) (int, error) { return prepare(c, true) },
	}
}

func archiveStampCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "stamp",
		Summary: "Take in the token that answers a request",
		Description: "Verifies the answer of the authority to the request that waits, and adds its token to the " +
			"chain of the seal: it must be for this request, and lead to an authority of --seal-trust. What it " +
			"renews must have held at its time.",
		ExitCodes: chainExitCodes("the token is part of the chain"),
		Args:      "SEAL",
		Flags: append([]cliapp.Flag{sealTrustFlag(),
			{Name: "token", Value: "FILE", Required: true, Usage: "The answer of the authority, or the token in it"},
			{Name: "certificates", Kind: cliapp.List, Value: "PEM",
				Usage: "Certificates between the token and the authority that the token lacks"},
		}, append(chainFlags(), formFlag(), colorFlag())...),
		Examples: []string{"svc-verify archive stamp --seal-trust keys.json --token 2026.tsr 2026.seal"},
		Action:   stamp,
	}
}

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
