package text

import (
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/page"
)

// Findings renders the findings of a walk. If the walk was asked for by its trust
// file, the page does not name that file again.
func Findings(f *query.Found, file string, byTrust bool) *page.Page {
	p := page.New()
	switch {
	case f.Result != nil:
		Verdict(p, f.Result, file)
		if !byTrust {
			p.Pairs(page.Pair{"trust sha256", f.TrustSHA256})
		}
		writeCauses(p, f.Causes, f.Findings)
		p.Heading("findings")
		writeFindings(p, f.Findings)
	case byTrust:
		p.Prose(0, "the case was not walked under this trust file: svc-verify walk")
	default:
		p.Prose(0, "the case was not walked: svc-verify walk")
	}
	return p
}
