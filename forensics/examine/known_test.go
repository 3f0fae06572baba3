package examine

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// gathered makes a case of a fleet that a script tampered with.
func gathered(t *testing.T, script string) (string, *trust.Root) {
	t.Helper()
	usual := cases.Evidence(t, fleet.Scene)
	e, damage := usual, tamper.Damage{File: fleet.TenantLog}
	if script != "" {
		s, ok := tamper.Lookup(script)
		must.That(t, ok, "no script %q", script)
		e, damage = must.Two(s.Apply(e))(t)
	}
	dir := t.TempDir()
	must.Do(t, e.Write(filepath.Join(dir, "evidence"), tamper.Given(usual, e, damage)...))
	return cases.Ingest(t, dir, []string{filepath.Join(dir, "evidence")}, cases.As(1)), cases.Root(t, e)
}

// holds decides by definition (SPEC 3.3, 4.2).
func holds(root *trust.Root, log evidence.Log, e *facts.Event) bool {
	role := trust.Audit
	node, ofNode := strings.CutPrefix(log.LogID, "node/")
	if ofNode {
		role = trust.Node
	}
	key, ok := root.Key(role, e.KeyID)
	hash := e.Computed // as the case has it
	return ok && (!ofNode || key.Node == node) && hash == e.Recorded &&
		ed25519.Verify(key.Public[:], trust.PAE(event.Protocol, hash[:]), e.Signature[:])
}

// TestKnownIsTrue: what a walk hands on of a copy is what its signature says, of
// every copy and also if the walk itself knew it from earlier; and the comparison
// that uses it says what it says without.
func TestKnownIsTrue(t *testing.T) {
	scripts := []string{"", "lose-octet", "report-altered-signature", "alter-at-store", "fork", "unknown-key",
		"report-unknown-key", "flood", "alter-signature", "alter-recorded-hash", "rewrite-tail", "witness-other-history"}
	if testing.Short() {
		scripts = scripts[:1]
	}
	for _, script := range scripts {
		path, root := gathered(t, script)
		w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
		for range 2 { // the second time the walk remembers
			k := newKnown()
			checkKnown(t, w, root, k, script)
			c := must.Get(w.Case(t.Context(), store.Judging{}))(t)
			want := must.Get(crosscheck.Run(t.Context(), c, root, crosscheck.Options{}))(t)
			got := must.Get(crosscheck.Run(t.Context(), c, root, crosscheck.Options{Known: k}))(t)
			a, err1 := json.Marshal(want)
			b, err2 := json.Marshal(got)
			check.That(t, err1 == nil && err2 == nil && bytes.Equal(a, b), "%s: %s\nwant %s", script, b, a)
		}
		must.Do(t, w.Close())
	}
}

// checkKnown walks and compares what is known with what is true.
func checkKnown(t *testing.T, w *store.Writer, root *trust.Root, k *known, script string) {
	t.Helper()
	r := must.Get(w.Case(t.Context(), store.Judging{}))(t)
	s := must.Get(newReader(t.Context(), r, memory{w}))(t)
	must.Two(walk.Run(t.Context(), s, root, walk.Options{Workers: 2, Signatures: NewSignatures(w),
		Told: k.addJudged}))(t)
	for log, in := range s.logs {
		all, unknown := 0, 0
		for e, err := range r.Events(t.Context(), in, 0, math.MaxInt64) {
			must.Do(t, err)
			j, ok := k.Judgement(in, e.Link.Sequence, e.Ref)
			if all++; !ok {
				unknown++
			} else if want := holds(root, in, e); j.Valid != want {
				t.Errorf("%s: event %d of %s, copy %d: %t, want %t", script, e.Link.Sequence, log.LogID, e.Variant, j.Valid, want)
			}
		}
		check.That(t, (script == "flood" || unknown <= all/50) && (script != "" || unknown == 0),
			"%s: %d of %d copies of %s are not known", script, unknown, all, log.LogID)
		n := len(k.logs[log])
		check.That(t, script != "" || n <= 3, "%d runs of %s, where hardly anything changes", n, log.LogID)
	}
}

