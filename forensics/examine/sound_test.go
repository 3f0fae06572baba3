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

// signedBy decides by definition (SPEC 3.3, 4.2) whether a copy names a pinned key of its log's
// owner, and whether that signed its content.
func signedBy(root *trust.Root, log facts.Log, e *facts.Event) (pinned, holds bool) {
	role := trust.Audit
	node, ofNode := strings.CutPrefix(log.LogID, "node/")
	if ofNode {
		role = trust.Node
	}
	key, ok := root.Key(role, e.KeyID)
	pinned = ok && (!ofNode || key.Node == node)
	hash := e.Computed // as the case has it
	return pinned, pinned && ed25519.Verify(key.Public[:], trust.PAE(event.Protocol, hash[:]), e.Signature[:])
}

// TestSoundIsTrue: if a walk finds an event sound, the signatures of its copies hold, even if
// the walk itself knew them from earlier; and a comparison that uses this has the same result
// as one that does not.
func TestSoundIsTrue(t *testing.T) {
	scripts := []string{"", "lose-octet", "report-altered-signature", "alter-at-store", "fork", "unknown-key",
		"report-unknown-key", "flood", "alter-signature", "alter-recorded-hash", "rewrite-tail", "witness-other-history"}
	if testing.Short() {
		scripts = scripts[:1]
	}
	for _, script := range scripts {
		path, root := gathered(t, script)
		w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
		for range 2 { // the second time the walk remembers
			saw := checkSound(t, w, root, script)
			c := must.Get(w.Case(t.Context(), store.Judging{}))(t)
			want := must.Get(crosscheck.Run(t.Context(), c, root, crosscheck.Options{}))(t)
			got := must.Get(crosscheck.Run(t.Context(), c, root, crosscheck.Options{Sound: saw.IsSound}))(t)
			a, err1 := json.Marshal(want)
			b, err2 := json.Marshal(got)
			check.That(t, err1 == nil && err2 == nil && bytes.Equal(a, b), "%s: %s\nwant %s", script, b, a)
		}
		must.Do(t, w.Close())
	}
}

// checkSound walks, and checks the events that it finds sound against their signatures.
func checkSound(t *testing.T, w *store.Writer, root *trust.Root, script string) (saw walk.Facts) {
	t.Helper()
	r := must.Get(w.Case(t.Context(), store.Judging{}))(t)
	s := must.Get(newReader(t.Context(), r, memory{w}))(t)
	must.Two(walk.Run(t.Context(), s, root, walk.Options{Workers: 2, Signatures: NewSignatures(w),
		Facts: func(f walk.Facts) { saw = f }}))(t)
	for _, log := range s.logs {
		all, others := 0, 0
		for e, err := range r.Events(t.Context(), log, 0, math.MaxInt64) {
			must.Do(t, err)
			if all++; !saw.IsSound(log, e.Sequence) {
				others++
			} else if pinned, holds := signedBy(root, log, e); pinned && e.Intact() && !holds {
				t.Errorf("%s: event %d of %s is sound, and no key signed copy %d", script, e.Sequence, log.LogID, e.Variant)
			}
		}
		check.That(t, script == "flood" || others <= all/8, "%s: %d of %d copies of %s are not sound", script, others, all,
			log.LogID)
		check.That(t, script != "" || others == 0, "%d copies of %s are not sound", others, log.LogID)
	}
	return saw
}

// losses are changes that transports make to the values of a body that was taken apart: each
// makes another value of the text of one.
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

// data matches the data of an event, in a body that was taken apart.
var data = regexp.MustCompile(`\{"key":"data","value":.*?\{"key":"log_id",`)

// lose changes one in so many of the values that the events of a dump have to say. The place
// that an event states for itself is left alone: without that it is another event or none.
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

// TestLossIsNoForgery: nothing that a transport loses of genuine events makes the walk reject
// them. The last event of each log came through whole: one that is lost there cannot be
// distinguished from one that was cut off.
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

// TestNumberAsTextIsNoLoss: a difference that is not provably a decoder's loss excuses
// nothing; otherwise an attacker who alters a number could write it as a text.
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
	found := walktest.Said(r.Findings)
	check.That(t, slices.ContainsFunc(found,
		func(f string) bool { return strings.Contains(f, " event.hash-mismatch ") }), "%s: %v", r.Verdict, found)
}
