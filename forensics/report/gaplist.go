package report

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostOrigins bounds the missing events of a gap that are known, and its transactions.
const mostOrigins = 8

// WriteGaps writes the verdict on a case, each gap, and how many there are. There may be very many:
// none is kept.
func WriteGaps(w io.Writer, color bool, r *verdict.Result, q Asked, gaps iter.Seq2[gap.Gap, error]) error {
	d := withReason(headOf(r, q.Name), r.Why(), q)
	return answer.WriteList(w, d, color, func(yield func(answer.Block, error) bool) {
		n, missing := 0, uint64(0)
		for g, err := range gaps {
			n, missing = n+1, missing+g.Count
			if !yield(gapCard(g), err) {
				return
			}
		}
		d.Foot = []answer.Block{answer.Paragraph(fmt.Sprintf("%s, %d missing", safetext.Count(n, "gap"), missing))}
	})
}

// gapCard shows a gap of a log, its neighbours, and possible explanations.
func gapCard(g gap.Gap) answer.Card {
	missing := fmt.Sprintf("events %d to %d missing (%d)", g.First, g.Last, g.Count)
	if g.Count == 1 {
		missing = fmt.Sprintf("event %d missing", g.First)
	}
	card := answer.Card{Class: "log", Heading: answer.Say(answer.Name(g.LogID), "  ", missing)}
	facts := answer.List{}
	add := func(lead, text string) { facts = append(facts, answer.Item{Text: answer.Say(lead, text)}) }
	if g.Source != "" {
		add("in ", safetext.Quote(g.Source)+"; held by "+answer.NameList(g.Holders, answer.MostPlaces).String())
	}
	facts = append(facts, neighbourItem("before", g.Before), neighbourItem("after", g.After))
	if g.After != nil {
		facts = append(facts, answer.Item{Text: answer.Say("the last missing event has the hash"),
			Below: []answer.Text{answer.Say(answer.Code(g.After.PreviousHash))}})
	}
	for _, b := range g.CutBatches {
		add("cut batch ", safetext.Quote(b))
	}
	for _, a := range g.Anchors {
		add("they existed: ", a)
	}
	facts = append(facts, originItems(g)...)
	for _, e := range g.Unreadable {
		add("not read: ", e.Text())
	}
	card.Blocks = []answer.Block{append(facts, hypothesisItems(g.Hypotheses)...)}
	return card
}

// originItems list the traces of the missing events in other evidence.
func originItems(g gap.Gap) answer.List {
	var all answer.List
	known, more := answer.Cut(g.Known, mostOrigins)
	for _, k := range known {
		text := answer.Say("the hash of event ", k.Sequence, " is known from ", k.Name)
		if k.Disclosed {
			text = answer.Say("event ", k.Sequence, " is disclosed by the bundle ", k.Name, ": ", answer.Name(k.Type), " of ",
				answer.Name(k.TransactionID))
		}
		all = append(all, answer.Item{Text: text, Below: []answer.Text{answer.Say("hash ", answer.Code(k.Hash))}})
	}
	if more > 0 {
		all = append(all, answer.Item{Text: answer.Say("and the hashes of ", more, " more")})
	}
	sides, more := answer.Cut(g.Transactions, mostOrigins)
	for _, o := range sides {
		all = append(all, answer.Item{Text: answer.Say(answer.Name(o.TransactionID), " has no ", o.Lacks,
			" in the case: the other side is event ", o.Sequence, " of ", answer.Name(o.LogID))})
	}
	if more > 0 {
		all = append(all, answer.Item{Text: answer.Say("and ", more, " more such transactions")})
	}
	return all
}

// hypothesisItems are the causes with facts in their favour one by one, and the others in
// common.
func hypothesisItems(hypotheses []gap.Hypothesis) answer.List {
	var all answer.List
	var order []string
	against := map[string][]string{}
	for _, h := range hypotheses {
		if len(h.For) > 0 {
			item := hypothesisItem(h)
			item.Text = answer.Say("perhaps "+h.Cause+": ", item.Text)
			all = append(all, item)
			continue
		}
		fact := strings.Join(h.Against, "; ")
		if len(against[fact]) == 0 {
			order = append(order, fact)
		}
		against[fact] = append(against[fact], h.Cause)
	}
	for _, fact := range order {
		causes := strings.Join(against[fact], ", ")
		if fact == "" {
			all = append(all, answer.Item{Text: answer.Say("nothing speaks for or against ", causes)})
			continue
		}
		all = append(all, answer.Item{Text: answer.Say("against ", causes, ":"), Below: []answer.Text{answer.Say(fact)}})
	}
	return all
}

// neighbourItem shows the event before or after a gap.
func neighbourItem(label string, n *gap.Neighbour) answer.Item {
	if n == nil {
		return answer.Item{Text: answer.Say(label, ": no event of this log is in the case")}
	}
	item := answer.Item{Text: answer.Say(fmt.Sprintf("%s: event %d of %s, %d bytes, in %s", label, n.Sequence,
		n.OccurredAt, n.Bytes, answer.NameList(n.Sources, answer.MostPlaces))),
		Below: []answer.Text{answer.Say("hash ", answer.Code(n.Hash))}}
	for _, b := range n.Batches {
		item.Below = append(item.Below, answer.Say("batch ", answer.Name(b)))
	}
	return item
}
