package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/text"
)

// tool is how records name the program.
func tool() string { return "svc-verify " + version }

// exportArchive exports an archive as a bag, or its ledger as PREMIS.
func exportArchive(c *invocation) *reply {
	if c.Switch("premis") {
		c.requireForm(commandForm{"where PREMIS is written", "ledger", "premis out", noArgs})
		return writePremis(c)
	}
	c.requireForm(commandForm{"where a bag is written", "ledger trust out", "seal tar at" + meteredFlags, 1})
	o := handover.Options{Dir: c.Args[0], Ledger: keptFile(c.Text("ledger")), At: c.nowOf(), Secret: c.ledgerKey(),
		Trust: c.List("trust"), Seals: withCompanions(c.List("seal")), Out: keptFile(c.Text("out")),
		Tar: keptFile(c.Text("tar")), Tool: tool()}
	o.Progress = c.countShown()
	r := mustHave(handover.Export(c.interruptContext(), o))
	a := replyTo(r.Verdict, r, text.Export)
	a.says = sayingsOf(r.UnknownKeys, r.NotExamined, r.Verdict, r.Reason())
	return a
}

// withCompanions returns files, each with its lists of leaves and its evidence records, if it has some: so that a
// receiver can verify a seal in the bag, and since when it and every object exist.
func withCompanions(files []string) (all []string) {
	for _, name := range files {
		all = append(all, name)
		for _, one := range record.Companions(name, fileExists) {
			if !slices.Contains(files, one) && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
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
	write := func(w io.Writer) error { return premis.FromLedger(c.ctx, w, l, nil) }
	if c.Given("out") {
		c.writeOut(c.Text("out"), write)
		return a
	}
	var b bytes.Buffer // a part of a document would look whole
	stopOn(write(&b))
	a.text = b.String()
	return a
}
