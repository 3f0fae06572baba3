package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Show returns events whole.
func Show(out *query.Shown, q Asked) *answer.Doc {
	d := withReason(headOf(out.Result, q.Name), out.Result.Why(), q)
	note := "No signature was verified here; svc-verify walk does that."
	if len(out.Events) == 0 {
		note = "There is no such event."
	}
	d.Head = append(d.Head, answer.Paragraph(note))
	for _, e := range out.Events {
		d.AddSections(eventSection(e))
	}
	if out.More > 0 {
		d.Foot = []answer.Block{answer.Paragraph("and ", safetext.Count(out.More, "more event"),
			": svc-verify show events lists them")}
	}
	return d
}

// eventSection shows an event with each of its copies, and where these differ.
func eventSection(e query.ShownEvent) answer.Section {
	about := answer.Pairs{answer.Value("tenant", answer.Name(e.TenantID)), answer.Value("occurred at", e.OccurredAt)}
	if len(e.Notes) > 0 {
		about = append(about, answer.Pair{Label: "notes", Value: notesCell(e.Notes)})
	}
	s := answer.Section{Heading: fmt.Sprintf("%s  event %d", columns.Cut(e.LogID, 56), e.Sequence),
		Blocks: []answer.Block{about}}
	for i, c := range e.Copies {
		heading := "copy"
		if len(e.Copies) > 1 {
			heading = fmt.Sprintf("copy %d", i)
		}
		s.Blocks = append(s.Blocks, copyCard(c, heading))
	}
	if e.MoreCopies > 0 {
		s.Blocks = append(s.Blocks, answer.Paragraph("and ", e.MoreCopies, " more copies"))
	}
	if len(e.Differences) > 0 {
		s.Blocks = append(s.Blocks, differencesCard(e))
	}
	var found answer.List
	for _, f := range e.Findings {
		found = append(found, answer.Item{Text: answer.Say(strongSpan(f.Severity), "  ", answer.Code(f.Code))})
	}
	if len(found) == 0 {
		found = answer.List{{Text: answer.Say("none")}}
	}
	s.Blocks = append(s.Blocks,
		answer.Card{Class: "finding", Heading: answer.Say("findings of the newest walk"), Blocks: []answer.Block{found}})
	return s
}

// differencesCard shows the first places where the copies of an event differ.
func differencesCard(e query.ShownEvent) answer.Card {
	card := answer.Card{Class: "finding", Heading: answer.Say("the copies differ")}
	shown, left := answer.Cut(e.Differences, answer.MostPlaces)
	var places answer.List
	for _, d := range shown {
		item := answer.Item{Text: answer.Say("at ", answer.Code(columns.Cut(d.Pointer, 72)))}
		for k, v := range d.Values {
			item.Below = append(item.Below, answer.Say("copy ", k, ": ", valueText(v)))
		}
		places = append(places, item)
	}
	card.Blocks = []answer.Block{places, leftOut(left, "places", "--output json")}
	return card
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

// copyCard shows a copy: the results of its checks, how it was delivered, and its bytes.
func copyCard(c query.Copy, heading string) answer.Card {
	hash := answer.Cell{answer.Say(answer.Code(c.Hash.Recorded)), answer.Say("matches the content")}
	if !c.Hash.Holds {
		hash[1] = answer.Say("does not match the content, whose hash is ", answer.Code(c.Hash.Computed))
	}
	card := answer.Card{Class: "log", Heading: answer.Say(heading), Blocks: []answer.Block{answer.Pairs{
		{Label: "hash", Value: hash}, answer.Value("previous", linkText(c.Previous)), answer.Value("skip", linkText(c.Skip)),
		answer.Value("next", linkText(c.Next)), answer.Value("fidelity", c.Fidelity)}}}
	shown, left := answer.Cut(c.Deliveries, answer.MostPlaces)
	var list answer.List
	for _, d := range shown {
		item := answer.Item{Text: answer.Say("delivered by ", d.Evidence.Text())}
		for _, b := range d.Batches {
			item.Below = append(item.Below, answer.Say("batch ", answer.Name(b.ID), " (", answer.Name(b.Where), ")"))
		}
		if d.ObservedAt != "" {
			item.Below = append(item.Below, answer.Say("observed at ", d.ObservedAt))
		}
		list = append(list, item)
	}
	card.Blocks = append(card.Blocks, list, leftOut(left, "deliveries", "--output json"))
	var b bytes.Buffer
	if err := json.Indent(&b, safetext.JSON(c.Event), "", "  "); err == nil {
		card.Blocks = append(card.Blocks, answer.Verbatim(strings.Split(b.String(), "\n")))
	}
	return card
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
