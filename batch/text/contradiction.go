package text

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// ContradictionPage renders the verification of a contradiction file. The names of both files
// are quoted already.
func ContradictionPage(r *contradiction.Report, file, trust string) *page.Page {
	t := page.New()
	t.Answer(string(r.Verdict), file)
	if len(r.Findings) > 0 {
		first := r.Findings[0]
		t.Prose(2, fmt.Sprintf("decided by %s, %s#%s; next: svc-verify explain %s", first.Code, file, first.Path, first.Code))
	}
	t.Pairs(page.Pair{"sha256", r.FileSHA256})
	t.Heading("checked against  " + trust)
	t.Pairs(page.Pair{"sha256", r.TrustSHA256},
		page.Pair{"legacy-before", cmp.Or(r.LegacyBefore, "not given")})
	if f := r.Contradiction; f != nil {
		Contradiction(t, f)
	}
	if len(r.Findings) > 0 {
		t.Heading("findings")
		for _, f := range r.Findings {
			t.Prose(2, string(f.Code))
			t.Prose(4, f.Sentence())
		}
	}
	if len(r.Bundles) > 0 {
		bundles(t, r.Bundles)
	}
	t.Heading("not proved")
	for _, l := range r.Limitations {
		t.Prose(2, string(l.Code))
		t.Prose(4, l.Sentence)
	}
	return t
}

// Contradiction adds a contradiction: what is wrong, and what each side says and
// rests on.
func Contradiction(t *page.Page, f *contradiction.Finding) {
	heading := string(f.Code)
	if f.Shows != "" {
		heading += "  " + string(f.Shows)
	}
	t.Heading(heading)
	for _, s := range f.Sentences {
		t.Prose(2, s)
	}
	for i, s := range f.Sides {
		t.Heading("side " + strconv.Itoa(i+1))
		pairs := []page.Pair{
			{"bundle", s.BundleSHA256},
			{"tenant", safetext.Quote(s.TenantID)},
			{"transaction", safetext.Quote(s.TransactionID)},
			{"checkpoint", checkpoint(s)},
			{string(f.What), s.Value},
		}
		for _, g := range s.RestsOn {
			pairs = append(pairs, page.Pair{"rests on", ground(g)})
		}
		t.Pairs(pairs...)
	}
}

func checkpoint(s contradiction.Side) string {
	text := strconv.FormatUint(s.Checkpoint, 10)
	if s.Legacy {
		text += ", which no one witnessed"
	}
	return text
}

// ground says what a side rests on, and who signed it.
func ground(g contradiction.Ground) string {
	text := kinds[g.Kind]
	if g.Sequence > 0 {
		text += " " + strconv.FormatUint(g.Sequence, 10)
	}
	if g.Role != "" {
		text += fmt.Sprintf(", signed by %s key %s", g.Role, safetext.Quote(g.KeyID))
	}
	return text
}

// kinds are the grounds in words. A sequence follows.
var kinds = map[contradiction.GroundKind]string{
	contradiction.OnCheckpoint:      "checkpoint",
	contradiction.OnWitness:         "witness receipt of checkpoint",
	contradiction.OnPreviousLink:    "previous link of event",
	contradiction.OnSkipLink:        "skip link of event",
	contradiction.OnIssuanceEvent:   "issuance event",
	contradiction.OnRevocationEvent: "revocation event",
	contradiction.OnStatus:          "status",
	contradiction.OnReceipt:         "signer receipt",
}

// bundles lists how the bundles were judged.
func bundles(t *page.Page, rows []contradiction.Bundle) {
	t.Heading("bundles")
	for i, b := range rows {
		t.Lead(string(b.Verdict), func() { fmt.Fprintf(t, "  %s  side %d\n", b.Verdict, i+1) })
		t.Prose(4, b.SHA256)
		if b.About != nil {
			t.Prose(4, b.About.Sentence())
		}
		if b.Verdict != verify.Verified {
			t.Prose(4, fmt.Sprintf("%s at %s: %s", b.Code, safetext.Quote(b.Path), safetext.Line(b.Reason)))
		}
	}
}
