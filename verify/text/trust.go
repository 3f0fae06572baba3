package text

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// Exposure renders who could together forge a proof that a trust file accepts.
func Exposure(e trustfile.Exposure) string {
	p := page.New()
	nodes := make([]string, len(e.Nodes))
	for i, h := range e.Nodes {
		nodes[i] = safetext.Quote(h.Node)
		if len(h.Keys) > 1 {
			nodes[i] += fmt.Sprintf(" (%d keys)", len(h.Keys))
		}
	}
	p.Heading("who holds what")
	p.Pairs(
		page.Pair{"audit keys", page.List(e.AuditKeys)}, page.Pair{"signer keys", page.List(e.SignerKeys)},
		page.Pair{"issuing CAs", "those in the registries of generation " + page.Numbers(e.Registries)},
		page.Pair{"nodes", fmt.Sprintf("%d: %s", len(e.Nodes), strings.Join(nodes, ", "))},
		page.Pair{"demanded", fmt.Sprintf("witnesses: at least %d; approvals: at least %d", e.MinimumWitnesses,
			e.MinimumApprovals)},
	)
	p.Heading("who could together forge a proof of an issuance that never happened")
	p.Prose(2, "One holder of an audit key, one holder of a signer key, and the holder of a CA key that a pinned "+
		"registry "+
		"gives that signer; and with them:")
	for _, t := range e.Threats {
		writeThreat(p, t)
	}
	p.Heading("what one holder could do alone")
	for _, w := range e.Powers {
		p.Prose(2, w.Holder)
		pairs := []page.Pair{{"  can", w.Can}}
		if w.Cannot != "" {
			pairs = append(pairs, page.Pair{"  cannot", w.Cannot})
		}
		p.Pairs(pairs...)
	}
	return p.String()
}

// writeThreat writes one way to forge a proof.
func writeThreat(p *page.Page, t trustfile.Threat) {
	p.Prose(2, t.Name)
	if t.Nodes < 0 {
		p.Pairs(page.Pair{"  needs", t.Needs})
		return
	}
	p.Pairs(
		page.Pair{"  needs", safetext.Count(t.Nodes, "node") + " " + t.Needs},
		page.Pair{"  choices", t.Combinations},
		page.Pair{"  shows", t.Shows},
	)
}

// Notices renders what a trust file should not say.
func Notices(notices []trustfile.Notice) *page.Page {
	p := page.New()
	for _, n := range notices {
		p.Lead(string(n.Severity), func() { fmt.Fprintf(p, "%-7s  %s\n", n.Severity, n.Code) })
		p.Prose(9, n.Path+": "+n.Sentence)
	}
	if len(notices) == 0 {
		p.Prose(0, "no notices")
	}
	return p
}

// Fingerprints renders the fingerprints of a trust file as a table, with that of
// the file itself.
func Fingerprints(root *trust.Root) (string, error) {
	digest := root.SHA256()
	rows := [][]string{}
	for _, f := range append(trustfile.Fingerprints(root),
		trustfile.Fingerprint{Role: "whole file", SHA256: hex.EncodeToString(digest[:])}) {
		rows = append(rows, []string{grouped(f.SHA256), f.Role, f.ID})
	}
	p := page.New()
	err := p.Table([]string{"fingerprint", "role", "id"}, rows)
	return p.String(), err
}

// grouped writes the first 128 bits of a digest as eight groups of four digits.
func grouped(digest string) string {
	var b strings.Builder
	for i := 0; i < 32; i += 4 {
		fmt.Fprintf(&b, "%s ", digest[i:i+4])
	}
	return strings.TrimSpace(b.String())
}
