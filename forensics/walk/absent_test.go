package walk_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestNoneLeft: a log without events is rejected if something of it was given, or the user
// states that it was. Berlin is anchored up to 30.
func TestNoneLeft(t *testing.T) {
	file := func(name string) []finding.Evidence { return []finding.Evidence{{Source: name}} }
	within := func(source, name string) []finding.Evidence {
		return []finding.Evidence{{Source: source, Container: name}}
	}
	stray := func(w *world) { w.AddAltered(berlin, 12, forge.Resequence(far)) }
	unanchored := func(w *world) { w.Docs = nil; delete(w.Copies, tenantLog) }
	const open, rejected = verify.Inconclusive, verify.Rejected
	option := func(collected ...string) walk.Options { return walk.Options{Collected: collected} }
	for name, c := range map[string]struct {
		with    []func(*world)
		empty   []finding.Evidence
		option  walk.Options
		verdict verify.Verdict
		given   walk.Collected
		missing uint64
	}{
		"nothing was given":    {nil, nil, option(), open, walk.NotCollected, 30},
		"a stray":              {[]func(*world){stray}, nil, option(), rejected, walk.OnlyStrays, 30},
		"an empty journal":     {nil, file("x/berlin.ndjson"), option(), rejected, walk.OnlyEmptyFile, 30},
		"without an extension": {nil, file("berlin"), option(), rejected, walk.OnlyEmptyFile, 30},
		"in a folder":          {nil, file(`c:\berlin\journal.ndjson`), option(), rejected, walk.OnlyEmptyFile, 30},
		"in an archive": {nil, within("all.tar", "journals/berlin.ndjson"), option(), rejected,
			walk.OnlyEmptyFile, 30},
		"in an archive within it": {nil, within("all.tar", "inner.tar!berlin.ndjson"), option(), rejected,
			walk.OnlyEmptyFile, 30},
		"another file in its folder": {nil, file("berlin/errors.ndjson"), option(), open, walk.NotCollected, 30},
		"another node's":             {nil, file("berlin-2.ndjson"), option(), open, walk.NotCollected, 30},
		"the archive has the name":   {nil, within("berlin.tar", "x"), option(), open, walk.NotCollected, 30},
		"declared":                   {nil, nil, option(berlin.LogID), rejected, walk.DeclaredOnly, 30},
		"another one declared":       {nil, nil, option(oslo.LogID), open, walk.NotCollected, 30},
		"declared, and nothing anchors it": {[]func(*world){unanchored}, nil, option(berlin.LogID), rejected,
			walk.DeclaredOnly, 0},
		"a stray, and nothing anchors it": {[]func(*world){unanchored, func(w *world) {
			w.AddAltered(berlin, 12, forge.Resign(w.Keys["stranger"], forge.Resequence(far)))
		}}, nil, option(), open, walk.OnlyStrays, 0},
	} {
		w := plain(t)
		for _, change := range c.with {
			change(w)
		}
		w.Remove(berlin, 0, 33)
		source := w.Reader()
		source.EmptyFiles = c.empty
		r, _ := must.Two(walk.Run(context.Background(), source, w.Root, c.option))(t)
		i := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == berlin.LogID })
		if i < 0 {
			t.Errorf("%s: Berlin is not in the result", name)
			continue
		}
		l := r.Logs[i]
		if l.Verdict != c.verdict || r.Verdict != c.verdict || l.Collected != c.given || l.Missing != c.missing {
			t.Errorf("%s: %s of %s, given %q, %d missing; want %s, %q, %d", name, l.Verdict, r.Verdict, l.Collected, l.Missing,
				c.verdict, c.given, c.missing)
		}
	}
}

// TestCollectedIsOfNone: for a log that has events, Collected is empty.
func TestCollectedIsOfNone(t *testing.T) {
	w := plain(t)
	r, _, err := walk.Run(context.Background(), w.Reader(), w.Root,
		walk.Options{Collected: []string{berlin.LogID}})
	check.That(t, err == nil && r.Verdict == verify.Verified && !slices.ContainsFunc(r.Logs,
		func(l walk.LogResult) bool { return l.Collected != "" }), "%+v, %v", r, err)
}

// TestCutAfterItWasCollected: a missing end counts only if the anchor above it was made
// before the log was collected.
func TestCutAfterItWasCollected(t *testing.T) {
	for name, c := range map[string]struct {
		until func(made int64) int64
		want  string
	}{
		"nothing is said": {func(int64) int64 { return 0 }, "journal.tail-missing 28-30"},
		"before":          {func(made int64) int64 { return made - 1 }, "journal.tail-missing 28-30"},
		"at that time":    {func(made int64) int64 { return made }, "journal.tail-truncated 28-30"},
	} {
		w := plain(t)
		w.Remove(berlin, 27, 6)
		w.Docs = nil
		made := int64(0) // when the last of the reports was
		for _, c := range w.Copies[tenantLog] {
			if body := seal.Member(c.Object, "body"); seal.Text(body, "type") == event.NodeReported {
				at := must.Get(time.Parse(time.RFC3339, seal.Text(body, "occurred_at")))(t)
				made = at.UnixMilli()
			}
		}
		until := func(l facts.Log) int64 { return map[facts.Log]int64{berlin: c.until(made)}[l] }
		r, _ := must.Two(walk.Run(t.Context(), w.Reader(), w.Root, walk.Options{Until: until}))(t)
		wantResult(t, r, name, inBerlin+c.want)
	}
}

// TestGapBetweenCopies: a gap is between two copies if nothing has the events on both of
// its sides. The files of one folder, and those whose paths differ in numbers, are one.
func TestGapBetweenCopies(t *testing.T) {
	const own = "node/berlin.jsonl"
	for name, c := range map[string]struct {
		after []string // where the events above the gap are
		code  string
	}{
		"in one file":             {[]string{own}, "chain.gap"},
		"in another folder":       {[]string{"end/tail.txt"}, "chain.gap-between-copies"},
		"in another folder's gz":  {[]string{"end/node.tar!berlin.jsonl.gz"}, "chain.gap-between-copies"},
		"in its folder":           {[]string{"node/tail.txt"}, "chain.gap"},
		"rotated":                 {[]string{own + ".1.gz"}, "chain.gap"},
		"of another day":          {[]string{"node2026/berlin7.jsonl"}, "chain.gap"},
		"in both":                 {[]string{"end/tail.txt", own}, "chain.gap"},
		"in a subfolder":          {[]string{"node/end/tail.txt"}, "chain.gap-between-copies"},
		"in a file of that name":  {[]string{"end/berlin.jsonl"}, "chain.gap-between-copies"},
		"on a disk of that shape": {[]string{`node9\berlin.jsonl`}, "chain.gap"},
	} {
		w := plain(t)
		w.Remove(berlin, 11, 3)
		w.Places = map[string][]finding.Evidence{}
		for _, copied := range w.Copies[berlin][11:] {
			for _, source := range c.after {
				text := string(seal.Canonical(copied.Object))
				file, inner, _ := strings.Cut(source, "!")
				w.Places[text] = append(w.Places[text], finding.Evidence{Source: file, Container: inner})
			}
		}
		r, _ := must.Two(walk.Run(t.Context(), w.Reader(), w.Root, walk.Options{}))(t)
		wantResult(t, r, name, inBerlin+c.code+" 12-14")
	}
}
