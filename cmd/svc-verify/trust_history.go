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
