package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Explained returns the content of one file.
func Explained(x *ingest.Explained) *answer.Doc {
	d := &answer.Doc{Title: safetext.Quote(x.Path)}
	if x.Code != "" {
		d.Head = append(d.Head, answer.Paragraph("not read: ", x.Detail, " (", answer.Code(x.Code), ")"))
	}
	if x.Remark != "" {
		d.Head = append(d.Head, answer.Paragraph(x.Remark))
	}
	for _, c := range x.Containers {
		d.Head = append(d.Head, containerBlocks(c, x.Path)...)
	}
	if x.Unlisted > 0 {
		d.Head = append(d.Head, answer.Paragraph("and ", x.Unlisted, " more like these in other containers"))
	}
	if len(x.Levels) > 0 {
		d.AddFold("The answer for each byte, at each level", levelsTable(x))
	}
	return d
}

// levelsTable has a row for each range of each level, up to a number of them.
func levelsTable(x *ingest.Explained) answer.Table {
	t := answer.Table{Columns: answer.Columns("Level", "name", "From", "number", "Bytes", "number", "Answer", "",
		"Detail", "")}
	all := int64(0)
	for _, l := range x.Levels {
		level := any("the file")
		if l.Path != "" {
			level = answer.Name(l.Path)
		}
		for _, r := range l.Ranges {
			if all++; all <= answer.MostDetails {
				t.Rows = append(t.Rows, answer.Row(level, r.Offset, r.Length, r.Answer, safetext.Line(r.Detail)))
			}
		}
	}
	t.Left = leftOut(all-int64(len(t.Rows)), "ranges", "--output json")
	return t
}

// containerBlocks show the recognised format of a stream, and its content.
func containerBlocks(c *ingest.Container, file string) []answer.Block {
	var blocks []answer.Block
	in := answer.Text{}
	if c.Path != "" {
		file = "" // a command does not reach into it
		in = answer.Say("in ", answer.Name(c.Path))
	}
	for _, f := range c.Formats {
		read := answer.Say("read as ", f.Format, ": ", f.Why)
		if len(in) > 0 {
			read = answer.Say(in, ", ", read)
		}
		blocks = append(blocks, answer.Para(read))
	}
	if len(c.Formats) == 0 && len(in) > 0 {
		blocks = append(blocks, answer.Para(in))
	}
	for i := range c.Shown {
		blocks = append(blocks, shownCard(&c.Shown[i], file))
	}
	if c.Alike > 0 {
		blocks = append(blocks, answer.Paragraph("and ", c.Alike, " more like these"))
	}
	return blocks
}

// shownCard shows one item: first its kind, then where, how and why.
func shownCard(s *ingest.Shown, file string) answer.Card {
	at := fmt.Sprintf("offset %d, %s", s.Offset, safetext.Count(s.Length, "byte"))
	if s.Format != "" {
		at += ", by " + string(s.Format)
	}
	if s.Fidelity != "" {
		at += ", " + s.Fidelity
	}
	var batches answer.Cell
	for _, b := range s.Batches {
		batches = append(batches, answer.Say(answer.Name(b.ID), " (", answer.Name(b.Where), ")"))
	}
	return answer.Card{Class: "log", Heading: answer.Say(headOfShown(s)), Blocks: []answer.Block{answer.Pairs{
		answer.Value("at", at), answer.Value("within", strings.Join(s.Wrapping, " > ")), {Label: "batch", Value: batches},
		answer.Value("exported", s.ExportedAt), answer.Value("observed", s.ObservedAt), answer.Value("code", s.Code),
		answer.Value("to read", answer.Code(commandFor(s.Help, file)))}, answer.Verbatim{s.Begins}}}
}

// plainFile is a name that needs no quotes in any shell.
var plainFile = safetext.Pattern(`^[A-Za-z0-9_./][A-Za-z0-9_./-]*$`)

// commandFor returns a command for a file, if its name is a plain one.
func commandFor(command, file string) string {
	if !plainFile().MatchString(file) {
		return command
	}
	return strings.ReplaceAll(command, " FILE", " "+file)
}

// headOfShown describes a thing, or returns why it is none.
func headOfShown(s *ingest.Shown) string {
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

// ExplainedSummary returns the counts of each file, a row for each.
func ExplainedSummary(all []ingest.Explained) *answer.Doc {
	if len(all) == 0 {
		return &answer.Doc{Title: "there are no files"}
	}
	t := answer.Table{Columns: answer.Columns("File", "name", "Events", "number", "Documents", "number", "Other", "number",
		"Not read", "number")}
	var sum ingest.Tally
	for _, x := range all {
		t.Rows = append(t.Rows, tallyRow(answer.Name(x.Path), x.Tally))
		sum.Add(x.Tally)
	}
	if len(all) > 1 {
		t.Rows = append(t.Rows, tallyRow(safetext.Count(len(all), "file"), sum))
	}
	return &answer.Doc{Sections: []answer.Section{{Blocks: []answer.Block{t}}}}
}

func tallyRow(name any, n ingest.Tally) []answer.Cell {
	return answer.Row(name, n.Events, n.Documents, n.Other, n.NotRead)
}
