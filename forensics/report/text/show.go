package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Show renders events whole.
func Show(out *query.Shown, file string) *page.Page {
	p := page.New()
	Verdict(p, out.Result, file)
	if len(out.Events) == 0 {
		p.Heading("no such event")
	} else {
		p.Heading("No signature was verified here; svc-verify walk does that.")
	}
	for _, e := range out.Events {
		writeEvent(p, e)
	}
	if out.More > 0 {
		p.Heading("")
		p.Prose(0, fmt.Sprintf("and %s more: svc-verify events lists them", safetext.Count(out.More, "event")))
	}
	return p
}

func writeEvent(p *page.Page, e query.ShownEvent) {
	p.Heading(fmt.Sprintf("%s  event %d", columns.Cut(e.LogID, 56), e.Sequence))
	p.Pairs(page.Pair{"tenant", safetext.Quote(e.TenantID)}, page.Pair{"occurred at", e.OccurredAt})
	for i, c := range e.Copies {
		if len(e.Copies) > 1 {
			p.Heading(fmt.Sprintf("  copy %d", i))
		}
		writeCopy(p, c)
	}
	if e.MoreCopies > 0 {
		p.Prose(2, fmt.Sprintf("and %d more copies", e.MoreCopies))
	}
	if len(e.Differences) > 0 {
		p.Heading("  the copies differ")
	}
	for i, d := range e.Differences {
		if i == mostPlaces {
			p.Prose(4, fmt.Sprintf("and %d more places; --output json lists them", len(e.Differences)-i))
			break
		}
		p.Prose(4, "at "+columns.Cut(d.Pointer, 72))
		for k, v := range d.Values {
			p.Prose(6, fmt.Sprintf("copy %d: %s", k, valueText(v)))
		}
	}
	p.Heading("  findings of the newest walk")
	for _, f := range e.Findings {
		p.Lead(string(f.Severity), func() { p.Prose(4, fmt.Sprintf("%-8s  %s", f.Severity, f.Code)) })
	}
	if len(e.Findings) == 0 {
		p.Prose(4, "none")
	}
}

// valueText writes a value of a copy, without the middle of a long one.
func valueText(canonical string) string {
	const most = 64
	s := string(safetext.JSON([]byte(canonical)))
	switch {
	case s == "":
		return "nothing"
	case len(s) > most:
		return s[:most/2] + "…" + s[len(s)-most/2+1:]
	}
	return s
}

func writeCopy(p *page.Page, c query.Copy) {
	hash := "matches the content"
	if !c.Hash.Holds {
		hash = "does not match the content, whose hash is " + c.Hash.Computed
	}
	p.Pairs(page.Pair{"hash", c.Hash.Recorded}, page.Pair{"", hash},
		page.Pair{"previous", linkText(c.Previous)}, page.Pair{"skip", linkText(c.Skip)},
		page.Pair{"next", linkText(c.Next)}, page.Pair{"fidelity", c.Fidelity})
	for i, d := range c.Deliveries {
		if i == mostPlaces {
			p.Prose(2, fmt.Sprintf("and %d more deliveries; --output json lists them", len(c.Deliveries)-i))
			break
		}
		p.Prose(2, "delivered by "+d.Evidence.Text())
		for _, b := range d.Batches {
			p.Prose(4, fmt.Sprintf("batch %s (%s)", safetext.Quote(b.ID), safetext.Quote(b.Where)))
		}
		if d.ObservedAt != "" {
			p.Prose(4, "observed at "+d.ObservedAt)
		}
	}
	writeBody(p, c.Event)
}

func linkText(l query.LinkCheck) string {
	switch l.State {
	case query.LinkHolds:
		return fmt.Sprintf("event %d: the link holds", l.Sequence)
	case query.LinkDiffers:
		return fmt.Sprintf("event %d: the link does not hold: it names %s", l.Sequence, l.Hash)
	}
	if l.Hash == "" {
		return fmt.Sprintf("event %d is not in the case", l.Sequence)
	}
	return fmt.Sprintf("event %d is not in the case; by this link, its hash is %s", l.Sequence, l.Hash)
}

// writeBody writes an event, indented. A line that is too long goes on below,
// further to the right.
func writeBody(p *page.Page, event []byte) {
	const indent, deeper = 2, 4
	var b bytes.Buffer
	if err := json.Indent(&b, safetext.JSON(event), "", "  "); err != nil {
		return
	}
	for line := range strings.Lines(b.String()) {
		line = strings.Repeat(" ", indent) + strings.TrimSuffix(line, "\n")
		for len(line) > p.Columns() {
			fmt.Fprintln(p, line[:p.Columns()])
			line = strings.Repeat(" ", deeper) + line[p.Columns():]
		}
		fmt.Fprintln(p, line)
	}
}
