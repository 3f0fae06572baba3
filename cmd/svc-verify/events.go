package main

import (
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/report"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostEvents is how many events the text shows if --limit does not say.
const mostEvents = 200

func listEvents(c *invocation) *reply {
	f, in := c.openFiltered()
	out, limit := c.bufferedOut(), c.Number("limit") // 0 is none
	total, count := 0, c.countLater(in, f)
	switch c.Text("output") {
	case "json":
		total = writeEvents(out, query.Events(c.ctx, in, f), limit, count)
	case "jsonl":
		total = mustHave(query.WriteLines(c.ctx, out, in, f, limit))
	default:
		if !c.Given("limit") {
			limit = mostEvents
		}
		total = mustHave(report.NewListing(c.logsOf(in, f), limit).Write(out, query.Events(c.ctx, in, f), count))
	}
	stopOn(out.Flush())
	return &reply{code: anyOf(total > 0)}
}

// writeEvents writes at most limit events, all if limit is 0, and returns how many there are.
func writeEvents(w io.Writer, all iter.Seq2[query.Event, error], limit int, count func() (int, error)) (total int) {
	out := newList(w, "svc-verify/events/v1", "events")
	for e, err := range all {
		stopOn(err)
		if total++; limit > 0 && total > limit {
			total = mustHave(count())
			break
		}
		out.addItem(e)
	}
	out.endList(member{"more", total - out.count})
	return total
}

func showBatches(c *invocation) *reply {
	in := c.openCase()
	total := mustHave(query.TotalsOf(c.ctx, in))
	out, write := c.bufferedOut(), report.WriteBatches
	if c.asJSON() {
		write = writeBatches
	}
	all := query.Batches(c.ctx, in, query.BatchFilter{ID: c.Text("batch"), LogID: c.Text("log")})
	stopOn(write(out, all, &total))
	stopOn(out.Flush())
	return &reply{code: anyOf(total.Distinct > 0)}
}

func writeBatches(w io.Writer, all iter.Seq2[query.Batch, error], total *query.BatchTotals) error {
	out := newList(w, "svc-verify/batches/v1", "batches")
	for b, err := range all {
		if err != nil {
			return err
		}
		total.Add(b)
		out.addItem(b)
	}
	out.endList(member{"totals", total})
	return nil
}

func exportLog(c *invocation) *reply {
	f, in := c.openFiltered()
	log, ok := logOf(c, in)
	if !ok {
		return &reply{code: exitInconclusive}
	}
	out := c.bufferedOut()
	exported := mustHave(examine.Export(c.ctx, in, log, f, out))
	if n := exported.Contested; n > 0 {
		c.sayLine("copies of %s differ: one of each was written", safetext.Count(n, "event"))
	}
	if n := exported.Guessed; n > 0 {
		c.sayLine("nothing shows which copy of %s belongs to the log: svc-verify walk shows which one verifies",
			safetext.Count(n, "event"))
	}
	stopOn(out.Flush())
	return &reply{code: anyOf(exported.Written > 0)}
}

// logOf returns the log of --log; ok is false, with a warning, if the case holds
// no event of it.
func logOf(c *invocation, in *store.Case) (log facts.Log, ok bool) {
	for _, l := range mustHave(in.Logs(c.ctx)) {
		if l.LogID != c.Text("log") || c.Given("tenant") && l.TenantID != c.Text("tenant") {
			continue
		}
		refuseIf(ok, "--log: two tenants have a log %s: give --tenant too", safetext.Quote(l.LogID))
		log, ok = l, true
	}
	if !ok {
		c.sayLine("the case has no event of %s", safetext.Quote(c.Text("log")))
	}
	return log, ok
}
