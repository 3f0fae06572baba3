package incident

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// reader has one log, whose event n is of second n and of transaction n/10.
type reader struct {
	evidence.Reader
	reads int
}

var oslo = facts.Log{TenantID: "t", LogID: "node/oslo"}

func (r *reader) Logs(context.Context) ([]facts.Log, error) { return []facts.Log{oslo}, nil }

func (r *reader) Events(_ context.Context, _ facts.Log, from, _ uint64) iter.Seq2[*facts.Event, error] {
	return func(yield func(*facts.Event, error) bool) {
		e := &facts.Event{}
		e.Sequence, e.OccurredAt = from, int64(from)*1000
		yield(e, nil)
	}
}

func (r *reader) Chosen(context.Context, facts.Log, evidence.Choice) iter.Seq2[*evidence.Typed, error] {
	r.reads++
	return func(yield func(*evidence.Typed, error) bool) {
		for n := uint64(1); n <= 100; n++ {
			e := &evidence.Typed{Event: facts.Event{TransactionID: "tx-" + string('a'+rune(n/10))}}
			if e.Sequence = n; !yield(e, nil) {
				return
			}
		}
	}
}

func found(code finding.Code, first, last uint64) finding.Finding {
	f := finding.Finding{Code: code, TenantID: oslo.TenantID, LogID: oslo.LogID, Sequence: first, LastSequence: last,
		Evidence: []finding.Evidence{{Source: "oslo.ndjson"}}}
	return f.Complete()
}

func find(t *testing.T, f Facts) []Incident {
	t.Helper()
	all, err := Find(t.Context(), f)
	must.Do(t, err)
	return all
}

// TestFind: an incident has the time, the places, the candidates and the transactions of its
// events, and each log is read once.
func TestFind(t *testing.T) {
	r := &reader{}
	log := facts.Log{TenantID: oslo.TenantID, LogID: oslo.LogID}
	all := find(t, Facts{Reader: r,
		Findings: []finding.Finding{found(finding.Gap, 20, 39), found(finding.Quiet, 1, 2), found(finding.Gap, 50, 50),
			found(finding.HashMismatch, 90, 90)},
		Saw: walk.Facts{Logs: map[facts.Log]walk.LogFacts{log: {Witnesses: []walk.Witness{
			{Sequence: 10, At: 10_000, By: facts.NodeReport}, {Sequence: 20, At: 20_000, By: facts.NodeReport}}}}},
		Compared: &crosscheck.Result{Stores: []crosscheck.Store{{Name: "a"}, {Name: "b"}, {Name: "none"}},
			Presence: []crosscheck.Log{{TenantID: "t", LogID: "node/oslo", Stretches: []crosscheck.Stretch{
				{First: 1, Last: 19, Stores: []crosscheck.State{crosscheck.Present, crosscheck.Present, crosscheck.Absent}},
				{First: 20, Last: 60, Stores: []crosscheck.State{crosscheck.Absent, crosscheck.Present, crosscheck.Absent}}}}}},
		Causes: []cause.Cause{{Code: cause.EventsDeleted, Findings: []int{0, 1, 2},
			Candidates: []cause.Candidate{{Who: "someone"}}}},
	})
	must.That(t, len(all) == 2 && all[0].Kind == Altered && all[1].Kind == Gone, "%+v", all)
	gone := all[1]
	check.That(t, slices.Equal(gone.Findings, []int{0, 2}) && gone.Cause == cause.EventsDeleted &&
		gone.Candidates[0].Who == "someone" && strings.HasPrefix(gone.Name, "gone-"), "%+v", gone)
	want := []Range{{"t", "node/oslo", 20, 39}, {"t", "node/oslo", 50, 50}}
	check.That(t, slices.Equal(gone.Ranges, want), "ranges %v", gone.Ranges)
	w := gone.When
	check.That(t, w.After != nil && w.After.Sequence == 10 && w.ClaimedFirst == "1970-01-01T00:00:20.000Z" &&
		w.ClaimedLast == "1970-01-01T00:00:39.000Z", "when %+v", w)
	s := gone.Sides
	check.That(t, len(s) == 2 && s[0].State == crosscheck.Absent && slices.Equal(s[0].Places, []string{"a"}) &&
		s[1].State == crosscheck.Present && slices.Equal(s[1].Places, []string{"b"}), "sides %+v", s)
	if n := gone.Transactions; n.Count != 3 || n.AtLeast || !slices.Equal(n.IDs, []string{"tx-c", "tx-d", "tx-f"}) {
		t.Errorf("transactions %+v", n)
	}
	check.That(t, r.reads == 1, "the log was read %d times", r.reads)
}

