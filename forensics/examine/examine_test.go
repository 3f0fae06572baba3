package examine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// leftOut returns the kinds of things that a result reports as not examined.
func leftOut(r *verdict.Result) []verdict.What {
	var all []verdict.What
	for _, l := range r.LeftOut {
		all = append(all, l.What)
	}
	return all
}

// TestPartialExamination: whatever was left out is said, and the verdict is then
// no success. An examination of everything is the near miss.
func TestPartialExamination(t *testing.T) {
	path, root := fill(t, t.TempDir(), "journals", "tenant.ndjson")
	ended, cancel := context.WithDeadline(t.Context(), time.Time{})
	defer cancel()
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		options Options
		left    []verdict.What
	}{
		{"all", t.Context(), Options{}, nil},
		{"all, by name", t.Context(), Options{Logs: []string{"node/mesh-berlin-1", "node/mesh-lisbon-1", "node/mesh-oslo-1",
			"tenant/acme-corp"}}, nil},
		{"one log", t.Context(), Options{Logs: []string{"tenant/acme-corp"}},
			[]verdict.What{verdict.Logs, verdict.Comparison}},
		{"without comparison", t.Context(), Options{NoCompare: true}, []verdict.What{verdict.Comparison}},
		{"since the last", t.Context(), Options{Extent: SinceLast}, []verdict.What{verdict.Earlier, verdict.Comparison}},
		{"no time", ended, Options{}, []verdict.What{verdict.Rest, verdict.Comparison}},
	} {
		tt.options.Case = []store.Option{cases.As(1)}
		r := must.Get(Examine(tt.ctx, path, root, tt.options))(t)
		want := verify.Inconclusive
		if tt.left == nil {
			want = verify.Verified
		}
		got := leftOut(r)
		check.That(t, slices.Equal(got, tt.left) && r.Verdict == want,
			"%s: %s, left out %v; want %s, %v", tt.name, r.Verdict, r.LeftOut, want, tt.left)
	}
}

// TestLaterEvidence: an answer does not cover evidence that came into the case after it, and
// is then no success. The near miss is evidence that it had examined.
func TestLaterEvidence(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after []string
		verdict       verify.Verdict
		later         []verdict.What
		named         string
	}{
		{"a source", nil, []string{"hello.txt"}, verify.Inconclusive, []verdict.What{verdict.Later}, ""},
		{"a path that cannot be read", nil, []string{"absent.ndjson"}, verify.Inconclusive, []verdict.What{verdict.Later},
			"absent.ndjson"},
		{"that path before", []string{"absent.ndjson"}, nil, verify.Inconclusive, nil, ""},
		{"nothing", nil, nil, verify.Verified, nil, ""},
	} {
		dir := t.TempDir()
		path, root := fill(t, dir, append([]string{"journals", "tenant.ndjson"}, tt.before...)...)
		run(t, path, root, Whole)
		must.Do(t, os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello\n"), 0o600))
		add(t, path, dir, tt.after...)
		c := must.Get(store.OpenCase(path, cases.As(1)))(t)
		defer c.Close()
		r, err := verdict.Last(t.Context(), c, chain.Hash{})
		check.That(t, err == nil && r.Verdict == tt.verdict && slices.Equal(leftOut(r), tt.later),
			"%s: %+v, %v", tt.name, r, err)
		if tt.named != "" && !slices.Equal(r.LeftOut[0].Items, []string{filepath.Join(dir, tt.named)}) {
			t.Errorf("%s: %v", tt.name, r.LeftOut[0].Items)
		}
	}
}

// TestStoresAreKept: a walk compares the stores that an earlier one was given,
// until it is given others or is to find them.
func TestStoresAreKept(t *testing.T) {
	path, root := fill(t, t.TempDir(), "journals", "tenant.ndjson")
	given := []crosscheck.Prefix{{Name: "all", Path: filepath.Dir(path)}}
	for i, tt := range []struct {
		options Options
		names   int
	}{
		{Options{}, 2}, {Options{Stores: given}, 1}, {Options{}, 1}, {Options{FindStores: true}, 2}, {Options{}, 2},
	} {
		tt.options.Case = []store.Option{cases.As(1)}
		r, err := Examine(t.Context(), path, root, tt.options)
		check.That(t, err == nil && len(r.Stores) == tt.names, "%d: %d stores, %v; want %d", i, len(r.Stores), err, tt.names)
	}
}

