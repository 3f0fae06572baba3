package main

import (
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

var archiveLog = fromLedger(func(c *invocation, l *ledger.Ledger, about logbook.About) *reply {
	span := logbook.Span{Since: c.Text("since"), Until: c.Text("until")}
	if c.Switch("objects") {
		d := mustHave(logbook.ReadDiff(c.ctx, l, about, span))
		return replyTo(d.Verdict, d, text.Diff)
	}
	log := mustHave(logbook.ReadLog(c.ctx, l, about, span))
	return replyTo(log.Verdict, log, text.Log)
})

var archiveStatus = fromLedger(func(c *invocation, l *ledger.Ledger, about logbook.About) *reply {
	s := mustHave(logbook.ReadStatus(c.ctx, l, about, c.nowOf(), c.Duration("max-age")))
	a := replyTo(s.Verdict, s, text.Status)
	a.says = unknownKeys(s.UnknownKeys)
	return a
})

// fromLedger answers from the ledger of a command, and reports first how far the ledger can be
// believed.
func fromLedger(from func(*invocation, *ledger.Ledger, logbook.About) *reply) action {
	return func(c *invocation) *reply {
		expect, l := c.digestOf("expect-run"), c.openLedger()
		about := mustHave(logbook.Look(c.ctx, l, expect))
		for _, f := range about.Findings {
			c.sayLine("%s: %s", f.Code, safetext.Line(f.Message))
		}
		return from(c, l, about)
	}
}

func archiveAccept(c *invocation) *reply {
	at := c.nowOf()
	path := c.objectPath(c.Args[0])
	digest, expect := c.digestOf("digest"), c.digestOf("expect-run")
	c.requirePaths([]string{c.Text("ledger")}) // a new ledger has nothing to accept
	w := c.openLedgerWriter()
	about := mustHave(logbook.Look(c.ctx, w.Ledger, expect))
	by := run.Acceptance{At: at.UnixMilli(), By: c.Text("by"), Reason: c.Text("reason")}
	a := mustHave(logbook.Accept(w, about, path, *digest, by))
	return replyTo(a.Verdict, a, text.Accepted)
}
