package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/report/text"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func ingestCommand() *cliapp.Command {
	return &cliapp.Command{
		Name:    "ingest",
		Summary: "Read journals, exports and bundles into a case",
		Description: "Reads files, directories with all that is in them, and - for standard input. The format of each is recognised. " +
			"What was read before is not read again, and an interrupted ingest goes on where it ended when it is given again. " +
			"Nothing is judged here: svc-verify walk does that.",
		ExitCodes: []cliapp.ExitCode{
			{Code: exitVerified, Meaning: "an event or a document was found, now or when the same was read before"},
			{Code: exitInconclusive, Meaning: "there was none or, with --strict, something in the case was not read whole"},
		},
		Args: "PATH...",
		Flags: append([]cliapp.Flag{
			caseFlag(),
			{Name: "input-format", Choices: formatNames(), Value: "FORMAT", Usage: "What the files hold, where it is not recognised"},
			{Name: "batch-attribute", Kind: cliapp.List, Value: "NAME", Usage: "An attribute that holds batch ids, as a collector named it"},
			{Name: "by-reference", Kind: cliapp.Switch, Usage: "Leave the lines of journals where they are; the case then needs the files"},
			{Name: "strict", Kind: cliapp.Switch, Usage: "End without success when anything in the case was not read whole"},
			formFlag(), sourcesFlag(),
		}, progressFlags()...),
		Examples: []string{"svc-verify ingest --case case.db journals tenant.ndjson", "svc-verify ingest --case case.db --strict evidence"},
		Action:   ingestPaths,
	}
}

func formatNames() []string {
	var names []string
	for _, f := range read.Formats() {
		names = append(names, string(f))
	}
	return names
}

func ingestPaths(c *cliapp.Context) (code int, err error) {
	ctx, stop := interruptible()
	defer stop()
	m := newMeter(c, size)
	defer m.clear()
	w, err := casefile.OpenWrite(c.Text("case"), caseOptions(ctx, c.Stderr)...)
	if err != nil {
		return 0, caseFault(c, err)
	}
	sayStanding(c, w.Standing())
	defer func() {
		m.watch()
		if fault := w.Close(); fault != nil {
			err = errors.Join(err, caseFault(c, fault))
		}
	}()
	options := ingest.Options{ByReference: c.Switch("by-reference"), Stdin: c.Stdin,
		Read: read.Options{Format: read.Format(c.Text("input-format")), BatchAttributes: c.List("batch-attribute")}}
	sum, err := ingest.Paths(ctx, w, c.Args, options, func(p ingest.Progress) { m.show(done{p.Path, p.Read, p.Size, p.Events}) })
	m.clear()
	if errors.Is(err, context.Canceled) {
		return 0, fmt.Errorf("interrupted after %d events: the case is whole, and the same command goes on from there", sum.Events)
	}
	if err != nil {
		return 0, caseFault(c, err)
	}
	return writeIngest(c, w.Case, sum)
}

// ingested is the summary of an ingest. Sources are all that the case holds;
// the counts are of this ingest.
type ingested struct {
	Schema    string            `json:"schema"`
	Completed int64             `json:"completed"`
	Known     int64             `json:"known"`
	Same      []samePath        `json:"same_content"`
	Unread    []unreadPath      `json:"unread"`
	Events    int64             `json:"events"`
	Documents int64             `json:"documents"`
	Skipped   int64             `json:"skipped"`
	Sources   []walk.SourceFile `json:"sources"`
	NotWhole  []notWhole        `json:"not_whole"`
}

// samePath is a path that was given for the first time, and an earlier one with
// the same content.
type samePath struct {
	Path string `json:"path"`
	As   string `json:"as"`
}

// notWhole is a path of the case that was not read, or a source with spans that
// were not, under one code.
type notWhole struct {
	Path  string `json:"path"`
	Code  string `json:"code"`
	Spans int64  `json:"spans"` // 0: all of it
}

