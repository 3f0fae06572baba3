package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

func (w *writer) logsSection(logs []Log, left int64) answer.Section {
	blocks := endRemarks(w.r)
	for i, l := range logs {
		blocks = append(blocks, w.logCard(i, l))
	}
	return answer.Section{ID: "logs", Heading: "Contents of each log",
		Blocks: append(blocks, leftOut(left, "logs", wholeWalk))}
}

// endRemarks are about the ends of logs.
func endRemarks(r *Report) (remarks []answer.Block) {
	for _, e := range r.Ends {
		remarks = append(remarks, answer.Remark(e.Sentence))
	}
	return remarks
}

// logCard shows a log: the reason for its verdict, its present events, and its missing ones.
func (w *writer) logCard(i int, l Log) answer.Card {
	card := answer.Card{ID: fmt.Sprintf("log-%d", i), Class: "log", Heading: answer.Say(answer.Name(l.LogID), " ",
		answer.Span{Text: answer.VerdictWord(l.Verdict), Style: answer.Tagged, Tone: answer.ToneOf(l.Verdict)})}
	said := func(label string, a Answer) answer.Pair {
		return answer.Value(label, strongSpan(a.Word), ". ", a.Sentence)
	}
	tenant := answer.Say("none")
	if l.TenantID != "" {
		tenant = answer.Say(answer.Name(l.TenantID))
	}
	if l.reason != nil {
		card.Blocks = append(card.Blocks, reasonText(l.reason))
	}
	pairs := answer.Pairs{said("Integrity", l.Integrity), said("Completeness", l.Completeness),
		answer.Value("Tenant", tenant),
		answer.Value("Here", l.stretchNames()), answer.Value("Given", givenTexts[l.Collected])}
	if l.SinceSequence > 0 {
		pairs = append(pairs, answer.Value("Walked from", "after event ", l.SinceSequence, ", where the last walk ended"))
	}
	if l.FirstTime != "" {
		pairs = append(pairs, answer.Value("Times of events", l.FirstTime, " to ", l.LastTime))
	}
	card.Blocks = append(card.Blocks, append(pairs, answer.Pair{Label: "Findings", Value: w.findingsOf(l)}))
	for _, f := range l.Forks {
		card.Blocks = append(card.Blocks, answer.Paragraph("Fork at ", rangeText(f.Sequence, f.Sequence),
			". Which is genuine: ", f.Naming, "."), f.branchPairs())
	}
	card.Blocks = append(card.Blocks,
		leftOut(l.MoreForks, "forks", allFindings+" --code chain.fork --log "+safetext.Quote(l.LogID)))
	for _, g := range groupedGaps(l.Gaps) {
		card.Blocks = append(card.Blocks, g.asBlock())
	}
	card.Blocks = append(card.Blocks,
		leftOut(l.MoreGaps, "gaps", "svc-verify show gaps CASE --log "+safetext.Quote(l.LogID)))
	return card
}

// stretchNames names the first stretches of events that are here.
func (l Log) stretchNames() string {
	shown, left := answer.Cut(l.Presence.Stretches, answer.MostPlaces)
	var here []string
	for _, s := range shown {
		here = append(here, rangeText(s.First, s.Last))
	}
	if left += int64(l.Presence.More); left > 0 {
		here = append(here, fmt.Sprintf("and %s more stretches", formatNumber(left)))
	}
	switch {
	case len(here) > 0:
		return strings.Join(here, ", ")
	case l.Events > 0: // the case was not read
		return fmt.Sprintf("%s, from %d to %d", safetext.Count(l.Events, "event"), l.FirstSequence, l.LastSequence)
	}
	return "no event"
}

// findingsOf links to the findings about a log.
func (w *writer) findingsOf(l Log) answer.Cell {
	var all answer.Cell
	groups := groupsOf(w.groups, l.Log())
	for _, g := range shownGroups(groups) {
		link := answer.Code(g.Code)
		link.Link = g.id()
		all = append(all, answer.Say(link, " ", g.Where()))
	}
	if left := moreGroups(groups, " --log "+safetext.Quote(l.LogID)); left.N > 0 {
		all = append(all, answer.Say(answer.Aside(left.Sentence())))
	}
	return all
}

