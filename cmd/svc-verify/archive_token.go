package main

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// The forms of archive seal for a seal that is there.
var (
	requestForm = commandForm{"where a request is written", "request seal-trust",
		"revocation rehash leaves algorithms at" + meteredFlags, 0}
	tokenForm = commandForm{"where a token is taken in", "token seal-trust",
		"certificates algorithms at" + meteredFlags, 1}
)

// requestToken writes the request for the token that is due: the first one of a seal, or the next one.
func (in *sealInput) requestToken(c *invocation) *reply {
	again := timestamp.Hash(c.Text("rehash"))
	stopIf(in.chain.Pending != nil, "a request waits for its token in %s: take in the answer with svc-verify archive "+
		"seal --token, or remove that folder", safetext.Quote(record.FolderOf(c.Args[0])+"/pending"))
	refuseIf(len(in.chain.Steps) == 0 && (c.Given("revocation") || again != ""),
		"%s has no token yet: --revocation and --rehash are for the next one", safetext.Quote(c.Args[0]))
	refuseIf(again != "" && len(c.Args) < 2, "--rehash reads the data again: name the archive behind the seal")
	refuseIf(again == "" && (len(c.Args) == 2 || c.Given("leaves")),
		"without --rehash the data is not read; name the seal alone")
	in.options.Revocation = c.readRevocation()
	r, tree := in.judgeTree(c, again)
	if len(r.Notices) > 0 {
		f := r.Notices[0]
		return stopWith(fmt.Errorf("--revocation: %s: expected %s, found %s (%s)", safetext.Quote(f.Path),
			safetext.Line(f.Expected), safetext.Line(f.Found), f.Code))
	}
	if r.Verdict != outcome.Verified {
		return c.answerChain(r)
	}
	step := mustHave(record.Prepare(in.sealed, in.chain, tree, in.options.Revocation))
	r.Pending = true
	c.writeOut(c.Text("request"), func(w io.Writer) error {
		if _, err := w.Write(step.Request()); err != nil {
			return err
		}
		return record.WritePending(record.FolderOf(c.Args[0]), step)
	})
	return c.answerChain(r)
}

// judgeTree judges the chain, and returns the tree that the next step stands on. If the
// data is to be hashed again and the chain holds, the data is read, and its tree under the
// old hash is compared with the chain.
func (in *sealInput) judgeTree(c *invocation, h timestamp.Hash) (*record.Report, record.Tree) {
	r := record.Verify(in.sealed, in.chain, in.options)
	tree, whole := r.Tree()
	if h == "" || !whole || r.Verdict != outcome.Verified {
		return r, tree
	}
	refuseIf(h == tree.Hash, "--rehash: the data is under %s already; a new token needs no --rehash", h)
	trees := c.readTrees([]timestamp.Hash{tree.Hash, h})
	in.options.Trees = trees[:1]
	c.sayLine("read and hashed again: %s, %s", safetext.Count(trees[1].Objects, "object"),
		safetext.Count(trees[1].Octets, "octet"))
	return record.Verify(in.sealed, in.chain, in.options), trees[1]
}

// readTrees reads the archive of a command line, and its list of leaves if there is one.
func (c *invocation) readTrees(hashes []timestamp.Hash) []record.Tree {
	data := record.Data{Archive: c.openArchive(c.Args[1]), Leaves: c.openLeaves(c.Args[0])}
	return mustHave(data.Trees(c.ctx, hashes))
}

// takeToken adds the answer to the pending request.
func (in *sealInput) takeToken(c *invocation) *reply {
	token := c.readFile(c.Text("token"), timestamp.MaxToken)
	further := c.readCertificates()
	next, r, err := record.Take(in.sealed, in.chain, token, further, in.options)
	stopOn(err)
	a := c.answerChain(r)
	if record.Taken(r) {
		a.code, c.late = exitVerified, record.WriteLast(record.FolderOf(c.Args[0]), next)
	}
	return a
}
