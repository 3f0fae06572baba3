package main

import (
	"io"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// questionOf reads the flags that select certificates.
func (c *invocation) questionOf() status.Question {
	refuseIf(c.countGiven("transaction", "serial", "all") != 1, "status needs one of --transaction, --serial and --all")
	q := status.Question{TenantID: c.Text("tenant"), TransactionID: c.Text("transaction")}
	if c.Given("serial") {
		var ok bool
		if q.Serial, ok = status.ParseSerial(c.Text("serial")); !ok {
			stopOn(cliapp.Usagef("--serial: expected 1 to 40 hex digits, found %s", safetext.Quote(c.Text("serial"))))
		}
	}
	return q
}

func showStatus(c *invocation) *reply {
	q, root := c.questionOf(), c.trustFile()
	in, examined := c.examinedCase(root)
	s, err := status.New(c.ctx, in, root, examined, q)
	stopOn(c.caseFault(err))
	a, out := &reply{}, c.bufferedOut()
	var end status.End
	switch c.Text("output") {
	case "json":
		end = c.writeStatusJSON(out, s)
	case "jsonl":
		end = c.rowsAlone(s, func(r status.Row) error {
			return answer.JSONLine(out, status.Line{Schema: status.RowSchema, Row: r})
		})
	case "csv":
		rows := mustHave(report.NewStatusCSV(out))
		end = c.rowsAlone(s, rows.Add)
		stopOn(rows.Close())
	default:
		var first []status.Row
		end = mustHave(s.Rows(c.ctx, func(r status.Row) error {
			if len(first) < report.MostStatusRows {
				first = append(first, r)
			}
			return nil
		}))
		a.doc = func() *answer.Doc { return report.Status(&s.Head, first, end, c.askedOf()) }
	}
	a.code = exitCode(end.Verdict)
	stopOn(out.Flush())
	return a
}

// writeStatusJSON writes the unexamined evidence before the rows, and the verdict after them.
func (c *invocation) writeStatusJSON(w io.Writer, s *status.Search) status.End {
	first := []member{{"question", s.Question}, {"trust_sha256", s.TrustSHA256}, {"left_out", s.LeftOut}}
	if s.UnknownKeys != nil {
		first = append(first, member{"unknown_keys", s.UnknownKeys})
	}
	first = append(first, member{"logs", s.Logs}, member{"limitations", s.Limitations})
	out := newList(w, status.Schema, "rows", first...)
	end := mustHave(s.Rows(c.ctx, func(r status.Row) error {
		out.addItem(r)
		return nil
	}))
	more := []member{{"counts", end.Counts}, {"verdict", end.Verdict}}
	if end.Reason != "" {
		more = append(more, member{"reason", end.Reason})
	}
	out.endList(more...)
	return end
}

// rowsAlone writes rows that stand alone. Unexamined evidence is reported on standard error
// before them, and the counts and the verdict after them.
func (c *invocation) rowsAlone(s *status.Search, add func(status.Row) error) status.End {
	for _, sentence := range unknownKeys(s.UnknownKeys) {
		c.sayLine("%s", sentence)
	}
	for _, l := range s.LeftOut {
		c.sayLine("not examined: %s", safetext.Line(l.Text))
	}
	end := mustHave(s.Rows(c.ctx, add))
	n, reason := end.Counts, ""
	if end.Reason != "" {
		sentence, _ := status.Says(end.Reason, "")
		reason = ". " + sentence
	}
	c.sayLine("%s: %d issued, %d revoked, %d unknown%s", end.Verdict, n.Issued, n.Revoked, n.Unknown+n.NotIssued, reason)
	return end
}
