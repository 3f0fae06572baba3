package text

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Part renders what a part holds, with every source and log or with a screenful. The
// part's file is quoted.
func Part(d *part.Description, file string, every bool) *page.Page {
	p := page.New()
	p.Heading("part  " + file)
	p.Prose(2, "This is what the part says. It is no verdict: svc-verify conclude gives one.")
	plan := "none: it was made without a plan"
	if d.PlanSHA256 != "" {
		plan = d.PlanSHA256
	}
	p.Pairs(page.Pair{"form", d.Form}, page.Pair{"octets", fmt.Sprint(d.Octets)}, page.Pair{"sha256", d.SHA256},
		page.Pair{"MAC", macs[d.MAC]}, page.Pair{"rules", safetext.Line(d.Rules)},
		page.Pair{"reading", safetext.Line(d.Reading)}, page.Pair{"trust file", d.TrustSHA256}, page.Pair{"plan", plan})
	p.Heading("records")
	p.Pairs(page.Pair{"copies of events", fmt.Sprint(d.Totals.Copies)},
		page.Pair{"arrivals", fmt.Sprint(d.Totals.Arrivals)},
		page.Pair{"statements", fmt.Sprint(d.Totals.Statements)}, page.Pair{"batches", fmt.Sprint(d.Totals.Batches)},
		page.Pair{"documents", fmt.Sprint(d.Totals.Documents) + named(d.Documents)},
		page.Pair{"skipped", fmt.Sprint(d.Totals.Skips) + named(d.Skips)})
	writeRanges(p, d.Sources, every)
	writeLogsOf(p, d.Logs, every)
	for i, u := range d.Unread {
		if i == 0 {
			p.Heading("not read")
		}
		p.Prose(2, safetext.Line(u.Path))
		p.Prose(4, safetext.Line(u.Code+": "+u.Detail))
	}
	return p
}

// macs are what is said of the MAC of a part.
var macs = map[part.MAC]string{
	part.NoMAC:        "none: anyone can have made this part",
	part.MACUnchecked: "not checked: --part-key checks it",
	part.MACHolds:     "holds under the part key",
}

// named lists counts by name, in brackets.
func named(all []part.Counted) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, fmt.Sprintf("%s %d", safetext.Line(c.Name), c.Count))
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

func writeRanges(p *page.Page, all []part.DescribedSource, every bool) {
	p.Heading(safetext.Count(len(all), "range") + " of sources")
	for i, s := range all {
		if more(p, i, len(all), every) {
			return
		}
		name := "the standard input, or a source without a path"
		if len(s.Paths) > 0 {
			name = s.Paths[0]
		}
		p.Prose(2, safetext.Line(name))
		what := fmt.Sprintf("all of %s", safetext.Count(int(s.Size), "octet"))
		if s.From > 0 || s.To < s.Size {
			what = fmt.Sprintf("octets %d to %d of %d", s.From, s.To, s.Size)
		}
		if !s.Complete {
			what += ", not read to the end"
		}
		format := s.Format
		if format == "" {
			format = "no known format"
		}
		p.Prose(4, fmt.Sprintf("%s; %s: %s, %s, %d skipped", what, safetext.Line(format),
			safetext.Count(int(s.Events), "event"), safetext.Count(int(s.Documents), "document"), s.Skips))
	}
}

func writeLogsOf(p *page.Page, all []part.DescribedLog, every bool) {
	p.Heading(safetext.Count(len(all), "log"))
	for i, l := range all {
		if more(p, i, len(all), every) {
			return
		}
		p.Prose(2, safetext.Line(l.TenantID+" "+l.LogID))
		p.Prose(4, fmt.Sprintf("events %d to %d: %s, %s, %s", l.First, l.Last, copies(l.Copies),
			safetext.Count(int(l.Arrivals), "arrival"), safetext.Count(int(l.Statements), "statement")))
	}
}

func copies(n int64) string {
	if n == 1 {
		return "1 copy"
	}
	return fmt.Sprintf("%d copies", n)
}

// more says how many are left out behind a screenful, if some are.
func more(p *page.Page, i, all int, every bool) bool {
	if every || i < mostSources || all <= mostSources+1 {
		return false
	}
	p.Prose(2, fmt.Sprintf("and %d more: --sources shows all", all-i))
	return true
}
