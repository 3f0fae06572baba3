package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/userkey"
	"github.com/svc-edge/svc-verify/outcome"
)

// bagCommands hand an archive over, and take one in.
func bagCommands() []*cliapp.Command {
	return []*cliapp.Command{archiveExportCommand(), archiveCheckBagCommand(), archivePremisCommand()}
}

func archiveExportCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "export",
		Summary: "Hand an archive over as a bag of BagIt",
		Description: "Copies all objects of DIR into a new folder, a bag of BagIt 1.0 (RFC 8493): with SHA-512 " +
			"manifests, and as tag files a copy of the ledger, the records of its runs, trust files, seals, and " +
			"the same history as PREMIS 3. The octets are hashed while they are copied, and compared with the " +
			"ledger.\n\nA bag is exactly what the ledger says. If an object differs, is missing or was added, or " +
			"has a name that programs for bags read in different ways, it is named, and no bag is written: check " +
			"the archive first. DIR and the ledger are never written to.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the bag is there, and has every object of the ledger"},
			{Code: exitRejected, Meaning: "no bag: something is not as the ledger has it, or cannot be named in a bag"},
			{Code: cliapp.ExitFailure, Meaning: "no bag: an object could not be read; or the export failed"},
			{Code: exitInconclusive, Meaning: "the bag is there, but the ledger is under another key, or has no " +
				"object"},
		},
		Args: "DIR",
		Flags: append([]cliapp.Flag{
			ledgerFlag(),
			{Name: "trust", Kind: cliapp.List, Value: "TRUST", Usage: "A trust file that goes along", Required: true},
			{Name: "seal", Kind: cliapp.List, Value: "FILE", Usage: "A seal, proof or token that goes along"},
			{Name: "out", Value: "BAG", Usage: "The folder to make; it must not exist", Required: true},
			{Name: "tar", Value: "FILE", Usage: "Also write the bag as a tar archive; it must not exist"},
			nowFlag(),
			formFlag(), colorFlag(),
		}, progress.Flags()...),
		Examples: []string{
			"svc-verify archive export evidence --ledger evidence.ledger \\\n    --trust trust.json --out bag",
		},
		Action: exportArchive,
	}
}

func exportArchive(c *cliapp.Context) (int, error) {
	at := nowOf(c)
	secret, err := ledgerSecret()
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	r, err := handover.Export(ctx, handover.Options{Dir: c.Args[0], Ledger: c.Text("ledger"), Secret: secret,
		Trust: c.List("trust"), Seals: c.List("seal"), Out: c.Text("out"), Tar: c.Text("tar"), At: at,
		Tool:     "svc-verify " + version,
		Progress: func(path string, n int64) { m.Show(progress.Done{Doing: path, Events: n}) }})
	if err != nil {
		return 0, err
	}
	m.Clear()
	sayUnknownKeys(c, r.UnknownKeys)
	sayResult(c, r.Verdict, r.NotExamined, r.Reason())
	if c.Text("output") == "json" {
		return classCode(r.Verdict), writeJSON(c.Stdout, r)
	}
	return classCode(r.Verdict), writePage(c, text.Export(r))
}

// ledgerSecret is the secret that ledgers are kept under.
func ledgerSecret() (ledger.Secret, error) {
	secret, err := userkey.Load()
	if err != nil {
		err = fmt.Errorf("a ledger is kept under your key, and there is none: %s", safetext.Line(err.Error()))
	}
	return secret, err
}

// sayResult writes to standard error what was not examined, and why a result is not
// verified.
func sayResult(c *cliapp.Context, verdict outcome.Class, notExamined []string, reason string) {
	for _, sentence := range notExamined {
		fmt.Fprintln(c.Stderr, "svc-verify: not examined: "+safetext.Line(sentence))
	}
	if verdict != outcome.Verified {
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s\n", verdict, safetext.Line(reason))
	}
}

func archiveCheckBagCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "check-bag",
		Summary: "Check a bag of BagIt, and the evidence in it",
		Description: "Checks that a bag is complete and valid (RFC 8493), strictly: every file is listed and has " +
			"every digest, the payload is as large as said, no name leads out of the bag or is one with another " +
			"for some systems, and nothing is a link. Nothing is unpacked, written or fetched. BAG is a folder or " +
			"a tar archive; - reads an archive from standard input.\n\nWith --trust, the evidence in the payload " +
			"is verified too. Without it only the bag is: a bag has no proof of who made it.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "the bag is complete and valid; with --trust, so is all evidence in it"},
			{Code: exitRejected, Meaning: "something in the bag is altered, missing or not allowed, or evidence " +
				"is rejected"},
			{Code: cliapp.ExitFailure, Meaning: "none of that, but a file could not be read; or the check failed"},
			{Code: exitInconclusive, Meaning: "none of that, but files are to be fetched, the bag is empty or of " +
				"a kind that is not read, or there is no evidence to verify"},
		},
		Args: "BAG",
		Flags: slices.Concat([]cliapp.Flag{
			{Name: "trust", Value: "TRUST", Usage: "Verify the evidence in the bag against this trust file"},
		}, keptPolicyFlags(), reportFlags(), []cliapp.Flag{jobsFlag(),
			{Name: "temp-dir", Value: "DIR", Usage: "Where temporary files go"},
			formFlag(), colorFlag()}, progress.Flags()),
		Examples: []string{"svc-verify archive check-bag bag --trust trust.json",
			"svc-verify archive check-bag bag.tar"},
		Action: checkBag,
	}
}

