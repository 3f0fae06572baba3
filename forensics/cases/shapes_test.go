package cases

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// handed is the result for the files of a shape, with the anchor of their log.
type handed struct {
	result     *verdict.Result
	path       string          // of the case
	arrivals   int64           // of events
	genuine    map[uint64]bool // sequences of events whose hashes hold
	formats    []string        // of the sources and their contents
	fidelities []string
	skips      []facts.Skip
	names      []string // of the sources of the skips
}

// hand ingests files.
func hand(t *testing.T, h *history, files shapes.Files) *handed {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		lay(t, filepath.Join(dir, "handed", filepath.FromSlash(name)), content)
	}
	lay(t, filepath.Join(dir, "cursors.ndjson"), h.cursor)
	path := filepath.Join(dir, "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	paths := []string{filepath.Join(dir, "handed"), filepath.Join(dir, "cursors.ndjson")}
	sum := must.Get(ingest.Paths(t.Context(), w, paths, ingest.Options{Workers: 1}, nil))(t)
	must.Do(t, w.Close())
	found := &handed{path: path, arrivals: sum.Events, genuine: map[uint64]bool{}}
	found.collect(t, h, path)
	return found
}

// examine walks the log, and compares its evidence.
func (f *handed) examine(t *testing.T, h *history) *handed {
	t.Helper()

	f.result = must.Get(examine.Examine(t.Context(), f.path, h.root, examine.Options{}))(t)
	return f
}

func lay(t *testing.T, path string, content []byte) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, content, 0o600))
}

// collect reads from a case the facts that the result lacks.
func (f *handed) collect(t *testing.T, h *history, path string) {
	t.Helper()
	c := must.Get(store.OpenCase(path))(t)
	defer c.Close()
	sources := must.Get(c.Sources(t.Context()))(t)
	paths := map[int64]string{}
	for _, s := range sources {
		paths[s.Number] = s.Paths[0]
	}
	containers := must.Get(c.Containers(t.Context()))(t)
	for _, s := range containers {
		if filepath.Base(paths[s.Source]) != "cursors.ndjson" {
			f.formats = append(f.formats, s.Format)
		}
	}
	f.formats = slices.DeleteFunc(unique(f.formats), func(s string) bool { return s == "" })
	for s, err := range c.Skips(t.Context()) {
		must.Do(t, err)
		f.skips, f.names = append(f.skips, s), append(f.names, paths[s.Source])
	}
	logs := must.Get(c.Logs(t.Context()))(t)
	for _, l := range logs {
		for e, err := range c.Events(t.Context(), l, 0, 1<<53) {
			must.Do(t, err)
			if l.LogID == h.log.ID() && h.log.Sequence() >= e.Link.Sequence &&
				e.Intact() && e.Recorded == chain.Hash(h.log.Hash(e.Link.Sequence)) {
				f.genuine[e.Link.Sequence] = true
				f.fidelities = append(f.fidelities, fidelityNames[e.Fidelity])
			}
		}
	}
	f.fidelities = unique(f.fidelities)
}

func unique(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// counting are the findings that count for the verdict.
func (f *handed) counting() (all []finding.Finding) {
	for _, x := range f.result.Findings {
		if x.Effect() != finding.None {
			all = append(all, x)
		}
	}
	return all
}

// want checks that the genuine events are exactly these.
func (f *handed) want(t *testing.T, sequences []uint64) {
	t.Helper()
	got := slices.Sorted(maps.Keys(f.genuine))
	check.That(t, slices.Equal(got, sequences), "the genuine events are %v, want %v", got, sequences)
}

// gone are the shapes that have nothing in the place of an event that they lose. That cannot
// be distinguished from a removed event.
var gone = []string{"journalctl/json-nulls"}

// altering are the shapes that write something of their own in place of bytes. That cannot be
// distinguished from an alteration.
var altering = []string{"tcpdump/ascii", "wireshark/follow-ascii"}

// wantLoss checks that exactly the events that a shape loses are missing, and that a loss is
// no alteration. A shape that loses something of every line may still be put together again.
func (f *handed) wantLoss(t *testing.T, s shapes.Shape, h *history) {
	t.Helper()
	if s.Lost != nil {
		f.want(t, keptOf(s, h.lines))
	}
	if slices.Contains(altering, s.Name) {
		return
	}
	check.That(t, (f.result.Verdict != verify.Verified || s.Lost == nil) &&
		(f.result.Verdict != verify.Rejected || slices.Contains(gone, s.Name)), "the verdict is %s", f.result.Verdict)
	for _, x := range f.result.Findings {
		check.That(t, x.Code != finding.HashMismatch && x.Code != finding.AlteredCopy,
			"event %d counts as altered", x.Sequence)
	}
}

// say logs the results, to help to explain a failure.
func (f *handed) say(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		return
	}
	t.Logf("arrivals %d, formats %v, fidelities %v", f.arrivals, f.formats, f.fidelities)
	if f.result == nil {
		f.result = &verdict.Result{}
	}
	t.Logf("verdict %s", f.result.Verdict)
	for _, x := range f.result.Findings {
		t.Logf("%s %s %d-%d: expected %q, found %.300q %v", x.Severity, x.Code, x.Sequence, x.LastSequence, x.Expected,
			x.Found, x.Evidence)
	}
	for i, s := range f.skips {
		if i < 8 {
			t.Logf("skip %s %q %d+%d in %s: %.100q", s.Code, s.Detail, s.Offset, s.Length, f.names[i], s.Excerpt)
		}
	}
}

