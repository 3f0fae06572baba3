package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func batchesCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "batches",
		Summary: "Show the export batches of a case: delivered again, in conflict, whole",
		Description: "Shows every batch id with the events that came under it. An id is the digest of its events: where it is, the batch is whole. " +
			"Anybody on the way can write an id, so that it explains deliveries and proves nothing.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "a batch was shown"},
			{Code: exitInconclusive, Meaning: "there was none"},
		},
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "log", Value: "ID", Usage: "Only batches with an event of this log"},
			{Name: "batch", Value: "ID", Usage: "Only the batch of this id"},
			formFlag(),
		}, progressFlags()...),
		Examples: []string{"svc-verify batches --case case.db"},
		Action:   showBatches,
	}
}

// batch is a batch as JSON.
type batch struct {
	ID          string   `json:"id"`
	Logs        []string `json:"logs"`
	Events      int64    `json:"events"`
	Deliveries  int64    `json:"deliveries"`
	Redelivered int64    `json:"redelivered"`
	Complete    bool     `json:"complete"`
	Conflicting bool     `json:"conflicting"`
	Shares      []share  `json:"shares"`
}

// share is what one source delivered of one log under the id.
type share struct {
	Source     string `json:"source"`
	TenantID   string `json:"tenant_id"`
	LogID      string `json:"log_id"`
	First      uint64 `json:"first_sequence"`
	Last       uint64 `json:"last_sequence"`
	Deliveries int64  `json:"deliveries"`
}

// batchTotals counts the batches that were shown.
type batchTotals struct {
	Distinct    int64 `json:"distinct"`
	Redelivered int64 `json:"redelivered"`
	Conflicting int64 `json:"conflicting"`
	Incomplete  int64 `json:"incomplete"`
	Absent      int64 `json:"absent"` // events of the case that were delivered without an id
}

func (t *batchTotals) add(b batch) {
	t.Distinct++
	if b.Redelivered > 0 {
		t.Redelivered++
	}
	if b.Conflicting {
		t.Conflicting++
	}
	if !b.Complete {
		t.Incomplete++
	}
}

func showBatches(c *cliapp.Context) (int, error) {
	return withCase(c, func(ctx context.Context, in *casefile.Case) (int, error) {
		var total batchTotals
		var err error
		if total.Absent, err = in.Unbatched(ctx, string(read.Journal)); err != nil {
			return 0, err
		}
		out := bufio.NewWriter(c.Stdout)
		if c.Text("output") == "json" {
			err = writeBatchesJSON(out, batchesOf(ctx, c, in), &total)
		} else {
			err = writeBatches(out, batchesOf(ctx, c, in), &total)
		}
		if err != nil {
			return 0, err
		}
		if total.Distinct == 0 {
			return exitInconclusive, out.Flush()
		}
		return exitVerified, out.Flush()
	})
}

// batchesOf yields the batches that are asked for.
func batchesOf(ctx context.Context, c *cliapp.Context, in *casefile.Case) iter.Seq2[batch, error] {
	return func(yield func(batch, error) bool) {
		names, err := sourceNames(ctx, in)
		if err != nil {
			yield(batch{}, err)
			return
		}
		next, stop := iter.Pull2(in.BatchShares(ctx))
		defer stop()
		s, fault, more := next()
		for b, err := range in.Batches(ctx) {
			one := batch{b.ID, []string{}, b.Events, b.Deliveries, b.Redelivered, b.Genuine > 0, b.Conflicting(), []share{}}
			for ; err == nil && fault == nil && more && s.ID == b.ID; s, fault, more = next() {
				one.Shares = append(one.Shares, share{names[s.Source], s.TenantID, s.LogID, s.First, s.Last, s.Deliveries})
				if !slices.Contains(one.Logs, s.LogID) {
					one.Logs = append(one.Logs, s.LogID)
				}
			}
			if err == nil {
				err = fault
			}
			wanted := (!c.Given("batch") || b.ID == c.Text("batch")) && (!c.Given("log") || slices.Contains(one.Logs, c.Text("log")))
			if (wanted || err != nil) && !yield(one, err) || err != nil {
				return
			}
		}
	}
}

// sourceNames returns the names of the sources by number.
func sourceNames(ctx context.Context, in *casefile.Case) (map[int64]string, error) {
	all, err := in.Sources(ctx)
	names := map[int64]string{}
	for _, s := range all {
		names[s.Number] = s.SHA256.String()
		if len(s.Paths) > 0 {
			names[s.Number] = s.Paths[0]
		}
	}
	return names, err
}

func writeBatchesJSON(w io.Writer, all iter.Seq2[batch, error], total *batchTotals) error {
	out := newList(w, "svc-verify/batches/v1", "batches")
	for b, err := range all {
		if err != nil {
			return err
		}
		total.add(b)
		out.add(b)
	}
	return out.end(member{"totals", total})
}

func writeBatches(w io.Writer, all iter.Seq2[batch, error], total *batchTotals) error {
	for b, err := range all {
		if err != nil {
			return err
		}
		total.add(b)
		p := page.New()
		b.write(p)
		p.WriteByte('\n')
		if _, err := io.WriteString(w, p.String()); err != nil {
			return err
		}
	}
	p := page.New()
	p.Heading("totals")
	p.Pairs(page.Pair{"distinct", fmt.Sprint(total.Distinct)}, page.Pair{"redelivered", fmt.Sprint(total.Redelivered)},
		page.Pair{"conflicting", fmt.Sprint(total.Conflicting)}, page.Pair{"incomplete", fmt.Sprint(total.Incomplete)},
		page.Pair{"without an id", safetext.Count(total.Absent, "event")})
	_, err := io.WriteString(w, p.String())
	return err
}

func (b batch) write(p *page.Page) {
	p.Heading("batch " + columns.Cut(b.ID, 72))
	state := "not whole: the id is not that of the events that are here"
	switch {
	case b.Conflicting:
		state = "in conflict: the id stands on more than one content"
	case b.Complete:
		state = "whole: the id is that of the events"
	}
	p.Prose(2, state)
	p.Prose(2, fmt.Sprintf("%s, %s, %d delivered more than once", safetext.Count(b.Events, "event"), safetext.Count(b.Deliveries, "delivery"), b.Redelivered))
	for _, s := range b.Shares {
		p.Prose(4, fmt.Sprintf("%s, %d to %d, %s by %s", safetext.Quote(s.LogID), s.First, s.Last, safetext.Count(s.Deliveries, "delivery"), safetext.Quote(s.Source)))
	}
}
