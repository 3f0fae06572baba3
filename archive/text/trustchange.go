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
	doc := &answer.Doc{Title: "what it means", Head: []answer.Block{answer.Bullets("", d.Sentences)}}
	files := answer.Pairs{answer.Value("old sha256", answer.Code(d.Old.SHA256)), answer.Value("new sha256",
		answer.Code(d.New.SHA256))}
	for _, row := range []struct {
		what     string
		old, now int
	}{{"audit keys", d.Old.AuditKeys, d.New.AuditKeys}, {"signer keys", d.Old.SignerKeys, d.New.SignerKeys},
		{"node keys", d.Old.NodeKeys, d.New.NodeKeys}, {"nodes", d.Old.Nodes, d.New.Nodes},
		{"registries", d.Old.Registries, d.New.Registries}, {"witnesses", d.Old.MinimumWitnesses, d.New.MinimumWitnesses}} {
		if row.old != row.now {
			files = append(files, answer.Value(row.what, row.old, ", then ", row.now))
		}
	}
	ways := answer.Table{Columns: answer.Columns("Nodes for", "", "Before", "", "After", "", "New sets", "number",
		"Gone", "number")}
	for _, c := range d.Coalitions {
		ways.Rows = append(ways.Rows, answer.Row(c.Name, nodesNeeded(c.Before), nodesNeeded(c.After), shortNumber(c.New),
			shortNumber(c.Gone)))
	}
	lines, more := answer.Cut(changedLines(&d), answer.MostDetails)
	doc.Sections = []answer.Section{{Blocks: []answer.Block{append(files, answer.Pair{Label: "changes", Value: lines}),
		inJSON.Left(more, "changes")}},
		{Blocks: []answer.Block{answer.Para(answer.Say(text.ForgersNeeded)), ways}}}
	return doc
}

// changedLines say which keys, nodes and registries differ.
func changedLines(d *change.Difference) (lines answer.Cell) {
	digest := func(sha256 string) string { return "  " + text.Grouped(sha256, 8) }
	key := func(what string, k *change.Place) {
		lines = append(lines, answer.Say(what, " ", string(k.Role), " key ", answer.Name(k.ID), digest(k.SHA256)))
	}
	for _, k := range d.Keys {
		what, then := k.Change, map[string]string{change.Replaced: "by", change.Moved: "to"}[k.Change]
		if k.Before == nil {
			then = what
		} else {
			key(what, k.Before)
		}
		if k.After != nil {
			key(then, k.After)
		}
	}
	for _, n := range d.Nodes {
		lines = append(lines, answer.Say(n.Change, " node ", answer.Name(n.Node), " with ", safetext.Count(n.Keys, "key")))
	}
	for _, r := range d.Registries {
		what := r.Change
		for _, pin := range []string{r.Before, r.After} {
			if pin != "" {
				lines = append(lines, answer.Say(what, " registry ", strconv.FormatInt(r.Generation, 10), digest(pin)))
				what = "by"
			}
		}
	}
	return lines
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
