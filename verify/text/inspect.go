package text

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/inspect"
)

// Overview renders an overview of a bundle. Every line is marked as unverified.
func Overview(o inspect.Overview, file string) string {
	const mark = "unverified  "
	p := page.Narrow(len(mark))
	writeOverview(p, o, file)
	var b strings.Builder
	for line := range strings.Lines(p.String()) {
		b.WriteString(strings.TrimRight(mark+line, " \n") + "\n")
	}
	return b.String()
}

// writeOverview writes an overview section by section.
func writeOverview(p *page.Page, o inspect.Overview, file string) {
	p.Heading(file)
	p.Pairs(page.Pair{"sha256", o.SHA256}, page.Pair{"form", o.Form})
	if len(o.Faults) > 0 {
		p.Heading("faults")
	}
	for _, f := range o.Faults {
		p.Prose(2, string(f.Code))
		p.Prose(4, Located("", f))
	}
	if o.Parts != nil {
		writeParts(p, o.Parts)
	}
	if len(o.Signed) > 0 {
		p.Heading("signed statements")
	}
	for i, s := range o.Signed {
		if i == mostListed {
			p.Prose(2, fmt.Sprintf("and %d more; --output json lists all", len(o.Signed)-i))
			break
		}
		writeSigned(p, s)
	}
}

// writeSigned writes who signed a statement, and what it says in a line or two.
func writeSigned(p *page.Page, s inspect.Signed) {
	p.Prose(2, safetext.Quote(s.Path))
	p.Prose(4, safetext.Quote(s.Protocol)+" by key id "+safetext.Quote(s.KeyID))
	var says []string
	for _, c := range s.Says {
		says = append(says, c.Member+" "+safetext.Quote(c.Value))
	}
	if len(says) > 0 {
		p.Prose(4, strings.Join(says, ", "))
	}
}

func writeParts(p *page.Page, b *inspect.Parts) {
	p.Heading("about")
	p.Pairs(
		page.Pair{"tenant", safetext.Quote(b.TenantID)},
		page.Pair{"transaction", safetext.Quote(b.TransactionID)},
		page.Pair{"manifest sha256", b.Manifest},
		page.Pair{"status", safetext.Quote(b.Status)},
	)
	writeTerms(p, b.Terms)
	for i, c := range b.Certificates {
		p.Heading([]string{"certificate", "issuer's certificate"}[i])
		writeCertificate(p, c)
	}
	writeLog(p, b)
	for _, r := range b.Registries {
		p.Heading(fmt.Sprintf("signer registry, generation %d", r.Generation))
		p.Pairs(page.Pair{"sha256", r.SHA256}, page.Pair{"created at", r.CreatedAt},
			page.Pair{"signers", page.List(r.Signers)})
	}
}

func writeTerms(p *page.Page, t inspect.Terms) {
	p.Heading("terms")
	p.Pairs(
		page.Pair{"workload profile", safetext.Quote(t.WorkloadProfile)},
		page.Pair{"algorithm", safetext.Quote(t.Algorithm)},
		page.Pair{"lifetime", fmt.Sprintf("%d s", t.LifetimeSeconds)},
		page.Pair{"approvals", fmt.Sprintf("at least %d", t.RequiredApprovals)},
		page.Pair{"names", page.List(t.Names)},
		page.Pair{"usages", page.List(t.ExtendedKeyUsages)},
		page.Pair{"policy version", fmt.Sprint(t.PolicyVersion)},
		page.Pair{"policy sha256", t.PolicySHA256},
		page.Pair{"key sha256", t.PublicKeySHA256},
	)
}

func writeCertificate(p *page.Page, c inspect.Certificate) {
	p.Pairs(
		page.Pair{"subject", safetext.Quote(c.Subject)},
		page.Pair{"issuer", safetext.Quote(c.Issuer)},
		page.Pair{"serial", safetext.Quote(c.Serial)},
		page.Pair{"valid", c.NotBefore + " to " + c.NotAfter},
		page.Pair{"names", page.List(c.Names)},
		page.Pair{"key", c.Key},
		page.Pair{"sha256", c.SHA256},
	)
}

func writeLog(p *page.Page, b *inspect.Parts) {
	p.Heading("log")
	path := page.Numbers(b.Path[:min(len(b.Path), mostListed)])
	if len(b.Path) > mostListed {
		path += ", and more"
	}
	p.Pairs(
		page.Pair{"log", safetext.Quote(b.Checkpoint.LogID)},
		page.Pair{"checkpoint", fmt.Sprintf("sequence %d, made %s", b.Checkpoint.Sequence, b.Checkpoint.CreatedAt)},
		page.Pair{"protocol", safetext.Quote(b.Checkpoint.Protocol)},
		page.Pair{"head", b.Checkpoint.Head},
		page.Pair{"witnesses", fmt.Sprintf("%d demanded", b.Checkpoint.RequiredWitnesses)},
		page.Pair{"path", fmt.Sprintf("%s: %s", safetext.Count(len(b.Path), "link"), path)},
	)
}
