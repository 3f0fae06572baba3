package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func sealExitCodes(verified string) []cliapp.ExitCode {
	return []cliapp.ExitCode{
		{Code: exitVerified, Meaning: verified},
		{Code: exitRejected, Meaning: "it does not hold, or something differs from it"},
		{Code: cliapp.ExitFailure, Meaning: "could not work, or an object could not be read"},
		{Code: exitInconclusive, Meaning: "the file is empty"},
	}
}

func archiveVerifySealCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "verify-seal",
		Summary: "Verify a seal, and that an archive is still as it was sealed",
		Description: "Verifies both signatures of a seal under the keys of --seal-trust. With DIR, every object " +
			"is read and compared: what is missing, added or altered is named if the list of leaves is there. " +
			"With --ledger, the sealed run must be in its chain of runs.\n\nThe signatures show who sealed. When " +
			"it was sealed is the signer's word without a token. The chain of tokens in SEAL.chain is verified " +
			"too: each token at the time of the next one, the last at --at.",
		ExitCodes: sealExitCodes("the seal holds, and what was given is as it was sealed"),
		Args:      "SEAL [DIR]",
		Flags: slices.Concat([]cliapp.Flag{
			sealTrustFlag(), leavesFlag(),
			{Name: "ledger", Value: "FILE", Usage: "The ledger of the archive"},
			revocationFlag(),
		}, chainFlags(), []cliapp.Flag{formFlag(), colorFlag()}, progress.Flags()),
		Examples: []string{
			"svc-verify archive verify-seal --seal-trust seal-trust.json 2026.seal",
			"svc-verify archive verify-seal --seal-trust seal-trust.json \\\n    2026.seal evidence/",
		},
		Action: archiveVerifySeal,
	}
}

func leavesFlag() cliapp.Flag {
	return cliapp.Flag{Name: "leaves", Value: "FILE", Usage: "The list of leaves; SEAL.leaves unless given, if it " +
		"is there"}
}

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

func archiveProveCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "prove",
		Summary: "Write the proof that one object is in a seal",
		Description: "Writes a proof for one object, which is verified without the archive. It is made from the " +
			"seal and its list of leaves; no object is read, and no signature is verified.\n\nPATH is the " +
			"object's path in the archive, as svc-verify prints it.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "SEAL PATH",
		Flags: []cliapp.Flag{leavesFlag(),
			{Name: "out", Value: "PROOF", Usage: "The proof to write", Required: true}},
		Examples: []string{"svc-verify archive prove --out tx-1.proof 2026.seal 11/tx-1.json"},
		Action:   archiveProve,
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

func archiveVerifyObjectCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "verify-object",
		Summary: "Verify that one file is the object of a sealed archive",
		Description: "Verifies a proof and reads the file: both signatures of the seal, the way from the object " +
			"to the sealed root, and the file's size and digest. The name of the file does not count; the answer " +
			"has the path that the object had in the archive.",
		ExitCodes: sealExitCodes("the file is that object"),
		Args:      "FILE",
		Flags: []cliapp.Flag{
			{Name: "proof", Value: "PROOF", Usage: "The proof of the object", Required: true},
			sealTrustFlag(), formFlag(), colorFlag(),
		},
		Examples: []string{"svc-verify archive verify-object --proof tx-1.proof \\\n    --seal-trust " +
			"seal-trust.json tx-1.json"},
		Action: archiveVerifyObject,
	}
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
