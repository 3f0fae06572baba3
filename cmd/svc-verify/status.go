package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// questionOf reads the flags that select certificates.
func questionOf(c *cliapp.Context) (q status.Question, err error) {
	ways := 0
	for _, given := range []bool{c.Given("transaction"), c.Given("serial"), c.Switch("all")} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return q, cliapp.Usagef("status needs one of --transaction, --serial and --all")
	}
	q = status.Question{TenantID: c.Text("tenant"), TransactionID: c.Text("transaction")}
	if c.Given("serial") {
		var ok bool
		if q.Serial, ok = status.ParseSerial(c.Text("serial")); !ok {
			return q, cliapp.Usagef("--serial: expected 1 to 40 hex digits, found %s", safetext.Quote(c.Text("serial")))
		}
	}
	return q, nil
}

func showStatus(c *cliapp.Context) (int, error) {
	q, err := questionOf(c)
	if err != nil {
		return 0, err
	}
	root, err := readTrust(c, c.Text("trust"))
	if err != nil {
		return 0, err
	}
	ctx, stop := interruptible()
	defer stop()
	m := newMeter(c, progress.Number)
	defer m.Clear()
	options, told := examineOptions(ctx, c, m), false
	say := options.Remembered
	options.Remembered = func(s casefile.Standing, signatures int64) {
		told = true
		say(s, signatures)
	}
	examined, err := examine.Examined(ctx, c.Text("case"), root, options)
	m.Clear()
	if err != nil {
		return 0, caseFault(c, err)
	}
	in, err := casefile.OpenRead(c.Text("case"), caseOptions(ctx, c.Stderr)...)
	if err != nil {
		return 0, caseFault(c, err)
	}
	if !told {
		sayStanding(c, in.Standing())
	}
	code, err := answerStatus(ctx, c, in, root, examined, q)
	return code, errors.Join(err, in.Close())
}

// answerStatus answers from an open case.
func answerStatus(ctx context.Context, c *cliapp.Context, in *casefile.Case, root *trust.Root,
	examined *verdict.Result, q status.Question) (int, error) {
	s, err := status.New(ctx, in, root, examined, q)
	if err != nil {
		return 0, caseFault(c, err)
	}
	out := bufio.NewWriterSize(c.Stdout, 1<<20)
	var end status.End
	switch c.Text("output") {
	case "json":
		end, err = writeStatusJSON(ctx, out, s)
	case "jsonl":
		end, err = writeStatusLines(ctx, c, out, s)
	case "csv":
		end, err = writeStatusCSV(ctx, c, out, s)
	default:
		end, err = writeStatusPage(ctx, c, s)
	}
	if err != nil {
		return 0, err
	}
	return exitCode(end.Verdict), out.Flush()
}

func writeStatusPage(ctx context.Context, c *cliapp.Context, s *status.Search) (status.End, error) {
	var first []status.Row
	end, err := s.Rows(ctx, func(r status.Row) error {
		if len(first) < report.MostStatusRows {
			first = append(first, r)
		}
		return nil
	})
	if err != nil {
		return end, err
	}
	return end, writeDocument(c, report.Status(&s.Head, first, end, caseName(c)))
}

// writeStatusJSON writes what was not examined before the rows, and the verdict
// after them.
func writeStatusJSON(ctx context.Context, w io.Writer, s *status.Search) (status.End, error) {
	first := []member{{"question", s.Question}, {"trust_sha256", s.TrustSHA256}, {"left_out", s.LeftOut}}
	if s.UnknownKeys != nil {
		first = append(first, member{"unknown_keys", s.UnknownKeys})
	}
	first = append(first, member{"logs", s.Logs}, member{"limitations", s.Limitations})
	out := newList(w, status.Schema, "rows", first...)
	end, err := s.Rows(ctx, func(r status.Row) error {
		out.add(r)
		return out.err
	})
	if err != nil {
		return end, err
	}
	more := []member{{"counts", end.Counts}, {"verdict", end.Verdict}}
	if end.Reason != "" {
		more = append(more, member{"reason", end.Reason})
	}
	return end, out.end(more...)
}

func writeStatusLines(ctx context.Context, c *cliapp.Context, w io.Writer, s *status.Search) (status.End, error) {
	sayLeftOut(c, s)
	end, err := s.Rows(ctx, func(r status.Row) error {
		doc, err := safetext.Marshal(status.Line{Schema: status.RowSchema, Row: r})
		if err != nil {
			return err
		}
		_, err = w.Write(append(doc, '\n'))
		return err
	})
	sayEnd(c, end, err)
	return end, err
}

func writeStatusCSV(ctx context.Context, c *cliapp.Context, w io.Writer, s *status.Search) (status.End, error) {
	sayLeftOut(c, s)
	out, err := report.NewStatusCSV(w)
	if err != nil {
		return status.End{}, err
	}
	end, err := s.Rows(ctx, out.Add)
	sayEnd(c, end, err)
	return end, errors.Join(err, out.Close())
}

// sayLeftOut says on standard error, before rows that stand alone, what was not
// examined.
func sayLeftOut(c *cliapp.Context, s *status.Search) {
	sayUnknownKeys(c, s.UnknownKeys)
	for _, l := range s.LeftOut {
		fmt.Fprintf(c.Stderr, "svc-verify: not examined: %s\n", safetext.Line(l.Text))
	}
}

// sayEnd says on standard error, after rows that stand alone, what they come to.
func sayEnd(c *cliapp.Context, end status.End, err error) {
	if err != nil {
		return
	}
	n := end.Counts
	fmt.Fprintf(c.Stderr, "svc-verify: %s: %d issued, %d revoked, %d unknown", end.Verdict, n.Issued, n.Revoked,
		n.Unknown+n.NotIssued)
	if end.Reason != "" {
		sentence, _ := status.Says(end.Reason, "")
		fmt.Fprintf(c.Stderr, ". %s", sentence)
	}
	fmt.Fprintln(c.Stderr)
}
