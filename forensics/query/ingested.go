package query

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
)

// Ingested is the result of an ingest, and the content of the case after it. Sources, Unread
// and NotWhole are about the whole case; the counts are of this ingest.
type Ingested struct {
	Schema    string            `json:"schema"`
	Completed int64             `json:"completed"`
	Known     int64             `json:"known"`
	Same      []ingest.Same     `json:"same_content"`
	Unread    []facts.Unread    `json:"unread"`
	Events    int64             `json:"events"`
	Documents int64             `json:"documents"`
	Skipped   int64             `json:"skipped"`
	Sources   []walk.SourceFile `json:"sources"`
	NotWhole  []NotWhole        `json:"not_whole"`
}

// IngestedSchema names the JSON form of an [Ingested].
const IngestedSchema = "svc-verify/ingest/v1"

// NotWhole is a path of the case that was not read, or a source with spans that
// were not, under one code.
type NotWhole struct {
	Path  string `json:"path"`
	Code  string `json:"code"`
	Spans int64  `json:"spans"` // 0: all of it
}

// Outcome returns the outcome of an ingest, from its summary and the case after it.
func Outcome(ctx context.Context, c *store.Case, sum ingest.Summary) (*Ingested, error) {
	unread, err := c.Unread(ctx)
	if err != nil {
		return nil, err
	}
	out := &Ingested{Schema: IngestedSchema, Completed: sum.Sources, Known: sum.Known, Same: sum.Same, Unread: unread,
		Events: sum.Events, Documents: sum.Documents, Skipped: sum.Skipped}
	for _, u := range unread {
		out.NotWhole = append(out.NotWhole, NotWhole{Path: u.Path, Code: u.Code})
	}
	sources, err := c.Sources(ctx)
	if err != nil {
		return nil, err
	}
	out.Sources = sourceFiles(sources)
	return out, out.addNotWhole(ctx, c, sources)
}

// Found reports whether the given files contained an event or a document, now or when the same
// content was read before.
func (in *Ingested) Found() bool {
	return in.Events+in.Documents > 0 || in.Known > 0 && slices.ContainsFunc(in.Sources, func(s walk.SourceFile) bool {
		return s.Records > s.Skipped
	})
}

// addNotWhole adds the sources that were not read whole, and sorts all. Skipped
// spans that are understood hide nothing and do not count.
func (in *Ingested) addNotWhole(ctx context.Context, c *store.Case, sources []facts.Source) error {
	names := map[int64]string{}
	for _, s := range sources {
		names[s.Number] = delivery.NameOf(s)
		if !s.Complete {
			in.NotWhole = append(in.NotWhole, NotWhole{Path: names[s.Number], Code: string(finding.SourceTruncated)})
		}
	}
	type kind struct {
		source int64
		code   string
	}
	spans := map[kind]int64{}
	for skip, err := range c.Skips(ctx) {
		if err != nil {
			return err
		}
		if finding.Code(skip.Code).Entry().IsUnread() {
			spans[kind{skip.Source, skip.Code}] += skip.Spans
		}
	}
	for k, n := range spans {
		in.NotWhole = append(in.NotWhole, NotWhole{Path: names[k.source], Code: k.code, Spans: n})
	}
	slices.SortFunc(in.NotWhole, func(a, b NotWhole) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Code, b.Code))
	})
	return nil
}

// sourceFiles returns sources by path.
func sourceFiles(sources []facts.Source) []walk.SourceFile {
	var all []walk.SourceFile
	for _, s := range sources {
		all = append(all, walk.SourceFile{Path: delivery.NameOf(s), SHA256: s.SHA256.String(), Format: s.Format,
			Records: s.Records, Events: s.Events, Skipped: s.Skipped})
	}
	slices.SortStableFunc(all, func(a, b walk.SourceFile) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Received is the outcome of a sink of log records for a case.
type Received struct {
	Schema   string `json:"schema"`
	Requests int64  `json:"requests"` // that were acknowledged
	Refused  int64  `json:"refused"`  // that were not
	Events   int64  `json:"events"`   // deliveries of events
	Skipped  int64  `json:"skipped"`  // log records that are no events
	Rejected int64  `json:"rejected"` // of these, records with only the beginning kept
}

// ReceivedSchema names the JSON form of a [Received].
const ReceivedSchema = "svc-verify/receive/v1"
