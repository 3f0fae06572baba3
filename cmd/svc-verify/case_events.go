package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostEvents is how many events the text shows if --limit does not say.
const mostEvents = 200

func eventsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:        "events",
		Summary:     "List the events of a case",
		Description: "Lists the events of a case that are asked for: those of one log by sequence, those of several by time. In text, 200 of them if --limit does not say otherwise. Nothing is verified: svc-verify walk does that.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "there was such an event"},
			{Code: exitInconclusive, Meaning: "there was none"},
		},
		Flags: slices.Concat([]cliapp.Flag{caseFlag(), logFlag(), typeFlag(), transactionFlag(), sequenceFlag()}, timeFlags(), []cliapp.Flag{
			{Name: "limit", Kind: cliapp.Number, Value: "N", Usage: "List at most so many events, and count the others"},
			{Name: "output", Choices: []string{"text", "json", "jsonl"}, Default: "text", Usage: "The form of the output; jsonl has each copy whole"},
		}, progressFlags()),
		Examples: []string{"svc-verify events --case case.db --type issuance.completed --from 2026-03-02"},
		Action:   listEvents,
	}
}

// listed is one event as JSON: the first of its copies.
type listed struct {
	TenantID      string `json:"tenant_id"`
	LogID         string `json:"log_id"`
	Sequence      uint64 `json:"sequence"`
	OccurredAt    string `json:"occurred_at"`
	Type          string `json:"type"`
	TransactionID string `json:"transaction_id,omitempty"`
	KeyID         string `json:"key_id"`
	Hash          string `json:"hash"`
	Copies        int    `json:"copies"`
	Deliveries    int64  `json:"deliveries"` // of all copies
}

func listEvents(c *cliapp.Context) (int, error) {
	f, err := filterOf(c, "log", "type", "transaction", "sequence", "from")
	if err != nil {
		return 0, err
	}
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		out := bufio.NewWriterSize(c.Stdout, 1<<20)
		var total int
		switch c.Text("output") {
		case "json":
			total, err = listJSON(out, events(in.SelectByTime(ctx, f)), limitOf(c, 0))
		case "jsonl":
			total, err = listLines(ctx, out, in, lineOptions{f, limitOf(c, 0)})
		default:
			var t listing
			if t, err = listingOf(ctx, in, f); err == nil {
				t.limit = limitOf(c, mostEvents)
				total, err = t.write(out, events(in.SelectByTime(ctx, f)))
			}
		}
		if err != nil {
			return 0, err
		}
		if total == 0 {
			return exitInconclusive, out.Flush()
		}
		return exitVerified, out.Flush()
	})
}

// limitOf returns --limit; 0 is none.
func limitOf(c *cliapp.Context, otherwise int) int {
	if c.Given("limit") {
		return c.Number("limit")
	}
	return otherwise
}

// events joins the copies of each sequence into one event. Deliveries counts
// those of all copies.
func events(all iter.Seq2[casefile.Selected, error]) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		var one listed
		for e, err := range all {
			if err != nil {
				yield(listed{}, err)
				return
			}
			if e.Variant == 0 {
				one = listed{e.Log.TenantID, e.Log.LogID, e.Link.Sequence, form.FormatTime(time.UnixMilli(e.OccurredAt)), e.Type,
					e.TransactionID, e.KeyID, e.Recorded.String(), e.Copies, 0}
			}
			one.Deliveries += e.Deliveries
			if e.Variant == e.Copies-1 && !yield(one, nil) {
				return
			}
		}
	}
}

func listJSON(w io.Writer, all iter.Seq2[listed, error], limit int) (total int, err error) {
	out := newList(w, "svc-verify/events/v1", "events")
	for e, err := range all {
		if err != nil {
			return total, err
		}
		if total++; limit == 0 || total <= limit {
			out.add(e)
		}
	}
	return total, out.end(member{"more", total - out.count})
}

// listing lists events as text: those of one log below its name, and those of
// several below their date.
type listing struct {
	limit   int
	several bool // logs
	column  int  // of a log's name, if there are several
}

// mostName is how wide the column of logs may be.
const mostName = 20

// listingOf returns how to list the events of a filter.
func listingOf(ctx context.Context, in *casefile.Case, f casefile.Filter) (l listing, err error) {
	logs, err := in.Logs(ctx)
	wanted := 0
	for _, log := range logs {
		if f.Wants(log) {
			wanted++
			l.column = max(l.column, min(columns.Width(safetext.Quote(log.LogID)), mostName))
		}
	}
	l.several = wanted > 1
	return l, err
}

