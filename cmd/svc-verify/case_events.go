package main

import (
	"bufio"
	"context"
	"io"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/progress"
)

// mostEvents is how many events the text shows if --limit does not say.
const mostEvents = 200

func eventsCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:        "events",
		Summary:     "List the events of a case",
		Description: "Lists events: one log by sequence, several logs by time. Text lists 200 of them unless --limit is given. Nothing is verified; svc-verify walk does that.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "an event matched"},
			{Code: exitInconclusive, Meaning: "there was none"},
		},
		Flags: slices.Concat([]cliapp.Flag{caseFlag(), logFlag(), typeFlag(), transactionFlag(), sequenceFlag()}, timeFlags(), []cliapp.Flag{
			{Name: "limit", Kind: cliapp.Number, Value: "N", Usage: "List at most N events, and count the rest"},
			{Name: "output", Choices: []string{"text", "json", "jsonl"}, Default: "text", Usage: "The form of the output; jsonl has each copy whole"},
		}, progress.Flags()),
		Examples: []string{"svc-verify events --case case.db --type issuance.completed --from 2026-03-02"},
		Action:   listEvents,
	}
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
			total, err = writeEvents(out, query.Events(ctx, in, f), limitOf(c, 0))
		case "jsonl":
			total, err = query.WriteLines(ctx, out, in, f, limitOf(c, 0))
		default:
			var logs []string
			if logs, err = logsOf(ctx, in, f); err == nil {
				total, err = text.NewListing(logs, limitOf(c, mostEvents)).Write(out, query.Events(ctx, in, f))
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

// logsOf returns the ids of the logs of a case that a filter selects.
func logsOf(ctx context.Context, in *casefile.Case, f casefile.Filter) (ids []string, err error) {
	logs, err := in.Logs(ctx)
	for _, l := range logs {
		if f.Wants(l) {
			ids = append(ids, l.LogID)
		}
	}
	return ids, err
}

func writeEvents(w io.Writer, all iter.Seq2[query.Event, error], limit int) (total int, err error) {
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
