package text

import (
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// History shows a report: the answers, the versions with what each changed, what was
// pinned, and what is not proven.
func History(r *history.Report) *answer.Doc {
	d := startAnswer(r.Verdict, "a history of "+safetext.Count(r.Entries, "version"), "every entry holds", nil,
		r.NotExamined)
	addReasons(d, r.Findings, inJSON.Left(0, "findings"))
	inForce := ""
	if r.InForce > 0 {
		inForce = "version " + strconv.FormatInt(r.InForce, 10)
	}
	pairs := answer.Pairs{answer.Value("in force", inForce), answer.Value("newest", answer.Code(r.Newest))}
	if len(r.Recorded) > 0 {
		pairs = append(pairs, answer.Value("trust file", "is version ", answer.NameList(r.Recorded, answer.MostOnScreen)))
	}
	d.Head = append(d.Head, pairs)
	versions := slices.Clone(r.Versions)
	slices.Reverse(versions)
	d.AddSections(answer.Section{Blocks: answer.FirstBlocks(versions, inJSON.Left(0, "versions"), versionCard)})
	d.AddFold("Changes of each version", answer.FirstBlocks(versions, inJSON.Left(0, "versions"), changesCard)...)
	d.AddFold(safetext.Count(len(r.Keys), "key")+" and registries", pinnedTable(r))
	d.AddFold("Limits of this answer", answer.Bullets("", r.Limitations))
	return d
}

// versionCard shows a version, and who put it in force.
func versionCard(v *history.Recorded) answer.Block {
	until := ""
	if v.Until != "" {
		until = " until " + v.Until
	}
	return answer.Card{Class: "log", Heading: answer.Say("version ", v.Number, "  from ", v.From, until),
		Blocks: []answer.Block{answer.Pairs{answer.Value("by", answer.Name(v.By), ", signed by ", answer.Name(v.Signer)),
			answer.Value("because", answer.Name(v.Reason)), answer.Value("sha256", answer.Code(v.TrustSHA256))}}}
}

// changesCard shows the changes of a version.
func changesCard(v *history.Recorded) answer.Block {
	card := answer.Card{Class: "log", Heading: answer.Say("version ", v.Number)}
	switch {
	case v.Changes != nil:
		card.Blocks = []answer.Block{changesTable(v.Changes)}
	case !v.Kept || v.Number > 1:
		card.Heading = answer.Say(card.Heading, ": not known, as its file or the one before is not kept")
	}
	return card
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