// TestCrosscheckBeside: evidence next to the case counts in the comparison, but other stores
// do not; the case's own answer stays.
func TestCrosscheckBeside(t *testing.T) {
	dir := t.TempDir()
	path, root := fill(t, dir, "journals", "tenant.ndjson")
	part := must.Get(os.ReadFile(filepath.Join(dir, "journals", "mesh-berlin-1.ndjson")))(t)
	lines := slices.Collect(bytes.Lines(part))
	must.Do(t, os.WriteFile(filepath.Join(dir, "older.ndjson"), slices.Concat(lines[:4]...), 0o600))
	add(t, path, dir, "older.ndjson")
	options := Options{Case: []store.Option{cases.As(1)}}
	same, err := Crosscheck(t.Context(), path, root, nil, options)
	must.That(t, err == nil && same.Verdict == verify.Verified && !same.OtherStores, "%+v, %v", same, err)
	bad := []crosscheck.Evidence{{Name: "bad.json", Bytes: []byte("{}")}}
	with, err := Crosscheck(t.Context(), path, root, bad, options)
	check.That(t, err == nil && with.Verdict == verify.Rejected && with.Case.Verdict == verify.Verified,
		"with a bundle that does not verify: %+v, %v", with, err)
	options.Stores = []crosscheck.Prefix{{Name: "older", Path: filepath.Join(dir, "older.ndjson")}}
	other, err := Crosscheck(t.Context(), path, root, bad, options)
	check.That(t, err == nil && other.Verdict == verify.Rejected && other.OtherStores && len(other.Stores) == 1,
		"other stores, with that bundle: %+v, %v", other, err)
	other, err = Crosscheck(t.Context(), path, root, nil, options)
	check.That(t, err == nil && other.Verdict == verify.Verified && other.OtherStores && len(other.Stores) == 1,
		"other stores: %+v, %v", other, err)
}

// TestCrosscheckKnowsWhatWasCollected: a log that was given to the walk as collected is
// collected for every crosscheck that follows: with a bundle in addition to the case, and
// after more came in. A walk without that is the near miss.
func TestCrosscheckKnowsWhatWasCollected(t *testing.T) {
	const log = "node/mesh-berlin-1"
	dir := t.TempDir()
	path, root := fill(t, dir, "tenant.ndjson")
	options := Options{Case: []store.Option{cases.As(1)}}
	lacks := func(evidence []crosscheck.Evidence) bool {
		t.Helper()
		r := must.Get(Crosscheck(t.Context(), path, root, evidence, options))(t)
		return slices.Equal(r.Case.Collected, []crosscheck.Collected{{LogID: log}}) &&
			slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
				return f.Code == finding.JournalLacks && f.LogID == log
			})
	}
	journal := must.Get(os.ReadFile(filepath.Join(dir, "journals", "mesh-berlin-1.ndjson")))(t)
	var dump strings.Builder
	for line := range strings.Lines(string(journal)) {
		dump.WriteString(dumped(strings.TrimSpace(line)))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "dump.jsonl"), []byte(dump.String()), 0o600))
	add(t, path, dir, "dump.jsonl")
	bad := []crosscheck.Evidence{{Name: "bad.json", Bytes: []byte("{}")}}
	for _, collected := range [][]crosscheck.Collected{nil, {{LogID: log}}} {
		options.Collected = collected
		must.Get(Examine(t.Context(), path, root, options))(t)
		options.Collected = nil
		for name, got := range map[string]bool{"the case": lacks(nil), "a bundle beside": lacks(bad)} {
			check.That(t, got == (collected != nil),
				"%s, collected %v: the journal lacks events: %t", name, collected, got)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "empty.txt"), []byte("hello\n"), 0o600))
	add(t, path, dir, "empty.txt")
	check.That(t, lacks(nil), "once more came in, the log counts as not collected")
}

// examinedAfter walks and compares the evidence that a script leaves.
func examinedAfter(t *testing.T, script string) verdict.Examined {
	t.Helper()
	e := cases.Evidence(t, fleet.Scene)
	s, _ := tamper.Lookup(script)
	after, damage := must.Two(s.Apply(e))(t)
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	must.Do(t, after.Write(given, tamper.Given(e, after, damage)...))
	w := must.Get(store.OpenWrite(cases.Ingest(t, dir, []string{given})))(t)
	defer w.Close()
	r := must.Get(w.Case(t.Context(), store.Judging{}))(t)
	defer r.Close()
	x := &examination{r: r, w: w, c: r, signatures: NewSignatures(w), root: cases.Root(t, after)}
	must.Get(x.walkLogs(t.Context()))(t)
	must.Do(t, x.compareEvidence(t.Context()))
	return x.Examined
}

// TestBothExaminationsCount: a fault that one examination alone finds rejects the case, which
// would not be rejected without it.
func TestBothExaminationsCount(t *testing.T) {
	for _, tt := range []struct {
		left, script string
		leave        func(*verdict.Examined)
	}{
		{"the walk", "broken-skip", func(e *verdict.Examined) {
			without := *e.Walk
			without.Verdict, without.Findings = verify.Verified, []finding.Finding{}
			e.Walk = &without
		}},
		{"the comparison", "withheld-revocation", func(e *verdict.Examined) { e.Comparison = nil }},
	} {
		all := examinedAfter(t, tt.script)
		got := verdict.Make(all).Verdict
		check.That(t, got == verify.Rejected, "%s: %s", tt.script, got)
		tt.leave(&all)
		got = verdict.Make(all).Verdict
		check.That(t, got == verify.Verified, "%s without %s: %s", tt.script, tt.left, got)
	}
}
