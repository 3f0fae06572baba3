package text

import (
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// MostChanged is how many lines of one kind a page has. The JSON form has all.
const MostChanged = 200

// Difference renders what differs.
func Difference(d change.Difference) (*page.Page, error) {
	p := page.New()
	p.Heading("what it means")
	for _, s := range d.Sentences {
		p.Prose(2, s)
	}
	p.Heading("the files")
	if err := p.Table([]string{"", "old", "new"}, changedSizes(d)); err != nil {
		return nil, err
	}
	if err := ChangeTables(p, d); err != nil {
		return nil, err
	}
	p.Heading("who could together forge a proof of an issuance that never happened")
	p.Prose(2, "One holder of an audit key, one holder of a signer key, and the holder of a CA key that a pinned "+
		"registry gives that signer; and with them so many nodes:")
	return p, p.Table([]string{"", "before", "after", "new sets", "gone"}, coalitions(d))
}

// ChangeTables writes the keys, nodes and registries that differ.
func ChangeTables(p *page.Page, d change.Difference) error {
	for _, part := range []struct {
		heading string
		columns []string
		rows    [][]string
	}{
		{"keys", []string{"", "fingerprint", "role", "key"}, changedKeys(d.Keys)},
		{"nodes", []string{"", "keys", "node"}, changedNodes(d.Nodes)},
		{"registries", []string{"", "generation", "pin"}, changedRegistries(d.Registries)},
	} {
		if len(part.rows) == 0 {
			continue
		}
		p.Heading(part.heading + " that differ")
		shown := part.rows[:min(len(part.rows), MostChanged)]
		if err := p.Table(part.columns, shown); err != nil {
			return err
		}
		if more := len(part.rows) - len(shown); more > 0 {
			p.Prose(2, fmt.Sprintf("and %d more; --output json has all", more))
		}
	}
	return nil
}

func changedSizes(d change.Difference) [][]string {
	row := func(what string, old, now int) []string { return []string{what, strconv.Itoa(old), strconv.Itoa(now)} }
	return [][]string{
		{"sha256", grouped(d.Old.SHA256), grouped(d.New.SHA256)},
		row("audit keys", d.Old.AuditKeys, d.New.AuditKeys),
		row("signer keys", d.Old.SignerKeys, d.New.SignerKeys),
		row("node keys", d.Old.NodeKeys, d.New.NodeKeys),
		row("nodes", d.Old.Nodes, d.New.Nodes),
		row("registries", d.Old.Registries, d.New.Registries),
		row("witnesses", d.Old.MinimumWitnesses, d.New.MinimumWitnesses),
	}
}

// changedKeys has two rows for a key that was replaced: the old one and the new one.
func changedKeys(list []change.Key) (rows [][]string) {
	row := func(what string, at *change.Place) []string {
		return []string{what, grouped(at.SHA256), string(at.Role), safetext.Quote(at.ID)}
	}
	for _, k := range list {
		switch k.Change {
		case change.Added:
			rows = append(rows, row("added", k.After))
		case change.Removed:
			rows = append(rows, row("removed", k.Before))
		case change.Replaced:
			rows = append(rows, row("replaced", k.Before), row("  by", k.After))
		case change.Moved:
			rows = append(rows, row("moved", k.Before), row("  to", k.After))
		}
	}
	return rows
}

func changedNodes(list []change.Node) (rows [][]string) {
	for _, n := range list {
		rows = append(rows, []string{n.Change, strconv.Itoa(n.Keys), safetext.Quote(n.Node)})
	}
	return rows
}

func changedRegistries(list []change.Registry) (rows [][]string) {
	for _, r := range list {
		first, second := r.Before, r.After
		if r.Change == change.Added {
			first = r.After
		}
		rows = append(rows, []string{r.Change, strconv.FormatInt(r.Generation, 10), grouped(first)})
		if r.Change == change.Replaced {
			rows = append(rows, []string{"  by", "", grouped(second)})
		}
	}
	return rows
}

func coalitions(d change.Difference) (rows [][]string) {
	for _, c := range d.Coalitions {
		rows = append(rows, []string{c.Name, needs(c.Before), needs(c.After), changeNumber(c.New), changeNumber(c.Gone)})
	}
	return rows
}

func needs(t *trustfile.Threat) string {
	switch {
	case t == nil:
		return "no such way"
	case t.Nodes < 0:
		return "impossible"
	}
	return safetext.Count(t.Nodes, string(trust.Node))
}

// changeNumber cuts a number that would fill the page.
func changeNumber(decimal string) string {
	if len(decimal) > 15 {
		return fmt.Sprintf("10^%d or more", len(decimal)-1)
	}
	return decimal
}

// grouped writes the beginning of a digest as people compare it.
func grouped(digest string) string {
	if len(digest) < 16 {
		return digest
	}
	return digest[:4] + " " + digest[4:8] + " " + digest[8:12] + " " + digest[12:16]
}