// branchPairs are the two histories after a fork.
func (f Fork) branchPairs() answer.Pairs {
	var all answer.Pairs
	for i, b := range f.Branches {
		t := answer.Say(safetext.Count(b.Events, "event"), " from ", answer.Code(b.Hash), " on")
		if b.KeyID != "" {
			t = answer.Say(t, ", signed by key ", answer.Name(b.KeyID))
		}
		if b.Type != "" {
			t = answer.Say(t, "; its first is ", answer.Name(b.Type), " of ", b.OccurredAt)
		}
		if len(b.Sources) > 0 {
			t = answer.Say(t, ". Held by ", answer.NameList(b.Sources, answer.MostPlaces))
		}
		all = append(all, answer.Value("Branch "+string(rune('A'+i)), t, "."))
	}
	return all
}

// asBlock is the gaps with their hypotheses, which are folded.
func (g gapGroup) asBlock() answer.Block {
	where := answer.Say("Missing: ", g.Where)
	if len(g.Hypotheses) == 0 {
		return answer.Para(where)
	}
	var all answer.List
	for _, h := range g.Hypotheses {
		all = append(all, hypothesisItem(h))
	}
	return answer.Fold{Summary: where, Blocks: []answer.Block{all}}
}

func hypothesisItem(h gap.Hypothesis) answer.Item {
	item := answer.Item{Text: answer.Say(h.Title)}
	for _, i := range append(answer.Bullets("for it: ", h.For), answer.Bullets("against it: ", h.Against)...) {
		item.Below = append(item.Below, i.Text)
	}
	if len(item.Below) == 0 {
		item.Text = answer.Say(item.Text, answer.Aside(" (nothing in the case speaks for or against it)"))
	}
	return item
}

func (w *writer) deliveriesSection() answer.Section {
	d := w.r.Deliveries
	pairs := answer.Pairs{}
	if n := len(d.Buckets); n > 0 {
		clock := "by the clocks of the collectors that observed them"
		if d.Clock == Occurred {
			clock = "by the clocks of those who wrote them, as no collector noted one"
		}
		pairs = append(pairs, answer.Value("Times", form.ClockRange(timeOf(d.Buckets[0].StartMS),
			timeOf(d.Buckets[n-1].StartMS+d.BucketMS)), ", ", clock), answer.Value("Far outside, or without a time",
			d.Outside, ", ", d.Untimed))
	}
	pairs = append(pairs, answer.Value("First deliveries", d.Events),
		answer.Value("Delivered again", d.Redelivered,
			", which is no fault: delivery is at least once, and exports overlap"),
		batchesPair("Export batches", w.r.Batches))
	return answer.NewSection("deliveries", "When it was delivered", pairs)
}

// batchesPair counts the export batches.
func batchesPair(label string, b walk.Batches) answer.Pair {
	return answer.Value(label, b.Distinct, " ids; ", b.Redelivered, " delivered again, ", b.Conflicting,
		" with differing content, ", b.Absent, " events without an id")
}

// findingsSection returns the findings, the lowest severity in a fold.
func findingsSection(groups []*group) answer.Section {
	var blocks, folded []answer.Block
	infos := 0
	for _, g := range shownGroups(groups) {
		if g.Severity == finding.Info {
			folded, infos = append(folded, g.asCard()), infos+g.Count
			continue
		}
		blocks = append(blocks, g.asCard())
	}
	if infos > 0 {
		blocks = append(blocks, answer.Fold{Summary: answer.Say(finding.Info, ": ", infos), Blocks: folded})
	}
	if len(blocks) == 0 {
		blocks = append(blocks, answer.Paragraph("None."))
	}
	return answer.NewSection("findings", "Findings", append(blocks, moreGroups(groups, ""))...)
}

