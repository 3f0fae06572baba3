package text

import (
	"cmp"
	"strconv"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/text"
)

// History shows a report: the answers, the versions with what each changed, what was
// pinned, and what is not proven.
func History(r *history.Report) *answer.Doc {
	d := startAnswer(r.Verdict, "a history of "+safetext.Count(r.Entries, "version"), "every entry holds", nil,
		r.NotExamined)
	addReasons(d, r.Findings, inJSON.Left(0, "findings"), func(f *history.Finding) (finding.Code, answer.Block) {
		return f.Code, text.FindingCard(cmp.Or(f.Path, "the history"), finding.InDocument(*f))
	})
	inForce := ""
	if r.InForce > 0 {
		inForce = "version " + strconv.FormatInt(r.InForce, 10)
	}
	pairs := answer.Pairs{answer.Value("in force", inForce), answer.Value("newest", answer.Code(r.Newest))}
	if len(r.Recorded) > 0 {
		pairs = append(pairs, answer.Value("trust file", "is version ", answer.NameList(r.Recorded)))
	}
	d.Head = append(d.Head, pairs)
	var versions []answer.Block
	shown, more := answer.Cut(r.Versions, answer.MostRows)
	for _, v := range shown {
		versions = append(versions, versionCard(v))
	}
	d.Sections = []answer.Section{{Blocks: append(versions, inJSON.Left(more, "versions"))},
		{Blocks: []answer.Block{pinnedTable(r)}}, {Heading: "Not proved", Blocks: []answer.Block{answer.Bullets("",
			r.Limitations)}}}
	return d
}

// versionCard shows a version, who put it in force, and what it changed.
func versionCard(v history.Recorded) answer.Card {
	until := ""
	if v.Until != "" {
		until = " until " + v.Until
	}
	var changes answer.Cell
	switch {
	case !v.Kept:
		changes = answer.Cell{answer.Say("not known: the trust file is not kept")}
	case v.Changes == nil && v.Number > 1:
		changes = answer.Cell{answer.Say("not known: the file before it is not kept")}
	case v.Changes != nil:
		lines, more := answer.Cut(changedLines(v.Changes), answer.MostOnScreen)
		changes = append(lines, answer.Say(inJSON.Left(more, "changes").Sentence()))
	}
	return answer.Card{Class: "log", Heading: answer.Say("version ", v.Number, "  from ", v.From, until),
		Blocks: []answer.Block{answer.Pairs{answer.Value("by", answer.Name(v.By), ", signed by ", answer.Name(v.Signer)),
			answer.Value("because", answer.Name(v.Reason)), answer.Value("sha256", answer.Code(v.TrustSHA256)),
			{Label: "changes", Value: changes}}}}
}

// pinnedTable lists the keys and registries with the versions that pinned them.
func pinnedTable(r *history.Report) answer.Table {
	t := answer.Table{Columns: answer.Columns("Pinned from", "", "Until", "", "In", "number", "Out", "number", "Role",
		"", "ID", "name")}
	shown, more := answer.Cut(r.Keys, answer.MostRows)
	for _, k := range shown {
		until, by := "", ""
		if k.Until != "" {
			until, by = dayOf(k.Until), strconv.FormatInt(k.TakenIn, 10)
		}
		t.Rows = append(t.Rows, answer.Row(dayOf(k.From), until, k.PutIn, by, k.Role, answer.Name(k.ID)))
	}
	t.Left = inJSON.Left(more, "keys")
	return t
}

// dayOf is the date of a time.
func dayOf(at string) string { return at[:min(len(at), len("2006-01-02"))] }
