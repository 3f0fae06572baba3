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
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func archiveVerifySeal(c *cliapp.Context) (code int, err error) {
	ctx, stop := interruptible()
	defer stop()
	if err := requireNamed(c); err != nil {
		return 0, err
	}
	trusted, err := readSealTrust(c)
	if err != nil {
		return 0, err
	}
	file, err := readFile(c.Args[0], seal.MaxSeal)
	if err != nil {
		return 0, err
	}
	var a seal.Against
	leaves, err := openLeaves(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	if leaves != nil {
		defer leaves.Close()
		a.Leaves = leaves
	}
	if len(c.Args) > 1 {
		if a.Archive, err = openArchive(c.Args[1]); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, a.Archive.Close()) }()
	}
	if c.Given("ledger") {
		l, err := readLedger(ctx, c)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		a.Runs = runsOf(ctx, l)
	}
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	if s, faults := seal.Parse(file); len(faults) == 0 {
		a.Progress = showReading(c, m, s.Statement.Objects)
	}
	r, err := seal.Verify(ctx, file, trusted, a)
	if err != nil {
		return 0, err
	}
	return answerSealed(ctx, c, r, file, trusted)
}

// openLeaves opens the list of leaves of a seal. It is nil if there is none beside the
// seal, and none was named.
func openLeaves(c *cliapp.Context, name string) (*os.File, error) {
	if c.Given("leaves") {
		return openFile(c.Text("leaves"))
	}
	f, err := openFile(name + leavesSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
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

func archiveProve(c *cliapp.Context) (int, error) {
	path, ok := object.ParsePath(c.Args[1])
	if !ok {
		return 0, cliapp.Usagef("expected the path of an object as svc-verify prints it, found %s", safetext.Quote(c.Args[1]))
	}
	file, err := readFile(c.Args[0], seal.MaxSeal)
	if err != nil {
		return 0, err
	}
	s, faults := seal.Parse(file)
	if len(faults) > 0 {
		writeFaults(c.Stderr, c.Args[0], faults[:1])
		return 0, fmt.Errorf("%s is no seal", safetext.Quote(c.Args[0]))
	}
	leaves, err := openLeaves(c, c.Args[0])
	if err != nil {
		return 0, err
	}
	if leaves == nil {
		return 0, fmt.Errorf("there is no list of leaves %s: give it with --leaves", safetext.Quote(c.Args[0]+leavesSuffix))
	}
	defer leaves.Close()
	proof, err := seal.Prove(s, leaves, path)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", safetext.Quote(c.Args[1]), err)
	}
	out, err := access.OpenAside(c.Text("out"))
	if err != nil {
		return 0, err
	}
	defer out.Discard()
	if _, err := out.Write(proof); err != nil {
		return 0, err
	}
	return 0, out.Commit()
}

func archiveVerifyObject(c *cliapp.Context) (int, error) {
	trusted, err := readSealTrust(c)
	if err != nil {
		return 0, err
	}
	proof, err := readFile(c.Text("proof"), seal.MaxProof)
	if err != nil {
		return 0, err
	}
	f, err := openFile(c.Args[0])
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := seal.VerifyObject(proof, trusted, f)
	if err != nil {
		return 0, fmt.Errorf("reading %s: %w", safetext.Quote(c.Args[0]), access.WithoutPath(err))
	}
	return answerSeal(c, r, text.Seal(r, safetext.Quote(c.Args[0])))
}
