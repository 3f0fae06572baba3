package text

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Gaps writes gaps as text, and then how many there are. There may be very
// many: none is kept.
func Gaps(w io.Writer, gaps iter.Seq2[gap.Gap, error]) error {
	n, missing := 0, uint64(0)
	for g, err := range gaps {
		if err != nil {
			return err
		}
		n, missing = n+1, missing+g.Count
		p := page.New()
		p.Heading(gapTitle(g))
		writeGap(p, g)
		p.WriteByte('\n')
		if _, err := io.WriteString(w, p.String()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s, %d missing\n", safetext.Count(n, "gap"), missing)
	return err
}

// gapTitle names a log and what is missing of it, below each other where one line
// is too short for both.
func gapTitle(g gap.Gap) string {
	missing := fmt.Sprintf("events %d to %d missing (%d)", g.First, g.Last, g.Count)
	if g.Count == 1 {
		missing = fmt.Sprintf("event %d missing", g.First)
	}
	if title := columns.Cut(g.LogID, 36) + "  " + missing; columns.Width(title) <= page.Width {
		return title
	}
	return columns.Cut(g.LogID, page.Width) + "\n  " + missing
}

func writeGap(p *page.Page, g gap.Gap) {
	if g.Source != "" {
		p.Prose(2, "in "+safetext.Quote(g.Source)+"; held by "+page.List(g.Holders))
	}
	writeNeighbour(p, "before", g.Before)
	writeNeighbour(p, "after", g.After)
	if g.After != nil {
		p.Pairs(page.Pair{"the last missing event has the hash", g.After.PreviousHash})
	}
	for _, b := range g.CutBatches {
		p.Prose(2, "cut batch "+safetext.Quote(b))
	}
	for _, a := range g.Anchors {
		p.Prose(2, "they existed: "+safetext.Line(a))
	}
	writeOrigins(p, g)
	for _, e := range g.Unreadable {
		p.Prose(2, "not read: "+e.Text())
	}
	writeHypotheses(p, g.Hypotheses)
}

// writeOrigins writes what other evidence knows of the missing events.
func writeOrigins(p *page.Page, g gap.Gap) {
	for i, k := range g.Known {
		if i == mostOrigins {
			p.Prose(2, fmt.Sprintf("and the hashes of %d more", len(g.Known)-i))
			break
		}
		if k.Disclosed {
			p.Prose(2, fmt.Sprintf("event %d is disclosed by the bundle %s: %s of %s", k.Sequence,
				safetext.Line(k.Name), safetext.Quote(k.Type), safetext.Quote(k.TransactionID)))
		} else {
			p.Prose(2, fmt.Sprintf("the hash of event %d is known from %s", k.Sequence, safetext.Line(k.Name)))
		}
		p.Prose(6, "hash "+k.Hash)
	}
	for i, o := range g.Transactions {
		if i == mostOrigins {
			p.Prose(2, fmt.Sprintf("and %d more such transactions", len(g.Transactions)-i))
			break
		}
		p.Prose(2, fmt.Sprintf("%s has no %s in the case: the other side is event %d of %s",
			safetext.Quote(o.TransactionID), o.Lacks, o.Sequence, safetext.Quote(o.LogID)))
	}
}

// writeHypotheses writes the causes for which something speaks one by one, and
// the others by what they have in common.
func writeHypotheses(p *page.Page, all []gap.Hypothesis) {
	var order []string
	against := map[string][]string{}
	for _, h := range all {
		if len(h.For) > 0 {
			writeHypothesis(p, h)
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
			p.Prose(2, "nothing speaks for or against "+causes)
			continue
		}
		p.Prose(2, "against "+causes+":")
		p.Prose(6, safetext.Line(fact))
	}
}

func writeHypothesis(p *page.Page, h gap.Hypothesis) {
	p.Prose(2, "perhaps "+h.Cause+": "+h.Title)
	for _, fact := range h.For {
		p.Prose(6, "for: "+safetext.Line(fact))
	}
	for _, fact := range h.Against {
		p.Prose(6, "against: "+safetext.Line(fact))
	}
}

func writeNeighbour(p *page.Page, label string, n *gap.Neighbour) {
	if n == nil {
		p.Prose(2, label+": no event of this log is in the case")
		return
	}
	p.Prose(2, fmt.Sprintf("%s: event %d of %s, %d bytes, in %s", label, n.Sequence, n.OccurredAt, n.Bytes,
		page.List(n.Sources)))
	p.Prose(6, "hash "+n.Hash)
	for _, b := range n.Batches {
		p.Prose(6, "batch "+safetext.Quote(b))
	}
}
