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

// The forms of trust history.
var (
	addForm   = commandForm{"where a version is added", []string{"add", "key", "by", "reason"}, []string{"from", "seal-trust"}}
	shownForm = commandForm{"where a history is shown", []string{"seal-trust"}, []string{"at", "trust", "from", "until",
		"expect", "output", "color", "full"}}
)

// trustHistory verifies and shows a history, or adds a version to it.
func trustHistory(c *invocation) (*reply, error) {
	if c.Given("add") {
		c.requireForm(addForm)
		return c.addVersion()
	}
	c.requireForm(shownForm)
	return c.showHistory()
}

// addVersion adds a trust file to a history, and says how it is entered.
func (c *invocation) addVersion() (*reply, error) {
	c.readTrust(c.Text("add"))
	v := history.Version{Trust: c.readFile(c.Text("add"), form.MaxTrust), By: c.Text("by"), Reason: c.Text("reason"),
		From: time.Now()}
	if c.Given("from") {
		v.From = c.timeOf("from")
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
	if faults := (trust.Faults{}); errors.As(err, &faults) { // it was changed since it was read
		return nil, fmt.Errorf("the trust file %s cannot be used", safetext.Quote(c.Text("add")))
	}
	if err != nil {
		return nil, err
	}
	return &reply{text: fmt.Sprintf("version       %d\nin force      from %s on\ntrust sha256  %x\nentry         %x\n",
		e.Number, form.FormatTime(e.From), e.Trust, e.Digest)}, nil
}

// showHistory answers from a history whose entries are verified.
func (c *invocation) showHistory() (*reply, error) {
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
