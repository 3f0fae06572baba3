package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveVerifySeal(c *invocation) (*reply, error) {
	ctx := c.interruptContext()
	c.requireNamed()
	trusted, file := c.sealTrust(), c.readFile(c.Args[0], seal.MaxSeal)
	var a seal.Against
	if leaves := c.openLeaves(c.Args[0]); leaves != nil {
		a.Leaves = leaves
	}
	if len(c.Args) > 1 {
		a.Archive = c.openArchive(c.Args[1])
	}
	if c.Given("ledger") {
		if l := c.openLedger(); c.err == nil {
			a.Runs = runsOf(ctx, l)
		}
	}
	r := tryRead(c, func() (*seal.Report, error) {
		if s, faults := seal.Parse(file); len(faults) == 0 {
			a.Progress = c.objectsShown(s.Statement.Objects)
		}
		return seal.Verify(ctx, file, trusted, a)
	})
	if c.err != nil {
		return nil, c.err
	}
	return answerSealed(c, r, file, trusted)
}

// openLeaves opens the list of leaves of a seal. It is nil if there is none beside the
// seal, and none was named.
func (c *invocation) openLeaves(name string) *os.File {
	if c.Given("leaves") {
		return tryOpen(c, func() (*os.File, error) { return openFile(c.Text("leaves")) })
	}
	if _, err := os.Stat(name + leavesSuffix); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return tryOpen(c, func() (*os.File, error) { return openFile(name + leavesSuffix) })
}

// runsOf yields the digests of the runs of a ledger.
func runsOf(ctx context.Context, l *ledger.Ledger) iter.Seq2[[sha256.Size]byte, error] {
	return func(yield func([sha256.Size]byte, error) bool) {
		if fault := l.Fault(); fault != nil {
			yield([sha256.Size]byte{}, fault)
			return
		}
		for r, err := range l.Runs(ctx) {
			if !yield(r.Digest, err) {
				return
			}
		}
	}
}

func archiveProve(c *invocation) (*reply, error) {
	path, ok := object.ParsePath(c.Args[1])
	if !ok {
		return nil, cliapp.Usagef("expected the path of an object as svc-verify prints it, found %s",
			safetext.Quote(c.Args[1]))
	}
	file := c.readFile(c.Args[0], seal.MaxSeal)
	s := tryRead(c, func() (*seal.Seal, error) { return c.parseSeal(c.Args[0], file) })
	leaves := c.openLeaves(c.Args[0])
	if c.err != nil {
		return nil, c.err
	}
	if leaves == nil {
		return nil, fmt.Errorf("there is no list of leaves %s: give it with --leaves", safetext.Quote(c.Args[0]+leavesSuffix))
	}
	proof, err := seal.Prove(s, leaves, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", safetext.Quote(c.Args[1]), err)
	}
	return &reply{}, c.writeOut(c.Text("out"), writeOctets(proof))
}

func archiveVerifyObject(c *invocation) (*reply, error) {
	trusted, proof := c.sealTrust(), c.readFile(c.Text("proof"), seal.MaxProof)
	f := tryOpen(c, func() (*os.File, error) { return openFile(c.Args[0]) })
	if c.err != nil {
		return nil, c.err
	}
	r, err := seal.VerifyObject(proof, trusted, f)
	if err != nil {
		return nil, readFault(c.Args[0], err)
	}
	return c.answerSeal(r, c.sealDocument(r)), nil
}
