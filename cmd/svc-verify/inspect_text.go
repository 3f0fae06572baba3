package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/english"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// mostListed is how many faults, statements or links a text lists; JSON has
// them all.
const mostListed = 64

// write writes the overview section by section.
func (o overview) write(p *page, file string) {
	p.heading(file)
	p.pairs(pair{"sha256", o.SHA256}, pair{"form", o.Form})
	if len(o.Faults) > 0 {
		p.heading("faults")
	}
	for _, f := range o.Faults {
		p.prose(2, string(f.Code))
		p.prose(4, located("", f))
	}
	if o.Parts != nil {
		o.Parts.write(p)
	}
	if len(o.Signed) > 0 {
		p.heading("signed statements")
	}
	for i, s := range o.Signed {
		if i == mostListed {
			p.prose(2, fmt.Sprintf("and %d more; --output json lists all", len(o.Signed)-i))
			break
		}
		s.write(p)
	}
}

// write writes who signed, and what it says in a line or two.
func (s signed) write(p *page) {
	p.prose(2, safetext.Quote(s.Path))
	p.prose(4, safetext.Quote(s.Protocol)+" by key id "+safetext.Quote(s.KeyID))
	var says []string
	for _, c := range s.Says {
		says = append(says, c.Member+" "+safetext.Quote(c.Value))
	}
	if len(says) > 0 {
		p.prose(4, strings.Join(says, ", "))
	}
}

func (b *parts) write(p *page) {
	p.heading("about")
	p.pairs(
		pair{"tenant", safetext.Quote(b.TenantID)},
		pair{"transaction", safetext.Quote(b.TransactionID)},
		pair{"manifest sha256", b.Manifest},
		pair{"status", safetext.Quote(b.Status)},
	)
	b.Terms.write(p)
	for i, c := range b.Certificates {
		p.heading([]string{"certificate", "issuer's certificate"}[i])
		c.write(p)
	}
	b.writeLog(p)
	for _, r := range b.Registries {
		p.heading(fmt.Sprintf("signer registry, generation %d", r.Generation))
		p.pairs(pair{"sha256", r.SHA256}, pair{"created at", r.CreatedAt}, pair{"signers", quoteAll(r.Signers)})
	}
}

func (t terms) write(p *page) {
	p.heading("terms")
	p.pairs(
		pair{"workload profile", safetext.Quote(t.WorkloadProfile)},
		pair{"algorithm", safetext.Quote(t.Algorithm)},
		pair{"lifetime", fmt.Sprintf("%d s", t.LifetimeSeconds)},
		pair{"approvals", fmt.Sprintf("at least %d", t.RequiredApprovals)},
		pair{"names", quoteAll(t.Names)},
		pair{"usages", quoteAll(t.ExtendedKeyUsages)},
		pair{"policy version", fmt.Sprint(t.PolicyVersion)},
		pair{"policy sha256", t.PolicySHA256},
		pair{"key sha256", t.PublicKeySHA256},
	)
}

func (c certificateView) write(p *page) {
	p.pairs(
		pair{"subject", safetext.Quote(c.Subject)},
		pair{"issuer", safetext.Quote(c.Issuer)},
		pair{"serial", safetext.Quote(c.Serial)},
		pair{"valid", c.NotBefore + " to " + c.NotAfter},
		pair{"names", quoteAll(c.Names)},
		pair{"key", c.Key},
		pair{"sha256", c.SHA256},
	)
}

func (b *parts) writeLog(p *page) {
	p.heading("log")
	path := joined(b.Path[:min(len(b.Path), mostListed)])
	if len(b.Path) > mostListed {
		path += ", and more"
	}
	p.pairs(
		pair{"log", safetext.Quote(b.Checkpoint.LogID)},
		pair{"checkpoint", fmt.Sprintf("sequence %d, made %s", b.Checkpoint.Sequence, b.Checkpoint.CreatedAt)},
		pair{"protocol", safetext.Quote(b.Checkpoint.Protocol)},
		pair{"head", b.Checkpoint.Head},
		pair{"witnesses", fmt.Sprintf("%d demanded", b.Checkpoint.RequiredWitnesses)},
		pair{"path", fmt.Sprintf("%s: %s", english.Count(len(b.Path), "link"), path)},
	)
}
