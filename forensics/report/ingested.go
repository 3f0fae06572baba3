package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostPaths bounds the paths of an ingest that are listed.
const mostPaths = 8

// Ingested returns the outcome of an ingest, and the sources of the case.
func Ingested(in *query.Ingested) *answer.Doc {
	d := &answer.Doc{}
	d.AddSections(answer.NewSection("", "This ingest", answer.Pairs{answer.Value("sources", in.Completed),
		answer.Value("known already", in.Known), answer.Value("events", in.Events),
		answer.Value("documents", in.Documents), answer.Value("skipped", in.Skipped)}),
		unreadSection(in.Unread), notWholeSection(in.NotWhole), filesSection(in.Sources), sameSection(in.Same))
	return d
}

// sameSection returns why a path that was not given before counts as known already.
func sameSection(all []ingest.Same) answer.Section {
	s := answer.Section{Heading: "Known already"}
	shown, left := answer.Cut(all, mostPaths)
	for _, same := range shown {
		s.Blocks = append(s.Blocks, answer.Paragraph(answer.Name(same.Path), ": same content as ",
			answer.Name(same.As)))
	}
	s.Blocks = append(s.Blocks, leftOut(left, "paths", "--output json"))
	return s
}

// notWholeSection returns the unread parts.
func notWholeSection(all []query.NotWhole) answer.Section {
	paths := map[string]bool{}
	for _, n := range all {
		paths[n.Path] = true
	}
	s := answer.Section{Heading: safetext.Count(len(paths), "path") + " not read whole"}
	shown, left := answer.Cut(all, mostPaths)
	for _, n := range shown {
		what := "not at all, or not to its end"
		if n.Spans > 0 {
			what = safetext.Count(n.Spans, "span")
		}
		s.Blocks = append(s.Blocks, answer.Paragraph(answer.Name(n.Path), fmt.Sprintf(": %s, %s", what, n.Code)))
	}
	s.Blocks = append(s.Blocks, leftOut(left, "paths", "--output json"))
	return s
}

// Received returns the outcome of a sink for a case, whose name is quoted.
func Received(n query.Received, file string) *answer.Doc {
	return &answer.Doc{Title: "received  " + file, Head: []answer.Block{answer.Pairs{
		answer.Value("requests", n.Requests), answer.Value("refused", n.Refused), answer.Value("events", n.Events),
		answer.Value("skipped", n.Skipped), answer.Value("rejected", n.Rejected)}}}
}
