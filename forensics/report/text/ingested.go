package text

import (
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Ingested renders an ingest, with every source of the case or with a screenful.
func Ingested(in *query.Ingested, every bool) *page.Page {
	p := page.New()
	p.Heading("sources of the case")
	writeSources(p, in.Sources, every)
	for i, u := range in.Unread {
		if i == 0 {
			p.Heading("not read")
		}
		p.Prose(2, safetext.Quote(u.Path))
		p.Prose(4, u.Code+": "+safetext.Line(u.Detail))
	}
	p.Heading("this ingest")
	p.Pairs(page.Pair{"sources", fmt.Sprint(in.Completed)}, page.Pair{"known already", fmt.Sprint(in.Known)},
		page.Pair{"events", fmt.Sprint(in.Events)}, page.Pair{"documents", fmt.Sprint(in.Documents)},
		page.Pair{"skipped", fmt.Sprint(in.Skipped)})
	writeSame(p, in.Same)
	writeNotWhole(p, in.NotWhole)
	return p
}

// writeSame says why a path that was not given before counts as known already.
func writeSame(p *page.Page, all []query.SamePath) {
	for i, s := range all[:min(len(all), mostPaths)] {
		if i == 0 {
			p.Heading("known already")
		}
		p.Prose(2, safetext.Quote(s.Path)+": same content as "+safetext.Quote(s.As))
	}
	writeMorePaths(p, len(all))
}

// writeNotWhole says last what was not read, so that it is not missed.
func writeNotWhole(p *page.Page, all []query.NotWhole) {
	if len(all) == 0 {
		return
	}
	paths := map[string]bool{}
	for _, n := range all {
		paths[n.Path] = true
	}
	p.Heading(fmt.Sprintf("%s not read whole", safetext.Count(len(paths), "path")))
	for _, n := range all[:min(len(all), mostPaths)] {
		what := "not at all, or not to its end"
		if n.Spans > 0 {
			what = safetext.Count(n.Spans, "span")
		}
		p.Prose(2, fmt.Sprintf("%s: %s, %s", safetext.Quote(n.Path), what, n.Code))
	}
	writeMorePaths(p, len(all))
}

func writeMorePaths(p *page.Page, all int) {
	if more := all - mostPaths; more > 0 {
		p.Prose(2, fmt.Sprintf("and %d more: --output json lists all", more))
	}
}

// Received renders what a sink did for a case, whose name is quoted.
func Received(n query.Received, file string) *page.Page {
	p := page.New()
	p.Heading("received  " + file)
	p.Pairs(page.Pair{"requests", fmt.Sprint(n.Requests)}, page.Pair{"refused", fmt.Sprint(n.Refused)},
		page.Pair{"events", fmt.Sprint(n.Events)}, page.Pair{"skipped", fmt.Sprint(n.Skipped)},
		page.Pair{"rejected", fmt.Sprint(n.Rejected)})
	return p
}
