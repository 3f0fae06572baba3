package text

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Explained renders what is in one file, after another one or first.
func Explained(x *ingest.Explained, after bool) *page.Page {
	p := page.New()
	if after {
		p.WriteByte('\n')
	}
	p.Prose(0, safetext.Quote(x.Path))
	if x.Code != "" {
		p.Prose(2, fmt.Sprintf("not read: %s (%s)", safetext.Line(x.Detail), x.Code))
	}
	if x.Remark != "" {
		p.Prose(2, safetext.Line(x.Remark))
	}
	for _, c := range x.Containers {
		writeContainer(p, c, x.Path)
	}
	if x.Unlisted > 0 {
		p.Prose(2, fmt.Sprintf("and %d more like these in other containers", x.Unlisted))
	}
	return p
}

// writeContainer renders what a stream was recognised as, and what was found in it.
func writeContainer(p *page.Page, c *ingest.Container, file string) {
	if c.Path != "" {
		file = "" // a command does not reach into it
	}
	in := ""
	if c.Path != "" {
		in = "in " + safetext.Quote(c.Path) + ", "
	}
	for _, f := range c.Formats {
		p.Prose(2, fmt.Sprintf("%sread as %s: %s", in, safetext.Line(string(f.Format)), safetext.Line(f.Why)))
	}
	if len(c.Formats) == 0 && in != "" {
		p.Prose(2, strings.TrimSuffix(in, ", "))
	}
	for i := range c.Shown {
		writeShown(p, &c.Shown[i], file)
	}
	if c.Alike > 0 {
		p.Prose(4, fmt.Sprintf("and %d more like these", c.Alike))
	}
}

// writeShown renders one thing that was found: first what it is, then where, how and
// why.
func writeShown(p *page.Page, s *ingest.Shown, file string) {
	p.Prose(4, headOf(s))
	label := func(name, value string) {
		const column = 15
		if value != "" {
			fmt.Fprintf(p, "      %-9s%s\n", name, columns.Wrap(value, page.Width, column))
		}
	}
	at := fmt.Sprintf("offset %d, %s", s.Offset, safetext.Count(s.Length, "byte"))
	if s.Format != "" {
		at += ", by " + safetext.Line(string(s.Format))
	}
	if s.Fidelity != "" {
		at += ", " + s.Fidelity
	}
	label("at", at)
	label("within", safetext.Line(strings.Join(s.Wrapping, " > ")))
	for _, b := range s.Batches {
		label("batch", fmt.Sprintf("%s (%s)", safetext.Quote(b.ID), safetext.Quote(string(b.Where))))
	}
	label("exported", s.ExportedAt)
	label("observed", s.ObservedAt)
	fmt.Fprintf(p, "      begins   %s\n", s.Begins) // it fits, and its spaces stay
	label("code", s.Code)
	label("to read", commandFor(s.Help, file))
}

// FILE stands in a command for the name of a file; a plain one needs no quotes in
// any shell.
var (
	fileWord  = regexp.MustCompile(`\bFILE\b`)
	plainFile = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./-]*$`)
)

// commandFor returns a command for a file, if its name is a plain one.
func commandFor(command, file string) string {
	if !plainFile.MatchString(file) {
		return command
	}
	return fileWord.ReplaceAllLiteralString(command, file)
}

// headOf says what a thing is, or why it is none.
func headOf(s *ingest.Shown) string {
	switch {
	case s.Event != nil:
		return fmt.Sprintf("event %d of %s: %s, %s", s.Event.Sequence, safetext.Quote(s.Event.LogID),
			safetext.Quote(s.Event.Type), s.Event.OccurredAt)
	case s.What == ingest.NotRead:
		return "not read: " + safetext.Line(s.Detail)
	case s.What == ingest.OtherThing:
		return "no event: " + safetext.Line(s.Detail)
	case s.What == ingest.AnEnvelope:
		return "a signed statement"
	}
	return "a proof bundle"
}

// ExplainedSummary renders what was found in each file, a line for each.
func ExplainedSummary(all []ingest.Explained) *page.Page {
	const column = 37
	p := page.New()
	if len(all) == 0 {
		p.WriteString("there are no files\n")
		return p
	}
	p.WriteByte('\n')
	p.WriteString("  events  documents    other  not read  file\n")
	var sum ingest.Tally
	for _, x := range all {
		fmt.Fprintf(p, "%8d  %9d  %7d  %8d  %s\n", x.Events, x.Documents, x.Other, x.NotRead,
			columns.Cut(x.Path, page.Width-column-3))
		sum.Add(x.Tally)
	}
	if len(all) > 1 {
		fmt.Fprintf(p, "%8d  %9d  %7d  %8d  %s\n", sum.Events, sum.Documents, sum.Other, sum.NotRead,
			safetext.Count(len(all), "file"))
	}
	return p
}
