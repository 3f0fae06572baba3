package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// MostStatusRows is how many rows [Status] lists of all certificates.
const MostStatusRows = answer.MostRows

// mostStatusLogs bounds the logs that an answer on certificates lists.
const mostStatusLogs = 64

// Status returns the status of certificates: one by one if they were requested by name,
// otherwise a table of the first rows.
func Status(head *status.Head, rows []status.Row, end status.End, q Asked) *answer.Doc {
	d := startAnswer(q.Name, "", end.Verdict, head.LeftOut)
	d.Lead = reasonBlocks(d, q, end.Reason, "")
	d.Head = text.KeysMissing(head.UnknownKeys)
	if head.Question.All() {
		n := end.Counts
		d.Head = append(d.Head, answer.Pairs{answer.Value("certificates",
			fmt.Sprintf("%d issued, %d revoked, %d unknown", n.Issued, n.Revoked, n.Unknown))})
		d.AddSections(certificateSections(rows, n.Total(), len(head.Logs) > 1)...)
	} else {
		s := answer.Section{}
		for _, r := range rows {
			s.Blocks = append(s.Blocks, certificateCard(d, q, head, r))
		}
		d.AddSections(s)
	}
	logs := answeringLogs(d, q, head, rows)
	if end.Verdict == verify.Verified {
		d.AddFold(logs.Heading, logs.Blocks...)
	} else {
		d.AddSections(logs)
	}
	var limits []answer.Block
	for _, l := range head.Limitations {
		limits = append(limits, answer.Paragraph(l.Text))
	}
	d.AddFold("Limits of this answer", limits...)
	return d
}

// reasonBlocks are the sentence of a reason, if there is one. Its next step becomes the
// answer's if it can run, and is a sentence if it names something that is not here yet.
func reasonBlocks(d *answer.Doc, q Asked, r status.Reason, log string) []answer.Block {
	if r == "" {
		return nil
	}
	sentence, next := status.Says(r, log)
	blocks := []answer.Block{answer.Paragraph(sentence)}
	words := fillStep(next, q)
	if words == nil {
		return append(blocks, answer.Paragraph("next: ", q.stepText(next)))
	}
	if d.Next == nil {
		d.Next = words
	}
	return blocks
}

// answeringLogs returns how far the logs can answer: the logs of the rows, if one transaction
// was requested.
func answeringLogs(d *answer.Doc, q Asked, head *status.Head, rows []status.Row) answer.Section {
	tenants := map[string]bool{}
	for _, r := range rows {
		tenants[r.TenantID] = true
	}
	s := answer.Section{Heading: "Logs"}
	more := 0
	for _, l := range head.Logs {
		if !head.Question.All() && len(rows) > 0 && !tenants[l.TenantID] {
			continue
		}
		if len(s.Blocks) == mostStatusLogs {
			more++
			continue
		}
		card := answer.Card{Class: "log", Heading: answer.Say(answerSpan(l.Verdict), "  ", answer.Name(l.LogID))}
		card.Blocks = append(reasonBlocks(d, q, l.Reason, l.LogID), answeringPairs(l))
		s.Blocks = append(s.Blocks, card)
	}
	s.Blocks = append(s.Blocks, leftOut(more, "logs", "--output json"))
	return s
}

// certificateCard answers on one transaction. It also has the log's own statement.
func certificateCard(d *answer.Doc, q Asked, head *status.Head, r status.Row) answer.Card {
	card := answer.Card{Class: "log", Heading: answer.Say(answerSpan(r.Verdict), "  ", answer.Name(r.TransactionID), ": ",
		string(r.Status))}
	var log status.Log
	for _, l := range head.Logs {
		if l.TenantID == r.TenantID {
			log = l
		}
	}
	if r.Reason != "" && r.Reason != log.Reason {
		card.Blocks = reasonBlocks(d, q, r.Reason, log.LogID)
	}
	card.Blocks = append(card.Blocks, certificatePairs(r, log.LastSequence))
	return card
}

// certificatePairs are the facts of a row whose log ends with an event.
func certificatePairs(r status.Row, last uint64) answer.Pairs {
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
	return answer.Pairs{answer.Value("tenant", answer.Name(r.TenantID)), answer.Value("issued", issued),
		answer.Value("revoked", revoked), answer.Value("by others' word", upTo(r.CompleteByOthers)),
		answer.Value("by its own word", upTo(r.CompleteByOwn)),
		answer.Value("manifest sha256", answer.Code(r.ManifestSHA256)),
		answer.Value("certificate serial", answer.Code(r.Serial)),
		answer.Value("certificate sha256", answer.Code(r.CertificateSHA256)),
		answer.Value("bundle sha256", answer.Code(r.BundleSHA256))}
}

// upTo describes up to where a log is complete.
func upTo(sequence uint64) string {
	if sequence == 0 {
		return "nothing shows it"
	}
	return fmt.Sprintf("complete up to event %d", sequence)
}

// certificateSections are tables of the first rows, one for each tenant if there are several.
func certificateSections(rows []status.Row, total int64, several bool) []answer.Section {
	var all []answer.Section
	for i, r := range rows {
		if i == 0 || several && rows[i-1].TenantID != r.TenantID {
			heading := ""
			if several {
				heading = safetext.Quote(r.TenantID)
			}
			all = append(all, answer.Section{Heading: heading, Blocks: []answer.Block{answer.Table{Columns: answer.Columns(
				"Transaction", "name", "Status", "answer", "Issued", "number", "At", "", "Revoked", "number")}}})
		}
		revoked := ""
		if r.RevocationSequence > 0 {
			revoked = fmt.Sprint(r.RevocationSequence)
		}
		last := all[len(all)-1].Blocks
		t := last[0].(answer.Table)
		t.Rows = append(t.Rows, answer.Row(answer.Name(r.TransactionID), string(r.Status), fmt.Sprint(r.Sequence),
			r.OccurredAt, revoked))
		last[0] = t
	}
	left := leftOut(total-int64(len(rows)), "certificates", "--output jsonl or csv")
	return append(all, answer.Section{Blocks: []answer.Block{left}})
}

// answeringPairs are the facts of a log that answers.
func answeringPairs(l status.Log) answer.Pairs {
	pairs := answer.Pairs{answer.Value("events", fmt.Sprintf("up to %d", l.LastSequence))}
	pairs = append(pairs, wordPairs(l.CompleteByOthers, l.CompleteByOwn)...)
	if c := l.Checkpoint; c != nil {
		kind := "no node witnessed it"
		if c.Witnessed {
			kind = "witnessed"
		}
		pairs = append(pairs, answer.Value("checkpoint", fmt.Sprintf("event %d, of %s, %s, in %s", c.Sequence,
			c.CreatedAt, kind, c.Source)), answer.Value("head", answer.Code(c.Hash)))
	}
	return append(pairs, answer.Value("decided by", answer.Code(l.Decides)))
}