// TestKnownRuns: what is known ends where a sequence is missing, where the copies
// of one kind differ, and where no more can be kept.
func TestKnownRuns(t *testing.T) {
	of := func(n uint64, variant int32, valid bool) walk.Copy {
		return walk.Copy{Sequence: n, Ref: facts.Ref{Log: 1, Variant: variant}, Valid: valid}
	}
	report := func(n uint64, sound bool) walk.Copy {
		return walk.Copy{Sequence: n, Ref: facts.Ref{Log: 1}, Valid: true, IsReport: true, Report: sound}
	}
	log := evidence.Log{Log: facts.Log{TenantID: "acme", LogID: "tenant/acme"}}
	k := newKnown()
	k.addJudged(facts.Log{TenantID: "acme", LogID: "tenant/acme"}, []walk.Copy{
		of(1, 0, true), of(2, 0, true), of(2, 1, false), of(3, 0, true), // one run
		of(5, 0, true),                  // behind a gap
		of(6, 0, false), of(6, 1, true), // the other copy is the genuine one
		of(7, 1, true), of(7, 2, false), of(7, 0, false), // some are
		report(8, true), of(9, 0, true), report(10, true),
		report(11, false),
	})
	type key struct {
		sequence uint64
		variant  int32
	}
	type want struct {
		valid, report, ok bool
	}
	for at, want := range map[key]want{
		{0, 0}: {}, {1, 0}: {true, false, true}, {2, 0}: {true, false, true}, {2, 1}: {false, false, true},
		{3, 0}: {true, false, true}, {4, 0}: {}, {5, 0}: {true, false, true}, {5, 1}: {}, {6, 0}: {false, false, true},
		{6, 1}: {true, false, true}, {7, 0}: {false, false, true}, {7, 1}: {}, {7, 2}: {}, {8, 0}: {true, true, true},
		{10, 0}: {true, true, true}, {11, 0}: {true, false, true}, {12, 0}: {},
	} {
		j, ok := k.Judgement(log, at.sequence, facts.Ref{Log: 1, Variant: at.variant})
		check.Equal(t, (struct{ valid, report, ok bool }{j.Valid, j.Report, ok}), want, "%+v", at)
	}
	j, ok := k.Judgement(evidence.Log{Log: facts.Log{TenantID: "acme", LogID: "node/x"}}, 1, facts.Ref{Log: 1})
	check.That(t, !ok, "of another log: %+v", j)
	few := &known{logs: map[facts.Log][]knownRun{}, left: 1}
	few.addJudged(facts.Log{LogID: "a"}, []walk.Copy{of(1, 0, true), of(2, 0, false), of(3, 0, true)})
	j, ok = few.Judgement(evidence.Log{Log: facts.Log{LogID: "a"}}, 3, facts.Ref{Log: 1})
	check.That(t, !ok && few.left == 0, "beyond the bound: %+v", j)
}

// losses are what transports do to the values of a body that was taken apart:
// each makes another value of the text of one.
var losses = []struct {
	values *regexp.Regexp
	lose   func(text string) string
}{
	{regexp.MustCompile(`\{"intValue":"([0-9]+)"\}`), func(n string) string { return `{"doubleValue":` + n + `}` }},
	{regexp.MustCompile(`\{"intValue":"([0-9]+)"\}`), func(n string) string { return `{"doubleValue":` + n + `.5}` }},
	{regexp.MustCompile(`\{"stringValue":"([^"\\]*)"\}`), func(s string) string {
		return `{"bytesValue":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}`
	}},
	{regexp.MustCompile(`\{"stringValue":"([^"\\]*)"\}`),
		func(s string) string { return `{"stringValue":"` + s[:len(s)/2] + `�"}` }},
	{regexp.MustCompile(`\{"stringValue":"([^"\\]*)"\}`), func(string) string { return `{}` }},
}

