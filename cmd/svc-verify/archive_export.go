package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/text"
)

// tool is how records name the program.
const tool = "svc-verify " + version

// exportArchive exports an archive as a bag, or its ledger as PREMIS.
func exportArchive(c *invocation) *reply {
	if c.Switch("premis") {
		c.requireForm(commandForm{"where PREMIS is written", "ledger", "premis out", noArgs})
		return writePremis(c)
	}
	c.requireForm(commandForm{"where a bag is written", "ledger trust out", "seal tar at" + meteredFlags, 1})
	o := handover.Options{Dir: c.Args[0], Ledger: c.Text("ledger"), At: c.nowOf(), Secret: c.ledgerKey(),
		Trust: c.List("trust"), Seals: c.List("seal"), Out: c.Text("out"), Tar: c.Text("tar"), Tool: tool}
	o.Progress = c.countShown()
	r := mustHave(handover.Export(c.interruptContext(), o))
	a := replyTo(r.Verdict, r, text.Export)
	a.says = sayingsOf(r.UnknownKeys, r.NotExamined, r.Verdict, r.Reason())
	return a
}

// writePremis writes a ledger as PREMIS, to a file or to standard output.
func writePremis(c *invocation) *reply {
	l := c.openLedger()
	a := &reply{}
	switch l.Standing() {
	case ledger.Changed:
		return stopWith(fmt.Errorf("the ledger was altered: %w", l.Fault()))
	case ledger.Foreign:
		c.sayLine("inconclusive: the ledger was written under another key")
		a.code = exitInconclusive
	}
	write := func(w io.Writer) error { return premis.FromLedger(c.ctx, w, l) }
	if c.Given("out") {
		c.writeOut(c.Text("out"), write)
		return a
	}
	var b bytes.Buffer // a part of a document would look whole
	stopOn(write(&b))
	a.text = b.String()
	return a
}
