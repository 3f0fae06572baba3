package text

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify/text"
)

// History shows a report: the answers, the versions with their changes, the pins, and the
// limitations.
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

// Difference shows the differences between two trust files.
func Difference(d change.Difference) *answer.Doc {
	changes := changesTable(&d)
	doc := &answer.Doc{Title: safetext.Count(len(changes.Rows), "difference") + " between two trust files"}
	doc.Head = []answer.Block{answer.Bullets("", d.Sentences), answer.Pairs{
		answer.Value("old sha256", answer.Code(d.Old.SHA256)), answer.Value("new sha256", answer.Code(d.New.SHA256))}}
	if len(changes.Rows) > 0 {
		doc.Sections = []answer.Section{{Blocks: []answer.Block{changes}}}
	}
	ways := answer.Table{Columns: answer.Columns("Nodes for", "", "Before", "", "After", "", "New sets", "number",
		"Gone", "number")}
	for _, c := range d.Coalitions {
		ways.Rows = append(ways.Rows, answer.Row(c.Name, nodesNeeded(c.Before), nodesNeeded(c.After), shortNumber(c.New),
			shortNumber(c.Gone)))
	}
	doc.AddFold("Who could forge a proof", answer.Para(answer.Say(text.ForgersNeeded)), ways)
	return doc
}

// changesTable lists the keys, nodes and registries that differ.
func changesTable(d *change.Difference) answer.Table {
	t := answer.Table{Columns: answer.Columns("Change", "", "Role", "", "ID", "name", "Fingerprint", ""),
		Left: answer.Left{Of: "changes"}}
	add := func(what, role, id, digest string) {
		t.Rows = append(t.Rows, answer.Row(what, role, answer.Name(id), text.Grouped(digest, 8)))
	}
	for _, k := range d.Keys {
		what, then := k.Change, map[string]string{change.Replaced: "by", change.Moved: "to"}[k.Change]
		if k.Before == nil {
			then = what
		} else {
			add(what, string(k.Before.Role), k.Before.ID, k.Before.SHA256)
		}
		if k.After != nil {
			add(then, string(k.After.Role), k.After.ID, k.After.SHA256)
		}
	}
	for _, n := range d.Nodes {
		t.Rows = append(t.Rows, answer.Row(n.Change, "node", answer.Name(n.Node), safetext.Count(n.Keys, "key")))
	}
	for _, r := range d.Registries {
		what := r.Change
		for _, pin := range []string{r.Before, r.After} {
			if pin != "" {
				add(what, "registry", strconv.FormatInt(r.Generation, 10), pin)
				what = "by"
			}
		}
	}
	rows, more := answer.Cut(t.Rows, answer.MostRows)
	t.Rows, t.Left = rows, inJSON.Left(more, "changes")
	return t
}

func nodesNeeded(t *trustfile.Threat) string {
	switch {
	case t == nil:
		return "no such way"
	case t.Nodes < 0:
		return "impossible"
	}
	return safetext.Count(t.Nodes, string(trust.Node))
}

// shortNumber cuts a number that would fill the page.
func shortNumber(decimal string) string {
	if len(decimal) > 15 {
		return fmt.Sprintf("10^%d or more", len(decimal)-1)
	}
	return decimal
}