// data is what an event has to say, in a body that was taken apart.
var data = regexp.MustCompile(`\{"key":"data","value":.*?\{"key":"log_id",`)

// lose changes one in so many of the values that the events of a dump have to
// say. What an event says of its own place is left alone: without that it is
// another event or none.
func lose(t *rapid.T, dump []byte) []byte {
	how := losses[rapid.IntRange(0, len(losses)-1).Draw(t, "loss")]
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "values"), 0))
	oneIn := rapid.SampledFrom([]int{1, 4, 30}).Draw(t, "one in")
	return data.ReplaceAllFunc(dump, func(all []byte) []byte {
		return how.values.ReplaceAllFunc(all, func(value []byte) []byte {
			if random.IntN(oneIn) > 0 {
				return value
			}
			return []byte(how.lose(string(how.values.FindSubmatch(value)[1])))
		})
	})
}

// TestLossIsNoForgery: nothing that a transport loses of genuine events makes
// the walk reject them. The last event of each log came through whole: one that
// is lost there cannot be told from one that was cut off.
func TestLossIsNoForgery(t *testing.T) {
	w := walktest.History(11, 6)
	lost := false
	rapid.Check(t, func(t *rapid.T) {
		var sources []source
		for _, l := range walktest.SortedLogs(w.Copies) {
			var bodies [][]byte
			for _, c := range w.Copies[l] {
				bodies = append(bodies, seal.Canonical(c.Object))
			}
			dump := dumps.Named("file-json").Write(bodies, dumps.Options{Structured: true, Size: 4, Time: exported.UnixNano()})
			last := dumps.Named("journal").Write(bodies[len(bodies)-1:], dumps.Options{})
			sources = append(sources, source{content: append(lose(t, dump), last...)})
		}
		for _, d := range w.Docs {
			sources = append(sources, source{content: seal.Canonical(d)})
		}
		r := walkPaths(t, w, lay(t, scratch(t), named(t, sources)))
		for _, f := range r.Findings {
			check.That(t, f.Effect() != finding.Rejects,
				"%s %s %d-%d: %s", f.Code, f.LogID, f.Sequence, f.LastSequence, f.Message)
		}
		check.That(t, r.Verdict != verify.Rejected, "rejected")
		lost = lost || slices.ContainsFunc(r.Findings,
			func(f finding.Finding) bool { return f.Code == finding.HashMismatchLossy })
	})
	if !lost && !testing.Short() { // few draws may lose nothing
		t.Error("nothing was lost")
	}
}

// TestNumberAsTextIsNoLoss: what a decoder did not provably lose excuses nothing,
// or whoever alters a number could write it as a text.
func TestNumberAsTextIsNoLoss(t *testing.T) {
	w := walktest.History(11, 6)
	var bodies [][]byte
	for _, c := range w.Copies[walktest.Berlin] {
		bodies = append(bodies, seal.Canonical(c.Object))
	}
	dump := dumps.Named("file-json").Write(bodies, dumps.Options{Structured: true, Size: 4, Time: exported.UnixNano()})
	number := regexp.MustCompile(`\{"key":"n","value":\{"intValue":"([0-9]+)"\}`)
	must.That(t, number.Match(dump), "no event has a number")
	dump = number.ReplaceAll(dump, []byte(`{"key":"n","value":{"stringValue":"$1"}`))
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "dump.json"), dump, 0o600))
	path := filepath.Join(dir, "case.db")
	add(t, path, dir, "dump.json")
	r := run(t, path, w.Root, Whole)
	if found := walktest.Said(r.Findings); !slices.ContainsFunc(found,
		func(f string) bool { return strings.Contains(f, " event.hash-mismatch ") }) {
		t.Errorf("%s: %v", r.Verdict, found)
	}
}
