package text

import (
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Difference shows what differs between two trust files.
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
