package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

func trustHistoryAdd(c *invocation) (*reply, error) {
	c.trustFile()
	v := history.Version{Trust: c.readFile(c.Text("trust"), form.MaxTrust), By: c.Text("by"), Reason: c.Text("reason"),
		From: time.Now()}
	if c.Given("at") {
		v.From = c.timeOf("at")
	}
	k := c.loadKey(c.Text("key"))
	var trusted *sealkey.Trust
	if c.Given("seal-trust") {
		trusted = c.sealTrust()
	}
	if c.err != nil {
		return nil, c.err
	}
	e, err := history.Folder(c.Args[0]).Add(v, k, trusted)
	var faults trust.Faults
	if errors.As(err, &faults) { // it was changed since it was read
		return nil, fmt.Errorf("the trust file %s cannot be used", safetext.Quote(c.Text("trust")))
	}
	if err != nil {
		return nil, err
	}
	return &reply{text: fmt.Sprintf("version       %d\nin force      from %s on\ntrust sha256  %x\nentry         %x\n",
		e.Number, form.FormatTime(e.From), e.Trust, e.Digest)}, nil
}

func trustHistoryShow(c *invocation) (*reply, error) {
	q := history.Question{At: c.timeOf("at"), From: c.timeOf("from"), Until: c.timeOf("until")}
	if c.Given("trust") {
		sum := sha256.Sum256(c.readFile(c.Text("trust"), form.MaxTrust))
		q.Trust = &sum
	}
	q.Expect = c.digestOf("expect")
	trusted := c.sealTrust()
	r := tryRead(c, func() (*history.Report, error) { return history.Folder(c.Args[0]).Verify(trusted, q) })
	if c.err != nil {
		return nil, c.err
	}
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		c.sayLine("%s: %s: %s (%s)", r.Verdict, safetext.Quote(c.Args[0]), f.Sentence(), f.Code)
	}
	return &reply{code: exitCode(r.Verdict), json: r, doc: func() *answer.Doc { return text.History(r) }}, nil
}
