package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostListed is how many faults, statements or links a text lists; JSON has
// them all.
const mostListed = 64

// write writes the overview section by section.
func (o overview) write(p *page.Page, file string) {
	p.Heading(file)
	p.Pairs(page.Pair{"sha256", o.SHA256}, page.Pair{"form", o.Form})
	if len(o.Faults) > 0 {
		p.Heading("faults")
	}
	for _, f := range o.Faults {
		p.Prose(2, string(f.Code))
		p.Prose(4, located("", f))
	}
	if o.Parts != nil {
		o.Parts.write(p)
	}
	if len(o.Signed) > 0 {
		p.Heading("signed statements")
	}
	for i, s := range o.Signed {
		if i == mostListed {
			p.Prose(2, fmt.Sprintf("and %d more; --output json lists all", len(o.Signed)-i))
			break
		}
		s.write(p)
	}
}

// write writes who signed, and what it says in a line or two.
func (s signed) write(p *page.Page) {
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

func (b *parts) write(p *page.Page) {
	p.Heading("about")
	p.Pairs(
		page.Pair{"tenant", safetext.Quote(b.TenantID)},
		page.Pair{"transaction", safetext.Quote(b.TransactionID)},
		page.Pair{"manifest sha256", b.Manifest},
		page.Pair{"status", safetext.Quote(b.Status)},
	)
	b.Terms.write(p)
	for i, c := range b.Certificates {
		p.Heading([]string{"certificate", "issuer's certificate"}[i])
		c.write(p)
	}
	b.writeLog(p)
	for _, r := range b.Registries {
		p.Heading(fmt.Sprintf("signer registry, generation %d", r.Generation))
		p.Pairs(page.Pair{"sha256", r.SHA256}, page.Pair{"created at", r.CreatedAt}, page.Pair{"signers", page.List(r.Signers)})
	}
}

func (t terms) write(p *page.Page) {
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

func (c certificateView) write(p *page.Page) {
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

func (b *parts) writeLog(p *page.Page) {
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
