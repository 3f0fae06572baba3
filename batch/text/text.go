// Package text renders a batch for a terminal.
package text

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// listed is how many entries, contradictions or findings are shown; a number says
// how many more there are.
const listed = 20

// Page renders a result: what was not examined, the verdict, what is wrong, the
// counts, and what is not proved.
func Page(r *batch.Result, trust string) (*page.Page, error) {
	t := page.New()
	s := &r.Summary
	t.Answer(string(s.Verdict), answer(s))
	if u := s.UnknownKeys; u != nil {
		t.Prose(2, string(u.Code)+": "+u.Sentence)
	}
	for _, sentence := range s.NotExamined {
		t.Prose(2, "not examined: "+sentence)
	}
	t.Pairs(page.Pair{"trust", trust}, page.Pair{"trust sha256", s.TrustSHA256})
	writeFindings(t, s.Findings)
	writeContradictions(t, s)
	writeFailed(t, s)
	if err := writeUnexpected(t, r); err != nil {
		return nil, err
	}
	writeProofs(t, s)
	t.Heading("entries")
	t.Pairs(pairs(s)...)
	t.Heading("not proved")
	for _, l := range s.Limitations {
		t.Prose(2, string(l.Code))
		t.Prose(4, l.Sentence)
	}
	return t, nil
}

// answer is how many entries there are, and what those say that are genuine.
func answer(s *batch.Summary) string {
	numbers := safetext.Count(s.Entries.Seen, "entry")
	separator := ": "
	for _, count := range []struct {
		n    int64
		what string
	}{{s.Entries.Issued, "issued"}, {s.Entries.Revoked, "revoked"}, {s.Entries.Superseded, "superseded"}} {
		if count.n > 0 {
			numbers += fmt.Sprintf("%s%d %s", separator, count.n, count.what)
			separator = ", "
		}
	}
	return numbers
}

// writeProofs lists the verified entries: the revoked ones first, and those last that
// are superseded.
func writeProofs(t *page.Page, s *batch.Summary) {
	if len(s.Proofs) == 0 {
		return
	}
	t.Headline("verified", safetext.Count(s.Entries.Verified, "entry"))
	shown := s.Proofs[:min(len(s.Proofs), listed)]
	for i := range shown {
		t.Prose(2, safetext.Quote(shown[i].Name))
		t.Prose(4, shown[i].Said())
	}
	more(t, s.Entries.Verified-int64(len(shown)))
}

// writeFindings is about the set.
func writeFindings(t *page.Page, all []batch.SetFinding) {
	if len(all) == 0 {
		return
	}
	t.Heading("the set")
	for i, f := range all {
		if i == listed {
			more(t, int64(len(all)-i))
			break
		}
		t.Prose(2, string(f.Code)+": "+f.Message)
	}
}

func writeContradictions(t *page.Page, s *batch.Summary) {
	if len(s.Contradictions) == 0 {
		return
	}
	t.Heading("contradictions")
	shown := s.Contradictions[:min(len(s.Contradictions), listed)]
	for _, c := range shown {
		t.Prose(2, string(c.Finding.Code))
		t.Prose(4, safetext.Quote(c.First))
		t.Prose(4, safetext.Quote(c.Second))
		for _, sentence := range c.Finding.Sentences {
			t.Prose(6, sentence)
		}
	}
	more(t, int64(len(s.Contradictions)-len(shown))+s.MoreContradictions)
}

// writeFailed lists the entries that are not verified, the worst first.
func writeFailed(t *page.Page, s *batch.Summary) {
	var class outcome.Class
	shown := 0
	end := func() { more(t, s.Entries.Of(class)-listed) }
	for _, record := range s.NotVerified {
		if record.Verdict != class {
			end()
			class, shown = record.Verdict, 0
			t.Headline(string(class), safetext.Count(s.Entries.Of(class), "entry"))
		}
		if shown++; shown > listed {
			continue
		}
		t.Prose(2, safetext.Quote(record.Name))
		t.Prose(4, strings.TrimSpace(record.Path+" "+string(record.Code))+": "+record.Reason)
		if record.Proven() {
			t.Prose(4, record.Said())
		}
	}
	end()
}

// writeUnexpected lists the entries that were not asked for.
func writeUnexpected(t *page.Page, r *batch.Result) error {
	left := r.Summary.Entries.Unexpected
	if left == 0 {
		return nil
	}
	t.Heading("unexpected")
	shown := 0
	for record, err := range r.Records() {
		if err != nil || shown == listed {
			more(t, left)
			return err
		}
		if record.Unexpected {
			t.Prose(2, safetext.Quote(record.Name))
			shown, left = shown+1, left-1
		}
	}
	return nil
}

// more says how many are not shown, if any.
func more(t *page.Page, n int64) {
	if n > 0 {
		t.Prose(2, fmt.Sprintf("and %d more; --report jsonl=FILE has all", n))
	}
}

// pairs are the counts that are not zero, and those that always matter.
func pairs(s *batch.Summary) []page.Pair {
	e, c := s.Entries, s.Compared
	var all []page.Pair
	add := func(label string, n int64, always bool) {
		if n > 0 || always {
			all = append(all, page.Pair{label, strconv.FormatInt(n, 10)})
		}
	}
	add("verified", e.Verified, true)
	add("rejected", e.Rejected, true)
	add("no bundle", e.NotABundle, false)
	add("unreadable", e.Unreadable, false)
	add("inconclusive", e.Inconclusive, false)
	add("contradicted", e.Contradicted, false)
	add("doubled", e.Doubled, false)
	add("unexpected", e.Unexpected, false)
	add("left out by --only", e.LeftOut, false)
	all = append(all, page.Pair{"status", "asked for: " + cmp.Or(s.Status, "any")}, page.Pair{"age", s.Freshness})
	return append(all, page.Pair{"compared", fmt.Sprintf("%s of %s that two or more bundles reach: %s",
		safetext.Count(c.Shared, "sequence"), strconv.FormatInt(c.Sequences, 10), safetext.Count(c.Pairs, "pair"))})
}