func (l listing) write(w io.Writer, all iter.Seq2[listed, error]) (total int, err error) {
	heading, marked := "", false
	for e, err := range all {
		if err != nil {
			return total, err
		}
		if total++; l.limit > 0 && total > l.limit {
			continue
		}
		if above := l.heading(e); above != heading {
			if heading = above; total > 1 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, heading)
		}
		marked = marked || e.Copies > 1 || e.again()
		fmt.Fprintln(w, l.line(e))
	}
	p := page.New()
	switch {
	case total == 0:
		p.Prose(0, "no such event")
	case l.limit > 0 && total > l.limit:
		p.Heading("")
		p.Prose(0, fmt.Sprintf("%d events, of which %d are listed and %d more are not: --limit, or --output json", total, l.limit, total-l.limit))
	default:
		p.Heading("")
		p.Prose(0, safetext.Count(total, "event"))
	}
	if marked {
		p.Prose(0, "C: copies that differ; D: a copy came more than once; svc-verify show has both")
	}
	_, err = io.WriteString(w, p.String())
	return total, err
}

// heading is what stands above an event and those that follow it.
func (l listing) heading(e listed) string {
	if l.several {
		return e.OccurredAt[:len(time.DateOnly)]
	}
	return columns.Cut(e.LogID, page.Width)
}

// line writes an event in the columns of a terminal.
func (l listing) line(e listed) string {
	head := fmt.Sprintf("  %-2s %8d  %s  ", e.mark(), e.Sequence, e.OccurredAt)
	if l.several {
		name := columns.Cut(e.LogID, l.column)
		name += strings.Repeat(" ", l.column-columns.Width(name))
		head = fmt.Sprintf("  %-2s %s  %s %6d  ", e.mark(), e.OccurredAt[len(time.DateOnly)+len("T"):], name, e.Sequence)
	}
	left := page.Width - columns.Width(head)
	kind := columns.Cut(e.Type, min(left, 23))
	transaction := ""
	if room := left - columns.Width(kind) - 2; e.TransactionID != "" && room > 0 {
		transaction = "  " + columns.Cut(e.TransactionID, room)
	}
	return head + kind + transaction
}

// again reports whether a copy was delivered more than once.
func (e listed) again() bool { return e.Deliveries > int64(e.Copies) }

// mark is what a line says beside the event.
func (e listed) mark() (mark string) {
	if e.Copies > 1 {
		mark = "C"
	}
	if e.again() {
		mark += "D"
	}
	return mark
}

// copyLine is one copy of an event. Behind its members stands "event", the whole
// event: it means the same as the event's canonical line, with everything but
// printable ASCII escaped.
type copyLine struct {
	TenantID   string           `json:"tenant_id"`
	LogID      string           `json:"log_id"`
	Sequence   uint64           `json:"sequence"`
	Copy       int              `json:"copy"`
	Copies     int              `json:"copies"`
	Deliveries int64            `json:"deliveries"`
	Place      finding.Evidence `json:"place"` // the first, of several
}

// write writes the line with the event in it.
func (l copyLine) write(w io.Writer, event []byte) error {
	b, err := marshalLine(l)
	if err != nil {
		return err
	}
	b = append(append(bytes.TrimSuffix(b, []byte("}")), `,"event":`...), event...)
	_, err = w.Write(append(safetext.JSON(append(b, '}')), '\n'))
	return err
}

// lineOptions say which events to write as lines, and how many.
type lineOptions struct {
	casefile.Filter
	limit int
}

// listLines writes every copy of the events as a line.
func listLines(ctx context.Context, w io.Writer, in *casefile.Case, o lineOptions) (total int, err error) {
	names, err := sourceNames(ctx, in)
	if err != nil {
		return 0, err
	}
	bodies, err := in.Bodies()
	if err != nil {
		return 0, err
	}
	defer bodies.Close()
	for e, err := range in.SelectByTime(ctx, o.Filter) {
		if err != nil {
			return total, err
		}
		if e.Variant == 0 {
			total++
		}
		if o.limit > 0 && total > o.limit {
			return o.limit, nil
		}
		line := copyLine{TenantID: e.Log.TenantID, LogID: e.Log.LogID, Sequence: e.Link.Sequence, Copy: e.Variant, Copies: e.Copies, Deliveries: e.Deliveries}
		event, err := bodies.Line(ctx, e.Event)
		if err != nil {
			return total, err
		}
		place, err := bodies.Place(ctx, e.Event)
		if err != nil {
			return total, err
		}
		line.Place = evidenceOf(names, place)
		if err := line.write(w, event); err != nil {
			return total, err
		}
	}
	return total, nil
}

func evidenceOf(names map[int64]string, p casefile.Place) finding.Evidence {
	return finding.Evidence{Source: names[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
}
