package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/english"
	"github.com/svc-edge/svc-verify/internal/exact"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostEvents is how many events the text shows if --limit does not say.
const mostEvents = 200

func eventsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "events",
		Summary: "List the events of a case",
		Description: "Lists the events of a case that are asked for, by log and sequence. In text, 200 of them if --limit does not say otherwise. Nothing is verified: svc-verify walk does that.\n\n" +
			"Exit codes: 0 if there was such an event, 3 if there was none.",
		Flags: slices.Concat([]cliapp.Flag{caseFlag(), logFlag(), typeFlag(), transactionFlag(), sequenceFlag()}, timeFlags(), []cliapp.Flag{
			{Name: "limit", Kind: cliapp.Number, Value: "N", Usage: "List at most so many events, and count the others"},
			{Name: "output", Choices: []string{"text", "json", "jsonl"}, Default: "text", Usage: "The form of the output; jsonl has each copy whole"},
		}),
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
	return withCase(c, func(ctx context.Context, in *store.Case) (int, error) {
		out := bufio.NewWriterSize(c.Stdout, 1<<20)
		var total int
		switch c.Text("output") {
		case "json":
			total, err = listJSON(out, events(in.Select(ctx, f)), limitOf(c, 0))
		case "jsonl":
			total, err = listLines(ctx, out, in, lineOptions{f, limitOf(c, 0)})
		default:
			total, err = listText(out, events(in.Select(ctx, f)), limitOf(c, mostEvents))
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
func events(all iter.Seq2[store.Selected, error]) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		var one listed
		for e, err := range all {
			if err != nil {
				yield(listed{}, err)
				return
			}
			if e.Variant == 0 {
				one = listed{e.Log.TenantID, e.Log.LogID, e.Link.Sequence, exact.FormatTime(time.UnixMilli(e.OccurredAt)), e.Type,
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

func listText(w io.Writer, all iter.Seq2[listed, error], limit int) (total int, err error) {
	log, marked := [2]string{}, false
	for e, err := range all {
		if err != nil {
			return total, err
		}
		if total++; limit > 0 && total > limit {
			continue
		}
		if name := [2]string{e.TenantID, e.LogID}; name != log {
			if log = name; total > 1 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, safetext.Cut(e.LogID, width))
		}
		marked = marked || e.Copies > 1 || e.again()
		fmt.Fprintln(w, e.line())
	}
	p := newPage()
	switch {
	case total == 0:
		p.prose(0, "no such event")
	case limit > 0 && total > limit:
		p.heading("")
		p.prose(0, fmt.Sprintf("%d events, of which %d are listed and %d more are not: --limit, or --output json", total, limit, total-limit))
	default:
		p.heading("")
		p.prose(0, english.Count(total, "event"))
	}
	if marked {
		p.prose(0, "C: copies that differ; D: a copy came more than once; svc-verify show has both")
	}
	_, err = io.WriteString(w, p.String())
	return total, err
}

// again reports whether a copy was delivered more than once.
func (e listed) again() bool { return e.Deliveries > int64(e.Copies) }

// line writes an event in the columns of a terminal.
func (e listed) line() string {
	mark := ""
	if e.Copies > 1 {
		mark = "C"
	}
	if e.again() {
		mark += "D"
	}
	head := fmt.Sprintf("  %-2s %8d  %s  ", mark, e.Sequence, e.OccurredAt)
	kind := safetext.Cut(e.Type, 23)
	transaction := ""
	if e.TransactionID != "" {
		transaction = "  " + safetext.Cut(e.TransactionID, width-2-len(head)-safetext.Width(kind))
	}
	return head + kind + transaction
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
	store.Filter
	limit int
}

// listLines writes every copy of the events as a line.
func listLines(ctx context.Context, w io.Writer, in *store.Case, o lineOptions) (total int, err error) {
	names, err := sourceNames(ctx, in)
	if err != nil {
		return 0, err
	}
	bodies, err := in.Bodies()
	if err != nil {
		return 0, err
	}
	defer bodies.Close()
	for e, err := range in.Select(ctx, o.Filter) {
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

func evidenceOf(names map[int64]string, p store.Place) finding.Evidence {
	return finding.Evidence{Source: names[p.Source], Container: p.Container, Offset: p.Offset, Length: p.Length}
}
