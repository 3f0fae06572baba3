package main

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// The forms of trust history.
var (
	addForm     = commandForm{"where a version is added", "add key by reason", "from seal-trust", 1}
	historyForm = commandForm{"where a history is shown", "seal-trust", "at trust from until expect" + answerFlags, 1}
)

// trustHistory verifies and shows a history, or adds a version to it.
func trustHistory(c *invocation) *reply {
	if c.Given("add") {
		c.requireForm(addForm)
		return c.addVersion()
	}
	c.requireForm(historyForm)
	return c.showHistory()
}

// addVersion adds a trust file to a history, and prints its entry.
func (c *invocation) addVersion() *reply {
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
	e, err := history.Folder(c.Args[0]).Add(v, k, trusted)
	if err != nil {
		return stopWith(faultsError[trust.Faults](c, "this trust file cannot be used", c.Text("add"), err))
	}
	return &reply{text: fmt.Sprintf("version       %d\nin force      from %s on\ntrust sha256  %x\nentry         %x\n",
		e.Number, form.FormatTime(e.From), e.Trust, e.Digest)}
}

// showHistory answers from a history whose entries are verified.
func (c *invocation) showHistory() *reply {
	q := history.Question{At: c.timeOf("at"), From: c.timeOf("from"), Until: c.timeOf("until")}
	if c.Given("trust") {
		sum := sha256.Sum256(c.readFile(c.Text("trust"), form.MaxTrust))
		q.Trust = &sum
	}
	q.Expect = c.digestOf("expect")
	trusted := c.sealTrust()
	r := mustHave(history.Folder(c.Args[0]).Verify(trusted, q))
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		c.sayLine("%s: %s: %s (%s)", r.Verdict, safetext.Quote(c.Args[0]), f.Sentence(), f.Code)
	}
	return replyTo(r.Verdict, r, text.History)
}
