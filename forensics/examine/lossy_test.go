package examine

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

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
