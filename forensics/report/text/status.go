package text

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// MostStatusRows is how many rows [Status] lists of all certificates.
const MostStatusRows = 200

// mostStatusLogs bounds the logs that a page lists.
const mostStatusLogs = 64

// Status renders the status of certificates: one by one if they were asked for by
// name, and else as a table of the first rows.
func Status(head *status.Head, rows []status.Row, end status.End, file string) *page.Page {
	p := page.New()
	p.Answer(string(end.Verdict), file)
	writeUnknownKeys(p, head.UnknownKeys)
	if end.Reason != "" {
		writeStatusReason(p, end.Reason, "")
	}
	writeLeftOut(p, head.LeftOut)
	if head.Question.All() {
		writeStatusCounts(p, end.Counts)
		writeStatusTable(p, rows, end.Counts.Total(), len(head.Logs) > 1)
	} else {
		for _, r := range rows {
			writeStatus(p, head, r)
		}
	}
	writeStatusLogs(p, head, rows)
	p.Heading("limits of this answer")
	for _, l := range head.Limitations {
		p.Prose(2, l.Text)
	}
	return p
}

func writeStatusReason(p *page.Page, r status.Reason, log string) {
	sentence, next := status.Says(r, log)
	p.Prose(2, sentence)
	p.Prose(2, "next: "+next)
}

// writeStatusLogs writes how far the logs can answer: those of the rows, if one
// transaction was asked for.
func writeStatusLogs(p *page.Page, head *status.Head, rows []status.Row) {
	tenants := map[string]bool{}
	for _, r := range rows {
		tenants[r.TenantID] = true
	}
	written := 0
	for _, l := range head.Logs {
		if !head.Question.All() && len(rows) > 0 && !tenants[l.TenantID] {
			continue
		}
		if written++; written > mostStatusLogs {
			continue
		}
		p.Headline(string(l.Verdict), safetext.Quote(l.LogID))
		if l.Reason != "" {
			writeStatusReason(p, l.Reason, l.LogID)
		}
		p.Pairs(statusLogPairs(l)...)
	}
	if more := written - mostStatusLogs; more > 0 {
		p.Prose(0, fmt.Sprintf("and %d more logs: --output json lists them all", more))
	}
}

func writeStatusCounts(p *page.Page, n status.Counts) {
	p.Pairs(page.Pair{"certificates", fmt.Sprintf("%d issued, %d revoked, %d unknown", n.Issued, n.Revoked, n.Unknown)})
}

// writeStatus writes the answer on one transaction. What its log says of itself is
// said there.
func writeStatus(p *page.Page, head *status.Head, r status.Row) {
	p.Headline(string(r.Verdict), fmt.Sprintf("%s: %s", safetext.Quote(r.TransactionID), r.Status))
	var log status.Log
	for _, l := range head.Logs {
		if l.TenantID == r.TenantID {
			log = l
		}
	}
	if r.Reason != "" && r.Reason != log.Reason {
		writeStatusReason(p, r.Reason, log.LogID)
	}
	p.Pairs(statusPairs(r, log.LastSequence)...)
}

// statusPairs are the facts of a row whose log ends with an event.
func statusPairs(r status.Row, last uint64) []page.Pair {
	none := "no event of the log is here"
	if last > 0 {
		none = fmt.Sprintf("no such event from 1 to %d", last)
	}
	issued, revoked := none, none
	if r.Sequence > 0 {
		issued = fmt.Sprintf("event %d, %s", r.Sequence, r.OccurredAt)
	}
	if r.RevocationSequence > 0 {
		revoked = fmt.Sprintf("event %d", r.RevocationSequence)
	}
	pairs := []page.Pair{{"tenant", safetext.Quote(r.TenantID)}, {"issued", issued}, {"revoked", revoked},
		{"by others' word", upTo(r.CompleteByOthers)}, {"by its own word", upTo(r.CompleteByOwn)}, {"manifest sha256", r.ManifestSHA256}, {"certificate serial", r.Serial},
		{"certificate sha256", r.CertificateSHA256}, {"bundle sha256", r.BundleSHA256}}
	return slices.DeleteFunc(pairs, func(q page.Pair) bool { return q[1] == "" })
}

// upTo says up to where a log is complete.
func upTo(sequence uint64) string {
	if sequence == 0 {
		return "nothing shows it"
	}
	return fmt.Sprintf("complete up to event %d", sequence)
}

// writeStatusTable writes the first rows in columns, below the names of their
// tenants if there are several.
func writeStatusTable(p *page.Page, rows []status.Row, total int64, several bool) {
	const header = "  %8s  %-24s  %-10s %8s  %s\n"
	for i, r := range rows {
		switch {
		case several && (i == 0 || rows[i-1].TenantID != r.TenantID):
			p.Heading(columns.Cut(r.TenantID, page.Width))
		case i == 0:
			p.Break()
		}
		if i == 0 {
			fmt.Fprintf(p, header, "issued", "at", "status", "revoked", "transaction")
		}
		revoked := ""
		if r.RevocationSequence > 0 {
			revoked = fmt.Sprint(r.RevocationSequence)
		}
		line := fmt.Sprintf("  %8d  %-24s  %-10s %8s  ", r.Sequence, r.OccurredAt, r.Status, revoked)
		p.WriteString(line + columns.Cut(r.TransactionID, max(8, page.Width-columns.Width(line))) + "\n")
	}
	if more := total - int64(len(rows)); more > 0 {
		p.Prose(2, fmt.Sprintf("and %d more: --output jsonl or csv lists them all, with their reasons", more))
	}
}

func statusLogPairs(l status.Log) []page.Pair {
	pairs := []page.Pair{{"events", fmt.Sprintf("up to %d", l.LastSequence)}}
	pairs = append(pairs, wordPairs(l.CompleteByOthers, l.CompleteByOwn)...)
	if c := l.Checkpoint; c != nil {
		kind := "no node witnessed it"
		if c.Witnessed {
			kind = "witnessed"
		}
		pairs = append(pairs, page.Pair{"checkpoint", fmt.Sprintf("event %d, of %s, %s, in %s", c.Sequence, c.CreatedAt, kind,
			c.Source)}, page.Pair{"head", c.Hash})
	}
	if l.Decides != "" {
		pairs = append(pairs, page.Pair{"decided by", string(l.Decides)})
	}
	return pairs
}