type unreadPath struct {
	Path   string `json:"path"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func writeIngest(c *cliapp.Context, in *casefile.Case, sum ingest.Summary) (int, error) {
	all, err := sourceFiles(in)
	if err != nil {
		return 0, err
	}
	out := ingested{Schema: "svc-verify/ingest/v1", Completed: sum.Sources, Known: sum.Known, Same: []samePath{}, Unread: []unreadPath{},
		Events: sum.Events, Documents: sum.Documents, Skipped: sum.Skipped, Sources: all}
	for _, s := range sum.Same {
		out.Same = append(out.Same, samePath(s))
	}
	unread, err := in.Unread(context.Background())
	if err != nil {
		return 0, err
	}
	for _, u := range unread {
		out.Unread = append(out.Unread, unreadPath(u))
	}
	if out.NotWhole, err = notReadWhole(in, unread); err != nil {
		return 0, err
	}
	code := exitInconclusive
	if sum.Events+sum.Documents > 0 || sum.Known > 0 && slices.ContainsFunc(all, holdsEvidence) {
		code = exitVerified
	}
	if c.Switch("strict") && len(out.NotWhole) > 0 {
		code = exitInconclusive
	}
	if c.Text("output") == "json" {
		return code, writeJSON(c.Stdout, out)
	}
	return code, out.write(c)
}

// notReadWhole returns what of a case was not read, by path and code. A span that
// leaves no verdict open hides nothing.
func notReadWhole(in *casefile.Case, unread []casefile.Unread) ([]notWhole, error) {
	all := []notWhole{}
	for _, u := range unread {
		all = append(all, notWhole{Path: u.Path, Code: u.Code})
	}
	sources, err := in.Sources(context.Background())
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for _, s := range sources {
		names[s.Number] = delivery.NameOf(s)
		if !s.Complete {
			all = append(all, notWhole{Path: names[s.Number], Code: string(finding.SourceTruncated)})
		}
	}
	type kind struct {
		source int64
		code   string
	}
	spans := map[kind]int64{}
	for skip, err := range in.Skips(context.Background()) {
		if err != nil {
			return nil, err
		}
		if entry, _ := finding.Lookup(finding.Code(skip.Code)); entry.Effect != finding.None {
			spans[kind{skip.Source, skip.Code}] += skip.Spans
		}
	}
	for k, n := range spans {
		all = append(all, notWhole{Path: names[k.source], Code: k.code, Spans: n})
	}
	slices.SortFunc(all, func(a, b notWhole) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Code, b.Code))
	})
	return all, nil
}

// holdsEvidence reports whether there was an event or a document in a source.
func holdsEvidence(s walk.SourceFile) bool { return s.Records > s.Skipped }

// sourceFiles returns the sources of a case by path.
func sourceFiles(in *casefile.Case) ([]walk.SourceFile, error) {
	sources, err := in.Sources(context.Background())
	all := []walk.SourceFile{}
	for _, s := range sources {
		name := "-"
		if len(s.Paths) > 0 {
			name = s.Paths[0]
		}
		all = append(all, walk.SourceFile{Path: name, SHA256: s.SHA256.String(), Format: s.Format, Records: s.Records, Events: s.Events, Skipped: s.Skipped})
	}
	slices.SortStableFunc(all, func(a, b walk.SourceFile) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}

func (in ingested) write(c *cliapp.Context) error {
	p := page.New()
	p.Heading("sources of the case")
	text.WriteSources(p, in.Sources, c.Switch("sources"))
	for i, u := range in.Unread {
		if i == 0 {
			p.Heading("not read")
		}
		p.Prose(2, safetext.Quote(u.Path))
		p.Prose(4, u.Code+": "+safetext.Line(u.Detail))
	}
	p.Heading("this ingest")
	p.Pairs(page.Pair{"sources", fmt.Sprint(in.Completed)}, page.Pair{"known already", fmt.Sprint(in.Known)},
		page.Pair{"events", fmt.Sprint(in.Events)}, page.Pair{"documents", fmt.Sprint(in.Documents)}, page.Pair{"skipped", fmt.Sprint(in.Skipped)})
	writeSame(p, in.Same)
	writeNotWhole(p, in.NotWhole)
	_, err := io.WriteString(c.Stdout, p.String())
	return err
}

// mostPaths bounds what is listed where people look; the JSON has all.
const mostPaths = 8

// writeSame says why a path that nobody gave before counts as known already.
func writeSame(p *page.Page, all []samePath) {
	for i, s := range all[:min(len(all), mostPaths)] {
		if i == 0 {
			p.Heading("known already")
		}
		p.Prose(2, safetext.Quote(s.Path)+": same content as "+safetext.Quote(s.As))
	}
	if more := len(all) - mostPaths; more > 0 {
		p.Prose(2, fmt.Sprintf("and %d more: --output json lists all", more))
	}
}

// writeNotWhole says last what was not read, since nothing else may be missed so
// easily.
func writeNotWhole(p *page.Page, all []notWhole) {
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
	if more := len(all) - mostPaths; more > 0 {
		p.Prose(2, fmt.Sprintf("and %d more: --output json lists all", more))
	}
}
