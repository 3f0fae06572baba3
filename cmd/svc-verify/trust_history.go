package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

func trustHistoryCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "history",
		Summary: "Keep the versions of a trust file, and show who changed it",
		Description: "A history is a folder beside the trust file, with each version of it, and a signed entry " +
			"that says since when it was in force, who put it in force and why.",
		Commands: []*cliapp.Command{trustHistoryAddCommand(), trustHistoryShowCommand()},
	}
}

func trustHistoryAddCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "add",
		Summary: "Add a version to the history of a trust file",
		Description: "Adds a trust file with a signed entry, which commits to the entries before it. Those must " +
			"verify: under --seal-trust, or else under your own key. Prints the digest of the new entry; keep it " +
			"elsewhere, as a history can be cut off at its end.",
		ExitCodes: []cliapp.ExitCode{{Code: exitVerified, Meaning: "done"}},
		Args:      "HISTORY",
		Flags: []cliapp.Flag{
			{Name: "trust", Value: "FILE", Usage: "The trust file", Required: true},
			{Name: "key", Value: "FILE", Usage: "The key that signs, as archive keygen makes it", Required: true},
			{Name: "by", Value: "NAME", Usage: "Who puts the file in force", Required: true},
			{Name: "reason", Value: "TEXT", Usage: "Why", Required: true},
			{Name: "at", Kind: cliapp.Time, Value: "TIME", Usage: "Since when it is in force; now, if it is not given"},
			{Name: "seal-trust", Value: "FILE", Usage: "The public keys of those who signed the earlier entries"},
		},
		Examples: []string{
			"svc-verify trust history add --trust trust.json --key records.key \\\n" +
				"    --by records-office --reason new-node-in-Oslo trust.history",
		},
		Action: trustHistoryAdd,
	}
}

func trustHistoryAdd(c *cliapp.Context) (int, error) {
	if _, err := readTrust(c, c.Text("trust")); err != nil {
		return 0, err
	}
	doc, err := readFile(c.Text("trust"), form.MaxTrust)
	if err != nil {
		return 0, err
	}
	v := history.Version{Trust: doc, By: c.Text("by"), Reason: c.Text("reason"), From: time.Now()}
	if c.Given("at") {
		v.From = timeOf(c, "at")
	}
	k, err := sealkey.Load(c.Text("key"))
	if err != nil {
		return 0, err
	}
	var trusted *sealkey.Trust
	if c.Given("seal-trust") {
		if trusted, err = readSealTrust(c); err != nil {
			return 0, err
		}
	}
	e, err := history.Folder(c.Args[0]).Add(v, k, trusted)
	var faults trust.Faults
	if errors.As(err, &faults) { // it was changed since it was read
		return 0, fmt.Errorf("the trust file %s cannot be used", safetext.Quote(c.Text("trust")))
	}
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(c.Stdout, "version       %d\nin force      from %s on\ntrust sha256  %x\nentry         %x\n",
		e.Number, form.FormatTime(e.From), e.Trust, e.Digest)
	return exitVerified, err
}

func trustHistoryShowCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "show",
		Summary: "Verify the history of a trust file, and show its versions",
		Description: "Verifies every entry, and shows who put which version in force, since when, why, and what " +
			"it changed. Then each key and registry with the time for which it was pinned. Dates are what the " +
			"signers say.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "every entry holds, every trust file is kept, and what was asked has an " +
				"answer"},
			{Code: exitRejected, Meaning: "an entry does not hold, a kept file is altered, --trust is no version, " +
				"or no entry is that of --expect"},
			{Code: cliapp.ExitFailure, Meaning: "the history could not be read"},
			{Code: exitInconclusive, Meaning: "a trust file is missing, there is no entry, or none was in force " +
				"at --at"},
		},
		Args: "HISTORY",
		Flags: []cliapp.Flag{
			sealTrustFlag(),
			{Name: "at", Kind: cliapp.Time, Value: "TIME", Usage: "Show the version that was in force at this time"},
			{Name: "trust", Value: "FILE", Usage: "Tell which version this trust file is"},
			{Name: "from", Kind: cliapp.Time, Value: "TIME", Usage: "Only what was in force from this time on"},
			{Name: "until", Kind: cliapp.Time, Value: "TIME", Usage: "Only what was in force before this time"},
			{Name: "expect", Value: "DIGEST", Usage: "An entry must have this digest, which was kept elsewhere"},
			formFlag(), colorFlag(),
		},
		Examples: []string{
			"svc-verify trust history show --seal-trust seal-trust.json trust.history",
			"svc-verify trust history show --seal-trust keys.json \\\n    --from 2026-01-01 --until 2027-01-01 " +
				"trust.history",
		},
		Action: trustHistoryShow,
	}
}

func trustHistoryShow(c *cliapp.Context) (int, error) {
	q, err := historyQuestion(c)
	if err != nil {
		return 0, err
	}
	trusted, err := readSealTrust(c)
	if err != nil {
		return 0, err
	}
	r, err := history.Folder(c.Args[0]).Verify(trusted, q)
	if err != nil {
		return 0, err
	}
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		fmt.Fprintf(c.Stderr, "svc-verify: %s: %s: %s (%s)\n", r.Verdict, safetext.Quote(c.Args[0]), f.Sentence(), f.Code)
	}
	if c.Text("output") == "json" {
		return classCode(r.Verdict), writeJSON(c.Stdout, r)
	}
	p, err := text.History(r)
	if err != nil {
		return 0, err
	}
	return classCode(r.Verdict), writePage(c, p)
}

// historyQuestion reads what is asked of a history.
func historyQuestion(c *cliapp.Context) (q history.Question, err error) {
	q.At, q.From, q.Until = timeOf(c, "at"), timeOf(c, "from"), timeOf(c, "until")
	if c.Given("trust") {
		doc, err := readFile(c.Text("trust"), form.MaxTrust)
		if err != nil {
			return q, err
		}
		sum := sha256.Sum256(doc)
		q.Trust = &sum
	}
	if c.Given("expect") {
		d, ok := form.Digest(c.Text("expect"))
		if !ok {
			return q, cliapp.Usagef("--expect: expected 64 lower-case hexadecimal digits, found %s",
				safetext.Quote(c.Text("expect")))
		}
		q.Expect = &d
	}
	return q, nil
}
