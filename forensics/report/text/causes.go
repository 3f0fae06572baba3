package text

import (
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/internal/page"
)

// writeCauses writes what probably led to findings, what explains most first.
func writeCauses(p *page.Page, all []cause.Cause, findings []finding.Finding) {
	for i, c := range all {
		switch i {
		case 0:
			p.Heading("likely causes")
		case mostCauses:
			p.Prose(2, fmt.Sprintf("and %d more; --output json lists them", len(all)-i))
			return
		}
		p.Prose(2, string(c.Code))
		p.Prose(4, c.Message)
		for _, fact := range c.Pro() {
			p.Prose(4, "for it: "+fact)
		}
		for _, fact := range c.Con() {
			p.Prose(4, "against it: "+fact)
		}
		p.Prose(4, "follows: "+c.Follow(findings))
		p.Prose(4, "next: "+c.Next)
	}
}