// everyAltered is how many lossless forms there are to one in which an event is altered: its
// line arrives as in the clean log, and the walk does not know the form.
const everyAltered = 5

// TestShapes hands out a log in every form in which a product does, clean and cut within its last
// record, and in every form that is not lossless, and some of the others, with one event altered.
// With -short it is every 90th form.
func TestShapes(t *testing.T) {
	for i, s := range shapes.All() {
		if !tried(i) {
			continue
		}
		h := historyFor(t, s)
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel() // most of the time is spent waiting for the disk
			t.Run("clean", func(t *testing.T) { clean(t, s, h) })
			t.Run("truncated", func(t *testing.T) { truncated(t, s, h) })
			if s.Keeps != shapes.Octets || i%everyAltered == 0 {
				t.Run("altered", func(t *testing.T) { altered(t, s, h) })
			}
		})
	}
}

// cleans are the results of shapes that no one damaged, by name. Each is tried once.
var cleans sync.Map

func cleanly(t *testing.T, s shapes.Shape) *handed {
	t.Helper()
	once, _ := cleans.LoadOrStore(s.Name, sync.OnceValue(func() *handed {
		h := historyFor(t, s)
		return hand(t, h, s.Write(h.handedOut())).examine(t, h)
	}))
	return once.(func() *handed)()
}

func clean(t *testing.T, s shapes.Shape, h *history) {
	f := cleanly(t, s)
	defer f.say(t)
	if s.Keeps == shapes.Less {
		f.wantLoss(t, s, h)
		return
	}
	f.want(t, keptOf(s, h.lines))
	check.That(t, f.result.Verdict == verify.Verified && f.arrivals == int64(len(h.lines)) && len(f.counting()) == 0,
		"%s, %d arrivals of %d events", f.result.Verdict, f.arrivals, len(h.lines))
	b := f.result.Batches
	check.That(t, !s.Batch || b.Distinct == 1 && b.Absent == 0, "batches: %+v", b)
}

func truncated(t *testing.T, s shapes.Shape, h *history) {
	cut := cutLast(s, h)
	f := hand(t, h, cut.files)
	defer f.say(t)
	whole := slices.DeleteFunc(keptOf(s, h.lines), func(n uint64) bool { return n == cut.lost })
	if !s.Whole && (s.Keeps != shapes.Less || s.Lost != nil) {
		f.want(t, whole)
	}
	for i, skip := range f.skips {
		entry, _ := finding.Lookup(finding.Code(skip.Code))
		if entry.Effect != finding.None && cut.cutsSource(f.names[i]) &&
			(s.Whole || skip.Container != "" || skip.Offset+skip.Length >= int64(cut.from)) {
			return
		}
	}
	t.Errorf("no finding in %s from %d on, which is cut at %d", cut.name, cut.from, len(cut.files[cut.name]))
}

func altered(t *testing.T, s shapes.Shape, h *history) {
	kept := keptOf(s, h.lines)
	if len(kept) == 0 {
		return // a form that keeps no event keeps no alteration
	}
	sequence := kept[len(kept)/2]
	f := hand(t, h, s.Write(alterEvent(h.handedOut(), sequence))).examine(t, h)
	defer f.say(t)
	check.That(t, f.result.Verdict == verify.Rejected, "the verdict is %s", f.result.Verdict)
	if !slices.ContainsFunc(f.result.Findings, func(x finding.Finding) bool {
		return x.Code == finding.HashMismatch && x.Sequence == sequence && slices.ContainsFunc(x.Evidence,
			func(e finding.Evidence) bool { return strings.Contains(e.Source, "/handed/") })
	}) {
		t.Errorf("no finding names the source of event %d", sequence)
	}
}

// keptOf are the sequences of the lines that a shape keeps whole.
func keptOf(s shapes.Shape, lines [][]byte) (kept []uint64) {
	for i, line := range lines {
		if s.Keeps != shapes.Less || s.Lost != nil && !s.Lost(line) {
			kept = append(kept, uint64(i+1))
		}
	}
	return kept
}