// TestNames: a name stays when other incidents come, differs from all others, and changes with
// the range.
func TestNames(t *testing.T) {
	of := func(all ...finding.Finding) []Incident { return find(t, Facts{Reader: &reader{}, Findings: all}) }
	one, other := of(found(finding.Gap, 3, 4))[0].Name, of(found(finding.Gap, 3, 5))[0].Name
	both := of(found(finding.HashMismatch, 9, 9), found(finding.Gap, 3, 4))
	if one == other || both[0].Name == one || both[1].Name != one {
		t.Errorf("%s, %s, %s and %s", one, other, both[0].Name, both[1].Name)
	}
	var many []Incident
	for n := range uint64(2000) { // more than enough for two digests that begin alike
		many = append(many, Incident{Kind: Gap, Code: finding.Gap, Ranges: []Range{{"t", "node/oslo", n + 1, n + 1}}})
	}
	seen := map[string]bool{}
	for _, i := range Ordered(many) {
		seen[i.Name] = true
	}
	check.That(t, len(seen) == len(many), "%d names for %d incidents", len(seen), len(many))
}

// TestNamesOfDocuments: incidents about documents have short names of their own, in any folder, also
// if two documents have one name.
func TestNamesOfDocuments(t *testing.T) {
	names := func(paths ...string) (all []string) {
		var of []finding.Finding
		for _, p := range paths {
			f := finding.Finding{Code: finding.BundleRejected, Evidence: []finding.Evidence{{Source: p}}}
			of = append(of, f.Complete())
		}
		for _, i := range find(t, Facts{Reader: &reader{}, Findings: of}) {
			all = append(all, i.Name)
		}
		return all
	}
	one, two := names("a/one.json")[0], names("a/two.json")[0]
	all := names("b/one.json", "b/two.json", "c/one.json")
	check.That(t, one != two && slices.Equal(all[:2], []string{one, two}), "%s and %s, then %q", one, two, all)
	check.That(t, len(slices.Compact(slices.Sorted(slices.Values(all)))) == 3 && len(all[2]) == len(one), "%q", all)
}

// TestGroups: findings that leave several logs open for one reason are one incident. Findings
// that reject are one incident for each cause.
func TestGroups(t *testing.T) {
	absent, gap := found(finding.Absent, 1, 9), found(finding.Gap, 3, 4)
	for name, tt := range map[string]struct {
		code finding.Code
		who  string
		want int
	}{
		"open, the same candidates":    {finding.Absent, "someone", 1},
		"open, other candidates":       {finding.Absent, "someone else", 2},
		"rejects, the same candidates": {finding.Gap, "someone", 2},
	} {
		f := absent
		if tt.code == finding.Gap {
			f = gap
		}
		g := f
		g.LogID = "node/paris"
		all := find(t, Facts{Reader: &reader{}, Findings: []finding.Finding{f, g}, Causes: []cause.Cause{
			{Code: cause.NotCollected, Findings: []int{0}, Candidates: []cause.Candidate{{Who: "someone"}}},
			{Code: cause.NotCollected, Findings: []int{1}, Candidates: []cause.Candidate{{Who: tt.who}}}}})
		check.That(t, len(all) == tt.want, "%s: %d incidents", name, len(all))
	}
}

// TestLossyStore: events that a store does not keep by design are a gap, and no deletion.
func TestLossyStore(t *testing.T) {
	for code, want := range map[finding.Code]Kind{cause.LossyStore: Gap, cause.EventsDeleted: Gone} {
		all := find(t, Facts{Reader: &reader{}, Findings: []finding.Finding{found(finding.Gap, 3, 4)},
			Causes: []cause.Cause{{Code: code, Findings: []int{0}}}})
		check.That(t, all[0].Kind == want && strings.HasPrefix(all[0].Name, string(want)+"-"), "%s: %+v", code, all[0])
	}
}
