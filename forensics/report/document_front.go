package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// incidentsSection shows the incidents, the gravest first.
func incidentsSection(r *Report) answer.Section {
	shown, left := answer.Cut(r.Incidents, answer.MostDetails)
	var blocks []answer.Block
	for i, one := range shown {
		var touched answer.Pair
		if i < len(r.Affected) {
			one.Transactions.Count, touched = 0, answer.Value("touches", reachedText(r.Affected[i]))
		}
		card := incidentCard(one, full, candidateLines(one.Candidates))
		card.ID = fmt.Sprintf("incident-%d", i+1)
		pairs, _ := card.Blocks[0].(answer.Pairs)
		card.Blocks[0] = append(pairs, touched, answer.Value("next", r.named.stepText(one.Next)))
		blocks = append(blocks, card)
	}
	return answer.NewSection("incidents", "What happened", append(blocks, leftOut(left, "incidents", wholeReport))...)
}

// candidateLines names each candidate with the facts for and against it.
func candidateLines(all []cause.Candidate) answer.Cell {
	var lines answer.Cell
	for _, c := range all {
		lines = append(lines, answer.Say(answer.Strong(c.Who, "")))
		for _, i := range append(answer.Bullets("for: ", c.For), answer.Bullets("against: ", c.Against)...) {
			lines = append(lines, i.Text)
		}
	}
	return lines
}

// timeSection is the picture of all logs over time.
func (w *writer) timeSection() answer.Section {
	p := newTimePicture(w.r)
	if p == nil {
		return answer.Section{}
	}
	note := "Events are at the times of their logs' own clocks, which their owners set. Anchors are at the times " +
		"that their signers name."
	if w.r.Period.Outside > 0 {
		note += fmt.Sprintf(" %s dated far outside are not drawn.", safetext.Count(w.r.Period.Outside, "event"))
	}
	if p.Left > 0 {
		note += fmt.Sprintf(" %s have no row, %d of them not faultless.", safetext.Count(p.Left, "more log"),
			p.LeftFaulty)
	}
	return answer.NewSection("time", "Over time", w.drawn("picture", "time", p, p.Words...),
		w.drawn("", "time-legend", p), answer.Remark(note))
}

// placesSection is the picture of the stores.
func (w *writer) placesSection() answer.Section {
	p := newStorePicture(w.r)
	if p == nil {
		return answer.Section{}
	}
	return answer.NewSection("copies", "Where the copies are", w.drawn("picture", "stores", p, p.Words...),
		w.drawn("", "stores-legend", p), leftOut(p.Left, "rows", wholeReport))
}

// repeatSection shows how to make the report again.
func repeatSection(r *Report) answer.Section {
	var commands answer.Verbatim
	for _, c := range r.Reproduce {
		commands = append(commands, c)
	}
	files := answer.Say(safetext.Count(len(r.Sources), "file")+", the SHA-256 of each under ",
		answer.Span{Text: "Sources", Link: "sources"})
	return answer.NewSection("repeat", "How to repeat it", commands, answer.Pairs{
		answer.Value("Made by", r.Tool), answer.Value("Trust file, SHA-256", answer.Code(r.TrustSHA256)),
		answer.Value("Evidence", files)},
		answer.Remark("The same files and trust file give the same answer. Compare the digest of the "+
			"trust file with the person who keeps it."))
}
