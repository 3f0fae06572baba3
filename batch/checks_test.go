package batch_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// checkRecords compares the records and contradictions with the planted ones.
func checkRecords(t *rapid.T, result *batch.Result, set []expected, asked asked) {
	type row struct {
		Class        outcome.Class
		SameAs       int
		Contradicted bool
		Unexpected   bool
		Transaction  string
	}
	numbers, got := map[string]int{"": -1}, []row{}
	for record, err := range result.Records() {
		must.Do(t, err)
		same, known := numbers[record.SameAs]
		_, twice := numbers[record.Name]
		must.That(t, !twice && known, "%q is the same as %q, or a name that was there", record.Name, record.SameAs)
		numbers[record.Name] = len(got)
		got = append(got, row{record.Verdict, same, record.Contradicted, record.Unexpected, record.TransactionID})
	}
	pairs, want := planted(set), []row{}
	for i, e := range set {
		r := row{Class: e.class, SameAs: first(set, e)}
		if r.SameAs == i {
			r.SameAs = -1
		}
		r.Contradicted = contradicted(set, pairs, i)
		if e.says != nil {
			r.Transaction = e.says.transaction
		}
		r.Unexpected = asked.unexpected(e)
		want = append(want, r)
	}
	diff := cmp.Diff(want, got)
	must.That(t, diff == "", "other records (-want +got):\n%s", diff)
	var pairsFound []found
	for c, err := range result.Contradictions() {
		must.Do(t, err)
		pairsFound = append(pairsFound, found{numbers[c.First], numbers[c.Second], c.Finding.Code})
	}
	check.That(t, slices.Equal(pairs, pairsFound), "contradictions %v, planted were %v", pairsFound, pairs)
}

// checkSaved checks the saved contradictions: one file for each two documents, which verifies
// by itself. Only the first is verified, as that is slow.
func checkSaved(t *rapid.T, b *batch.Result, entries *entry.Set, set []expected, dir string, root *trust.Root) {
	defer os.RemoveAll(dir)
	must.Do(t, b.SaveContradictions(context.Background(), entries, dir))
	want := map[string]bool{}
	for _, f := range planted(set) {
		docs := []string{string(set[f.first].content), string(set[f.second].content)}
		slices.Sort(docs)
		want[fmt.Sprintf("%q", docs)] = true
	}
	files, err := os.ReadDir(dir)
	must.That(t, len(files) == len(want), "%d files for %d pairs of documents, %v", len(files), len(want), err)
	for _, file := range files[:min(1, len(files))] {
		doc := must.Get(os.ReadFile(filepath.Join(dir, file.Name())))(t)
		r := contradiction.Verify(doc, root, verify.Policy{})
		check.That(t, r.Verdict == verify.Verified, "%s is %s: %+v", file.Name(), r.Verdict, r)
	}
}

// checkSummary compares the counts, the findings on the set and the verdict.
func checkSummary(t *rapid.T, s *batch.Summary, set []expected, asked asked) {
	want, pairs := batch.Entries{Seen: int64(len(set)), Doubled: int64(len(set) - len(distinct(set)))}, planted(set)
	of := map[outcome.Class]*int64{outcome.Verified: &want.Verified, outcome.Rejected: &want.Rejected,
		outcome.NotABundle: &want.NotABundle, outcome.Unreadable: &want.Unreadable, outcome.Inconclusive: &want.Inconclusive}
	for i, e := range set {
		*of[e.class]++
		if contradicted(set, pairs, i) {
			want.Contradicted++
		}
		if asked.unexpected(e) {
			want.Unexpected++
		}
		switch {
		case e.says == nil:
		case superseded(set, e.says):
			want.Superseded++
		case e.says.revocation != 0:
			want.Revoked++
		default:
			want.Issued++
		}
		if e.says != nil {
			want.Genuine++
		}
	}
	diff := cmp.Diff(want, s.Entries)
	check.That(t, diff == "", "other counts (-want +got):\n%s", diff)
	genuine := want.Seen > 0 && want.Genuine == want.Seen && want.Contradicted == 0
	accepted := s.Verdict == outcome.Verified
	if s.Genuine != genuine || s.Accepted != accepted || (s.Decides == nil) != accepted {
		t.Errorf("genuine %t, accepted %t, decided by %+v: the verdict is %s, and all are genuine: %t", s.Genuine,
			s.Accepted, s.Decides, s.Verdict, genuine)
	}
	findings, found := asked.findings(set), []string{}
	for _, f := range s.Findings {
		what := string(f.Code)
		if f.Code == batch.SetMissing {
			what = f.Expected[strings.LastIndex(f.Expected, " ")+1:]
		}
		found = append(found, what)
	}
	if diff := cmp.Diff(findings, found); diff != "" {
		t.Errorf("other findings (-want +got):\n%s", diff)
	}
	empty := len(findings) == 1 && findings[0] == string(batch.SetEmpty)
	verdict := outcome.Verified
	switch {
	case want.Rejected+want.NotABundle+want.Contradicted+want.Unexpected > 0 || len(findings) > 0 && !empty:
		verdict = outcome.Rejected
	case want.Unreadable > 0:
		verdict = outcome.Unreadable
	case want.Inconclusive > 0 || want.Verified == 0:
		verdict = outcome.Inconclusive
	}
	check.That(t, s.Verdict == verdict, "the verdict is %s, want %s, for %+v", s.Verdict, verdict, s.Entries)
	compared := comparedOf(set)
	if diff := cmp.Diff(compared, s.Compared); diff != "" {
		t.Errorf("compared other things (-want +got):\n%s", diff)
	}
}

// superseded reports whether the status of a bundle does not count: another is of a later
// checkpoint, and it does not state issued where this one states revoked.
func superseded(set []expected, s *said) bool {
	return slices.ContainsFunc(set, func(e expected) bool {
		return e.says != nil && e.says.subject() == s.subject() && e.says.checkpoint > s.checkpoint &&
			(s.revocation == 0 || e.says.revocation != 0)
	})
}

// comparedOf counts the sequences that the verified bundles of a set have in common.
func comparedOf(set []expected) batch.Compared {
	var c batch.Compared
	reached := map[string]int64{}
	for i, e := range set {
		if e.says == nil || first(set, e) != i {
			continue
		}
		c.Bundles++
		for n := range e.says.hashes {
			reached[fmt.Sprint(e.says.tenant, " ", n)]++
		}
	}
	for _, k := range reached {
		c.Sequences++
		c.Pairs += k * (k - 1) / 2
		if k > 1 {
			c.Shared++
		}
	}
	return c
}
