package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/handover"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Bag renders the check of a bag: what was not examined, the verdict, what is wrong,
// the counts, and what the sender says.
func Bag(r *bag.Result, place string) *page.Page {
	t := page.New()
	t.Answer(string(r.Verdict), place)
	if r.Evidence != nil {
		UnknownKeys(t, &r.Evidence.Said)
	}
	notExamined(t, r.NotExamined)
	bagFindings(t, len(r.Findings), r.MoreFindings, func(i int) string {
		return string(r.Findings[i].Code) + ": " + r.Findings[i].Message
	})
	bagEvidence(t, r.Evidence)
	t.Heading("bag")
	t.Pairs(page.Pair{"version", safetext.Quote(r.Version)},
		page.Pair{"payload", safetext.Count(r.Payload.Files, "file") + ", " + safetext.Count(r.Payload.Octets, "octet")},
		page.Pair{"intact", strconv.FormatInt(r.Payload.Intact, 10)},
		page.Pair{"compared by", strings.Join(r.Algorithms, ", ")},
		page.Pair{"tag files compared", strconv.FormatInt(r.TagFiles, 10)})
	if len(r.Info) > 0 {
		t.Heading("the sender says")
		for _, tag := range r.Info[:min(len(r.Info), listed)] {
			t.Prose(2, safetext.Quote(tag.Label)+": "+safetext.Quote(tag.Value))
		}
		more(t, int64(len(r.Info)-listed))
	}
	return t
}

// bagFindings renders the first of so many findings, and how many there are besides.
func bagFindings(t *page.Page, all int, beyond int64, say func(i int) string) {
	if all == 0 {
		return
	}
	t.Heading("findings")
	for i := range min(all, listed) {
		t.Prose(2, say(i))
	}
	more(t, int64(all)-listed+beyond)
}

// bagEvidence renders what the objects in a bag are worth.
func bagEvidence(t *page.Page, e *bag.Evidence) {
	if e == nil {
		return
	}
	t.Headline("evidence", string(e.Verdict))
	t.Pairs(page.Pair{"trust sha256", e.TrustSHA256},
		page.Pair{"verified", strconv.FormatInt(e.Verified, 10)},
		page.Pair{"rejected", strconv.FormatInt(e.Rejected, 10)},
		page.Pair{"inconclusive", strconv.FormatInt(e.Inconclusive, 10)},
		page.Pair{"no evidence", strconv.FormatInt(e.Other, 10)})
	for _, o := range e.NotVerified[:min(len(e.NotVerified), listed)] {
		t.Prose(2, safetext.Quote(o.Name)+": "+string(o.Verdict))
		t.Prose(4, strings.TrimSpace(o.Pointer+" "+string(o.Code))+": "+o.Reason)
	}
	more(t, int64(len(e.NotVerified))-listed+e.More)
	Said(t, &e.Said)
}

// Export renders an export: what was not examined, the verdict, what is in the way,
// and where the bag is.
func Export(r *handover.Result) *page.Page {
	t := page.New()
	t.Answer(string(r.Verdict), safetext.Count(r.Payload.Files, "object")+" in the bag")
	UnknownKeys(t, &r.Said)
	notExamined(t, r.NotExamined)
	bagFindings(t, len(r.Findings), r.MoreFindings, func(i int) string {
		return string(r.Findings[i].Code) + ": " + r.Findings[i].Message
	})
	t.Heading("export")
	if r.Bag != "" {
		t.Pairs(page.Pair{"bag", safetext.Quote(r.Bag)},
			page.Pair{"octets", strconv.FormatInt(r.Payload.Octets, 10)}, page.Pair{"archive", r.Archive})
	}
	t.Pairs(page.Pair{"newest run", strconv.FormatInt(r.Run, 10)}, page.Pair{"run sha256", r.RunSHA256})
	Said(t, &r.Said)
	return t
}

func notExamined(t *page.Page, sentences []string) {
	for _, sentence := range sentences {
		t.Prose(2, "not examined: "+sentence)
	}
}

// more says how many are not shown, if any.
func more(t *page.Page, n int64) {
	if n > 0 {
		t.Prose(2, fmt.Sprintf("and %d more", n))
	}
}
