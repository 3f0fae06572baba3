package examine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// drawWorld draws a damaged world in which some events, genuine ones too, went through
// transports that take bodies apart.
func drawWorld(t *rapid.T) *walktest.World {
	w := walktest.DamagedWorld(t)
	for _, l := range walktest.SortedLogs(w.Copies) {
		list := w.Copies[l]
		if len(list) == 0 || rapid.IntRange(0, 2).Draw(t, "taken apart") > 0 {
			continue
		}
		from := rapid.IntRange(0, len(list)-1).Draw(t, "from")
		for i := from; i < min(len(list), from+5); i++ {
			list[i].Apart = true
		}
	}
	for _, list := range w.Copies {
		for i := range list {
			// Spoilt copies went through a transport that reports its losses.
			list[i].Lossy = spoilt(seal.Canonical(list[i].Object))
			list[i].Apart = list[i].Apart || list[i].Lossy
		}
	}
	return w
}

// spoilt reports whether a transport replaced something in an event.
func spoilt[T string | []byte](line T) bool { return strings.Contains(string(line), "\ufffd") }

// scratch makes a folder that is gone when the check is.
func scratch(t *rapid.T) string {
	dir := must.Get(os.MkdirTemp("", "path"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// lay writes the sources below a folder and returns their paths.
func lay(t *rapid.T, dir string, sources []source) []string {
	var paths []string
	for _, s := range sources {
		paths = append(paths, must.WriteFile(t, filepath.Join(dir, s.name), s.content))
	}
	return paths
}

// walkPaths fills a case with the files, in any order, in several goes and with
// any number of workers, and walks it.
func walkPaths(t *rapid.T, w *walktest.World, paths []string) *walk.Result {
	path := filepath.Join(scratch(t), "case.db")
	paths = shuffled(t, paths)
	for goes := rapid.IntRange(0, 2).Draw(t, "goes"); goes >= 0; goes-- {
		n := len(paths)
		if goes > 0 {
			n = rapid.IntRange(0, n).Draw(t, "files")
		}
		take(t, path, paths[:n])
		paths = paths[n:]
	}
	r := must.Get(Examine(context.Background(), path, w.Root,
		Options{NoCompare: true, Case: []store.Option{cases.As(1)},
			Workers: rapid.IntRange(1, 4).Draw(t, "walkers")}))(t)
	return &walk.Result{Verdict: r.Verdict, TrustSHA256: r.TrustSHA256, Logs: r.Logs, Batches: r.Batches,
		Sources: r.Sources, Findings: r.Findings}
}

func take(t *rapid.T, path string, paths []string) {
	w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
	options := ingest.Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers"),
		ChunkRecords: rapid.IntRange(1, 60).Draw(t, "chunk")}
	must.Get(ingest.Paths(context.Background(), w, paths, options, nil))(t)
	must.Do(t, w.Close())
}

// placesOf returns which of the sources have each event, as TestPath laid them out.
func placesOf(sources []source) map[string][]finding.Evidence {
	places := map[string][]finding.Evidence{}
	for _, s := range sources {
		for i, c := range s.copies {
			line := string(seal.Canonical(c.Object))
			places[line] = append(places[line], finding.Evidence{Source: s.name, Offset: int64(i)})
		}
	}
	return places
}

// TestPath: whatever the damage, and however the evidence was sent, stored, wrapped and read
// in, the walk reports exactly the findings of the naive walk over the documents. Package
// delivery tests the findings about deliveries.
func TestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		sources := split(t, w)
		r := walkPaths(t, w, lay(t, scratch(t), sources))
		w.Places = placesOf(sources)
		verdict := walktest.VerdictOf(r.Findings)
		if verdict == verify.Verified {
			verdict = verify.Inconclusive // nothing was compared
		}
		must.That(t, r.Verdict == verdict, "verdict %s, want %s", r.Verdict, verdict)
		want := walktest.WalkNaively(w).Words()
		slices.Sort(want)
		r.Findings = slices.DeleteFunc(r.Findings, isAboutDelivery)
		got := walktest.WordsOf(r)
		for i, word := range got { // where a gap is between files is not known to the oracle
			got[i] = strings.Replace(word, string(finding.GapBetween), string(finding.Gap), 1)
		}
		slices.Sort(got)
		d := cmp.Diff(slices.Compact(want), got)
		must.That(t, d == "", "(-done +found):\n%s", d)
	})
}

// TestPathDoesNotMatter: the same files in another order, by other workers and
// in other chunks give the same bytes; the same evidence in other files gives the
// same answer.
func TestPathDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		paths := lay(t, scratch(t), split(t, w))
		first := walkPaths(t, w, paths)
		if rapid.Bool().Draw(t, "same files") {
			same(t, first, walkPaths(t, w, paths))
			return
		}
		other := walkPaths(t, w, lay(t, scratch(t), split(t, w)))
		if forged(first) != forged(other) {
			return
		}
		same(t, answer(first), answer(other))
	})
}

// forged names the events far above the end that were taken for forged. That requires that
// only one source has them, so that it matters how often they were copied (SPEC 13.2).
func forged(r *walk.Result) (events string) {
	for _, f := range r.Findings {
		if f.Code == finding.Unconnected {
			events += fmt.Sprintf("%s %d-%d\n", f.LogID, f.Sequence, f.LastSequence)
		}
	}
	return events
}

// same compares two results in their written form.
func same(t *rapid.T, first, again *walk.Result) {
	if a, b := written(t, first), written(t, again); a != b {
		t.Fatalf("(-first +again):\n%s", cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
	}
}

func written(t *rapid.T, r *walk.Result) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	must.Do(t, e.Encode(r))
	return b.String()
}

// answer returns a result without the parts that depend on how the evidence came.
func answer(r *walk.Result) *walk.Result {
	a := *r
	a.Sources, a.Batches, a.Findings = nil, walk.Batches{}, nil
	for _, f := range r.Findings {
		if !isAboutDelivery(f) {
			f.Evidence = nil
			if f.Code == finding.GapBetween { // the files make the difference
				f.Code, f.Explanations = finding.Gap, nil
				f = f.Complete()
				f.Evidence = nil
			}
			a.Findings = append(a.Findings, f)
		}
	}
	a.Verdict, a.Logs = walktest.VerdictOf(a.Findings), slices.Clone(r.Logs)
	for i := range a.Logs {
		l := &a.Logs[i]
		l.Verdict = walktest.VerdictOf(slices.DeleteFunc(slices.Clone(a.Findings), func(f finding.Finding) bool {
			return f.TenantID != l.TenantID || f.LogID != l.LogID
		}))
	}
	return &a
}

// isAboutDelivery reports whether a finding differs with the way that evidence came.
func isAboutDelivery(f finding.Finding) bool { return slices.Contains(aboutDelivery, f.Code) }

var aboutDelivery = []finding.Code{finding.DuplicateDelivery, finding.Reordered, finding.BodyStructured,
	finding.BatchRedelivered, finding.BatchIDReused, finding.BatchIncomplete, finding.BatchIDAbsent,
	finding.SourceNoRecord}