func checkBag(c *cliapp.Context) (int, error) {
	o := bag.Options{Place: c.Args[0]}
	if err := judgeOf(c, &o); err != nil {
		return 0, err
	}
	reports, err := openReports(c, c.Text("trust"), c.Args[0])
	if err != nil {
		return 0, err
	}
	defer reports.Discard()
	ctx, stop := interruptible()
	defer stop()
	m := progress.New(c, progress.Number, nil)
	defer m.Clear()
	o.Progress = func(name string, n int64) { m.Show(progress.Done{Doing: name, Events: n}) }
	r, err := openBag(ctx, c, o)
	if err != nil {
		return 0, err
	}
	m.Clear()
	err = commitReports(c, reports, r.Report(), r.WriteLines, r)
	if r.Evidence != nil {
		sayUnknownKeys(c, r.Evidence.UnknownKeys)
	}
	sayResult(c, r.Verdict, r.NotExamined, r.Reason())
	if c.Text("output") == "json" {
		return classCode(r.Verdict), errors.Join(err, writeJSON(c.Stdout, r))
	}
	return classCode(r.Verdict), errors.Join(err, writePage(c, text.Bag(r, safetext.Quote(c.Args[0]))))
}

// judgeOf reads what the evidence in a bag is verified against, if it is to be.
func judgeOf(c *cliapp.Context, o *bag.Options) error {
	policy, err := keptPolicyOf(c)
	if err != nil {
		return err
	}
	if !c.Given("trust") {
		for _, f := range keptPolicyFlags() {
			if c.Given(f.Name) {
				return cliapp.Usagef("--%s: there is no evidence to verify without --trust", f.Name)
			}
		}
		return nil
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return err
	}
	o.Judge = object.NewJudge(object.Options{Root: root, Policy: policy, TempDir: c.Text("temp-dir"), Workers: jobsOf(c)})
	return nil
}

// openBag checks a folder, or an archive. One on standard input is kept meanwhile, as
// it is gone through twice.
func openBag(ctx context.Context, c *cliapp.Context, o bag.Options) (r *bag.Result, err error) {
	name := c.Args[0]
	if name == stdinName {
		kept, err := spool.Create(c.Text("temp-dir"))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, kept.Close()) }()
		size, err := io.Copy(kept, c.Stdin)
		if err != nil {
			return nil, fmt.Errorf("reading standard input: %w", access.WithoutPath(err))
		}
		return bag.CheckTar(ctx, kept, size, o)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", safetext.Quote(name), access.WithoutPath(err))
	}
	if info.IsDir() {
		return bag.CheckFolder(ctx, name, o)
	}
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	return bag.CheckTar(ctx, f, info.Size(), o)
}

func archivePremisCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "premis",
		Summary: "Write what a ledger says as PREMIS 3",
		Description: "Writes the objects of a ledger with their digests, an event for each run and for each " +
			"failure and acceptance, and the programs and people that took part, as XML of PREMIS 3.0. The " +
			"archive itself is not read.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "done"},
			{Code: exitInconclusive, Meaning: "written, but the ledger is under another key"},
		},
		Flags: []cliapp.Flag{
			ledgerFlag(),
			{Name: "out", Value: "FILE", Usage: "Where to; without it, to standard output"},
		},
		Examples: []string{"svc-verify archive premis --ledger evidence.ledger --out premis.xml"},
		Action:   writePremis,
	}
}

func writePremis(c *cliapp.Context) (code int, err error) {
	secret, err := ledgerSecret()
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	l, err := ledger.Open(ctx, c.Text("ledger"), secret)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	switch l.Standing() {
	case ledger.Changed:
		return 0, fmt.Errorf("the ledger was altered: %w", l.Fault())
	case ledger.Foreign:
		sayResult(c, outcome.Inconclusive, nil, "the ledger was written under another key")
		code = exitInconclusive
	}
	if !c.Given("out") {
		var b bytes.Buffer // a part of a document would look whole
		if err := premis.FromLedger(ctx, &b, l); err != nil {
			return 0, err
		}
		_, err := c.Stdout.Write(b.Bytes())
		return code, err
	}
	f, err := access.OpenAside(c.Text("out"))
	if err != nil {
		return 0, err
	}
	defer f.Discard()
	if err := premis.FromLedger(ctx, f, l); err != nil {
		return 0, err
	}
	return code, f.Commit()
}
