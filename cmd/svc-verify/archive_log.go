package main

import (
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/text"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

var archiveLog = fromLedger(func(c *invocation, l *ledger.Ledger, about logbook.About) (*reply, error) {
	span := logbook.Span{Since: c.Text("since"), Until: c.Text("until")}
	if c.Switch("objects") {
		d, err := logbook.ReadDiff(c.ctx, l, about, span)
		if err != nil {
			return nil, err
		}
		return replyTo(d.Verdict, d, text.Diff), nil
	}
	log, err := logbook.ReadLog(c.ctx, l, about, span)
	if err != nil {
		return nil, err
	}
	return replyTo(log.Verdict, log, text.Log), nil
})

var archiveStatus = fromLedger(func(c *invocation, l *ledger.Ledger, about logbook.About) (*reply, error) {
	s, err := logbook.ReadStatus(c.ctx, l, about, c.nowOf(), c.Duration("max-age"))
	if err != nil {
		return nil, err
	}
	a := replyTo(s.Verdict, s, text.Status)
	a.says = unknownKeys(s.UnknownKeys)
	return a, nil
})

// fromLedger answers from the ledger of a command, and says first how far that can be
// believed.
func fromLedger(from func(*invocation, *ledger.Ledger, logbook.About) (*reply, error)) action {
	return func(c *invocation) (*reply, error) {
		expect, l := c.digestOf("expect-run"), c.openLedger()
		about := tryRead(c, func() (logbook.About, error) { return logbook.Look(c.ctx, l, expect) })
		if c.err != nil {
			return nil, c.err
		}
		for _, f := range about.Findings {
			c.sayLine("%s: %s", f.Code, safetext.Line(f.Message))
		}
		return from(c, l, about)
	}
}

func archiveAccept(c *invocation) (*reply, error) {
	at := c.nowOf()
	path := c.objectPath(c.Args[0])
	digest, expect := c.digestOf("digest"), c.digestOf("expect-run")
	c.requirePaths([]string{c.Text("ledger")}) // a new ledger has nothing to accept
	w := c.openLedgerWriter()
	if c.err != nil {
		return nil, c.err
	}
	about, err := logbook.Look(c.ctx, w.Ledger, expect)
	if err != nil {
		return nil, err
	}
	by := run.Acceptance{At: at.UnixMilli(), By: c.Text("by"), Reason: c.Text("reason")}
	a, err := logbook.Accept(w, about, path, *digest, by)
	if err != nil {
		return nil, err
	}
	return replyTo(a.Verdict, a, text.Accepted), nil
}
