package main

import (
	"github.com/svc-edge/svc-verify/archive/copies"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// archiveCompare compares an archive with a second copy of it.
func archiveCompare(c *invocation) *reply {
	defer limitMemory(batchMemory)()
	refuseIf(!c.Given("ledger") && !c.Given("trust"), "--ledger or --trust must show which objects are whole")
	o := copies.Options{Archive: c.Args[0], Copy: c.Args[1], Progress: c.countShown()}
	if c.Given("trust") {
		o.Judge = c.newJudge(c.keptPolicy())
	}
	if c.Given("ledger") {
		for _, dir := range c.Args {
			if err := ledger.Outside(dir, c.Text("ledger")); err != nil {
				stopOn(cliapp.Usagef("--ledger: %s", err))
			}
		}
		o.Ledger = c.openLedger()
	}
	r := mustHave(copies.Compare(c.interruptContext(), o))
	a := replyTo(r.Verdict, r, text.Compare)
	a.says = sayingsOf(nil, r.NotExamined, r.Verdict, r.Reason())
	return a
}
