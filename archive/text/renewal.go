package text

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/renewal"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Renewal renders the chain of a seal, whose name is quoted already.
func Renewal(r *renewal.Report, name string) *page.Page {
	t := page.New()
	t.Answer(string(r.Verdict), "chain of "+name)
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		t.Prose(2, fmt.Sprintf("decided by %s, %s; next: svc-verify explain %s", f.Code, safetext.Quote(f.Path), f.Code))
	}
	Chain(t, r)
	return t
}

// Chain adds the chain of a seal to a page: what was not examined first, then when
// the seal existed, when to renew, each token, and what is wrong or not proven.
func Chain(t *page.Page, r *renewal.Report) {
	limitations(t, "chain: not examined", r.NotExamined)
	t.Heading("chain")
	pairs := []page.Pair{{"judged at", r.At}, {"tokens", strconv.Itoa(len(r.Steps))}}
	if r.ExistedBefore != "" {
		pairs = append(pairs, page.Pair{"existed before", r.ExistedBefore + ", as the first token says"})
	}
	if r.RenewBefore != "" {
		pairs = append(pairs, page.Pair{"renew before", r.RenewBefore + ", when " + r.RenewBecause})
	}
	if r.Pending {
		pairs = append(pairs, page.Pair{"waits", "a request has no token yet"})
	}
	t.Pairs(pairs...)
	for _, s := range r.Steps {
		chainStep(t, s)
	}
	chainFindings(t, "chain: findings", r.Findings)
	chainFindings(t, "chain: evidence that was not used", r.Notices)
	limitations(t, "chain: not proved", r.Limitations)
}

// chainStep shows one token.
func chainStep(t *page.Page, s renewal.StepReport) {
	t.Heading(fmt.Sprintf("token %d  %s  %s", s.Number, s.Kind, s.Standing))
	pairs := []page.Pair{{"hash", string(s.Hash)}}
	if s.Time != "" {
		accuracy := "its accuracy is not named"
		if s.Accuracy > 0 {
			accuracy = "give or take " + strconv.FormatFloat(float64(s.Accuracy)/1e6, 'g', -1, 64) + " s"
		}
		pairs = append(pairs, page.Pair{"time", s.Time + ", " + accuracy},
			page.Pair{"authority", safetext.Quote(s.Authority)},
			page.Pair{"signer", safetext.Quote(cmp.Or(s.Signer, "without a name"))},
			page.Pair{"policy", s.Policy}, page.Pair{"serial", s.Serial},
			page.Pair{"judged at", s.JudgedAt}, page.Pair{"ends", s.Ends}, page.Pair{"rests on", strings.Join(s.RestsOn, ", ")})
	}
	t.Pairs(pairs...)
}

func chainFindings(t *page.Page, heading string, all []renewal.Finding) {
	if len(all) == 0 {
		return
	}
	t.Heading(heading)
	for _, f := range all {
		t.Prose(2, fmt.Sprintf("%s  %s", f.Code, safetext.Quote(f.Path)))
		t.Prose(4, f.Sentence())
	}
}