// asCard is a group as people read it.
func (g *group) asCard() answer.Card {
	heading := answer.Say(strongSpan(g.Severity), " ", answer.Code(g.Code))
	if g.Log.LogID != "" {
		heading = answer.Say(heading, " ", answer.Name(g.Log.LogID))
	}
	if g.Count > 1 {
		heading = answer.Say(heading, " ", answer.Aside(formatNumber(g.Count)+" findings"))
	}
	card := answer.Card{ID: g.id(), Class: "finding " + string(g.Severity), Heading: heading}
	ofAll := answer.Pairs{{Label: "Perhaps", Value: answer.Lines(g.Explanations)},
		answer.Value("Next", g.Next)}
	for _, f := range g.Findings {
		pairs := g.detailPairs(f)
		if g.Count == 1 {
			pairs, ofAll = append(pairs, ofAll...), nil
		}
		card.Blocks = append(card.Blocks, answer.Paragraph(f.Lead()), pairs)
	}
	card.Blocks = append(card.Blocks, g.More(), ofAll)
	return card
}

// detailPairs are the details of a finding. Explanations of the whole group are omitted.
func (g *group) detailPairs(f finding.Finding) answer.Pairs {
	all := slices.SortedFunc(slices.Values(f.Evidence), finding.CompareEvidence)
	shown, left := answer.Cut(all, answer.MostPlaces)
	var places answer.Cell
	for _, e := range shown {
		places = append(places, answer.Say(answer.Code(e.Text())))
	}
	places = append(places, answer.Say(leftOut(left, "places", g.asked.commandFor(wholeReport)).Sentence()))
	own := slices.DeleteFunc(slices.Clone(f.Explanations),
		func(e string) bool { return slices.Contains(g.Explanations, e) })
	return answer.Pairs{answer.Value("Expected", answer.Code(f.Expected)), answer.Value("Found", answer.Code(f.Found)),
		{Label: "Where", Value: places}, {Label: "Perhaps", Value: answer.Lines(own)}}
}

func sourcesSection(all []Source) answer.Section {
	shown, left := answer.Cut(all, answer.MostRows)
	t := answer.Table{Left: leftOut(left, "sources", wholeReport), Columns: answer.Columns("Source and SHA-256", "",
		"Format", "format", "Events", "number", "First", "number", "Again", "number", "Not read", "number")}
	for _, s := range shown {
		var lines answer.Cell
		for _, p := range s.Paths {
			lines = append(lines, answer.Say(answer.Name(p)))
		}
		lines = append(lines, answer.Say(answer.Code(s.SHA256)))
		if !s.Complete {
			lines = append(lines, answer.Say(answer.Span{Text: "not ingested to its end", Style: answer.Toned,
				Tone: answer.Warn}))
		}
		t.Rows = append(t.Rows, answer.Row(lines, s.Format, s.Events, s.First, s.Redelivered, s.Skipped))
	}
	return answer.NewSection("sources", "Sources", t)
}

// noteSections returns the limits of the examination.
func (w *writer) noteSections() []answer.Section {
	var open answer.List
	var limits []string
	for _, n := range w.r.NotExamined {
		below := answer.Lines(n.Items)
		if n.More > 0 {
			below = append(below, answer.Say(leftOut(n.More, "", wholeReport).Sentence()))
		}
		open = append(open, answer.Item{Text: answer.Say(n.Text), Below: below})
	}
	if len(open) == 0 {
		open = answer.List{{Text: answer.Say("Everything that the case holds was examined.")}}
	}
	for _, n := range w.r.Limitations {
		limits = append(limits, n.Text)
	}
	return []answer.Section{
		{ID: "not-examined", Heading: "What was not examined", Blocks: []answer.Block{open}},
		{ID: "limitations", Heading: "What this report does not prove",
			Blocks: []answer.Block{answer.Bullets("", limits)}},
	}
}
