// Package text renders what is known of an archive for a terminal.
package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// listed is how many objects of each kind are shown; a number says how many more there
// are.
const listed = 20

// Check renders what a check came to: what was not examined, the verdict, what is
// wrong, the counts, and the digest of the run. The names are those of the trust file
// and of the ledger, safe to show.
func Check(r *archive.Result, trust, ledger string) *page.Page {
	t := page.New()
	t.Answer(string(r.Verdict), safetext.Count(r.Counts.Objects, "object"))
	UnknownKeys(t, &r.Said)
	for _, sentence := range r.NotExamined {
		t.Prose(2, "not examined: "+sentence)
	}
	t.Pairs(page.Pair{"ledger", ledger + " (" + standing(&r.Ledger) + ")"}, page.Pair{"trust", trust},
		page.Pair{"trust sha256", r.TrustSHA256})
	if len(r.Findings) > 0 {
		t.Heading("the archive")
		for _, f := range r.Findings {
			t.Prose(2, string(f.Code)+": "+f.Message)
		}
	}
	writeObjects(t, r)
	writeFaults(t, r)
	Said(t, &r.Said)
	t.Heading("objects")
	t.Pairs(counts(&r.Counts)...)
	writeRun(t, r)
	return t
}

// standing says whose the ledger is, and how much it had.
func standing(s *archive.Standing) string {
	if s.Runs == 0 && s.Standing == "own" {
		return "new"
	}
	return fmt.Sprintf("%s, %s of %s", s.Standing, safetext.Count(s.Runs, "run"), safetext.Count(s.Objects, "object"))
}

// writeObjects lists the objects that are worth telling, those that came to the same
// and are of one class below one heading.
func writeObjects(t *page.Page, r *archive.Result) {
	heading, shown := "", int64(0)
	for i := range r.Objects {
		o := &r.Objects[i]
		all := r.Alike(o)
		if h := string(o.Outcome()) + string(o.Class); h != heading {
			heading, shown = h, 0
			t.Headline(string(o.Outcome()), string(o.Class)+": "+safetext.Count(all, "object"))
		}
		if shown++; shown <= listed {
			writeObject(t, o)
		} else if shown == listed+1 {
			t.Prose(2, fmt.Sprintf("and %d more; --report jsonl=FILE has all", all-listed))
		}
	}
}

func writeObject(t *page.Page, o *archive.Record) {
	t.Prose(2, safetext.Quote(o.Path))
	if o.From != "" {
		t.Prose(4, "was at "+safetext.Quote(o.From))
	}
	if o.Reason != "" {
		t.Prose(4, strings.TrimSpace(o.Pointer+" "+string(o.Code))+": "+o.Reason)
	}
	if o.WasSHA256 != "" && o.SHA256 != "" && o.WasSHA256 != o.SHA256 {
		t.Prose(4, "sha256 "+o.SHA256)
		t.Prose(4, "was    "+o.WasSHA256)
	}
}

// writeFaults says why objects could not be read, each cause once.
func writeFaults(t *page.Page, r *archive.Result) {
	if len(r.Faults) == 0 {
		return
	}
	t.Heading("why objects could not be read")
	for i, cause := range r.Faults {
		if i == listed {
			break
		}
		t.Prose(2, safetext.Count(cause.Objects, "object")+": "+cause.Fault)
	}
	if more := int64(len(r.Faults)-listed) + r.MoreFaults; len(r.Faults) > listed || r.MoreFaults > 0 {
		t.Prose(2, fmt.Sprintf("and %d more causes", max(more, r.MoreFaults)))
	}
}

// counts returns the counts to show. Most are left out if they are zero.
func counts(c *archive.Counts) []page.Pair {
	var all []page.Pair
	add := func(label string, n int64, always bool) {
		if n > 0 || always {
			all = append(all, page.Pair{label, strconv.FormatInt(n, 10)})
		}
	}
	for _, class := range archive.Classes() {
		add(string(class), c.Classes[class], class == archive.Intact)
	}
	add("verified", c.Verified, true)
	add("rejected", c.Rejected, true)
	add("inconclusive", c.Inconclusive, false)
	add("no verdict", c.NoVerdict, false)
	add("rejected and accepted", c.Accepted, false)
	add("inconclusive and accepted", c.Tolerated, false)
	add("lost their verdict", c.Lost, false)
	add("bundles", c.Bundles, false)
	add("cases", c.Cases, false)
	add("logs", c.Logs, false)
	add("no evidence", c.Others, false)
	return append(all, page.Pair{"read", fmt.Sprintf("%s, %s; %s used again", safetext.Count(c.Read, "object"),
		safetext.Count(c.ReadOctets, "octet"), safetext.Count(c.Reused, "verdict"))})
}

// writeRun ends the page with what is to be kept elsewhere.
func writeRun(t *page.Page, r *archive.Result) {
	if r.Run == nil {
		t.Heading("nothing was recorded")
		return
	}
	t.Heading(fmt.Sprintf("run %d, with %s", r.Run.Number, safetext.Count(r.Run.Changed, "change")))
	t.Pairs(page.Pair{"keep elsewhere, for --expect-run", r.Run.Digest})
}
