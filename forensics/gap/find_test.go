package gap_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// journalOf returns the lines of a node's journal of a scene.
func journalOf(t *testing.T, dir string) [][]byte {
	t.Helper()
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	must.Do(t, scene.Write(dir))
	journal := must.Get(os.ReadFile(filepath.Join(dir, "journals", "mesh-berlin-1.ndjson")))(t)
	return bytes.Split(bytes.TrimSpace(journal), []byte("\n"))
}

// batchID is the id of a batch as SPEC 9.2 has it.
func batchID(t *testing.T, lines ...[]byte) string {
	t.Helper()
	h := sha256.New()
	h.Write([]byte("svc.audit-batch.v1\x00node/mesh-berlin-1\x00"))
	for _, l := range lines {
		var e struct{ Hash string }
		must.Do(t, json.Unmarshal(l, &e))
		raw := must.Get(hex.DecodeString(e.Hash))(t)
		h.Write(raw)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// exported is an export of a batch as a collector's file exporter writes it.
func exported(id string, lines ...[]byte) []byte {
	records := make([]string, len(lines))
	for i, l := range lines {
		body := must.Have(json.Marshal(string(l)))
		records[i] = fmt.Sprintf(
			`{"body":{"stringValue":%s},"attributes":[{"key":"x-svc-edge-audit-batch","value":{"stringValue":%q}}]}`, body, id)
	}
	return []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.Join(records, ",") + "]}]}]}\n")
}

// caseOf makes a case of files and opens it.
func caseOf(t *testing.T, files map[string][]byte) *store.Case {
	t.Helper()
	return open(t, fill(t, files))
}

func open(t *testing.T, path string) *store.Case {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// fill makes a case of files and returns its path.
func fill(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	w := must.Get(store.OpenWrite(filepath.Join(dir, "case.db")))(t)
	var paths []string
	for name, content := range files {
		paths = append(paths, filepath.Join(dir, name))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	slices.Sort(paths)
	must.Get(ingest.Paths(t.Context(), w, paths, ingest.Options{}, nil))(t)
	must.Do(t, w.Close())
	return filepath.Join(dir, "case.db")
}

func find(t *testing.T, c *store.Case, f gap.Filter) (all []gap.Gap) {
	t.Helper()
	result := must.Get(verdict.Last(t.Context(), c, chain.Hash{}))(t)
	return findBy(t, c, result, f)
}

// findBy returns the gaps by the result of a walk.
func findBy(t *testing.T, c *store.Case, result *verdict.Result, f gap.Filter) (all []gap.Gap) {
	t.Helper()
	for g, err := range gap.Find(t.Context(), c, result, f) {
		must.Do(t, err)
		all = append(all, g)
	}
	return all
}

// speakFor returns the causes for which something speaks.
func speakFor(g gap.Gap) (causes []string) {
	for _, h := range g.Hypotheses {
		if len(h.For) > 0 {
			causes = append(causes, h.Cause)
		}
	}
	return causes
}

// TestFindBatches: a gap inside a batch is distinguished from one of whole batches.
func TestFindBatches(t *testing.T) {
	lines := journalOf(t, t.TempDir())
	first := exported(batchID(t, lines[:4]...), lines[:4]...)
	cut := batchID(t, lines[4:10]...)
	for name, test := range map[string]struct {
		second []byte
		cut    []string
		causes []string
	}{
		"cut":   {exported(cut, lines[6:10]...), []string{cut}, []string{"deleted-at-store", "partial-success"}},
		"whole": {exported(batchID(t, lines[6:10]...), lines[6:10]...), []string{}, []string{"request-limit"}},
	} {
		all := find(t, caseOf(t, map[string][]byte{"export.jsonl": slices.Concat(first, test.second)}), gap.Filter{})
		must.That(t, len(all) == 1 && all[0].First == 5 && all[0].Last == 6 && all[0].Before.Sequence == 4 &&
			all[0].After.Sequence == 7, "%s: %+v", name, all)
		if got := all[0]; !slices.Equal(got.CutBatches, test.cut) || !slices.Equal(speakFor(got), test.causes) {
			t.Errorf("%s: cut %q, causes %q, want %q and %q", name, got.CutBatches, speakFor(got), test.cut, test.causes)
		}
	}
}

// TestFindFiltered: a filter finds exactly the gaps that reach into it.
func TestFindFiltered(t *testing.T) {
	lines := journalOf(t, t.TempDir())
	part := bytes.Join(slices.Concat(lines[:4], lines[6:]), []byte("\n"))
	whole := bytes.Join(lines, []byte("\n"))
	c := caseOf(t, map[string][]byte{"journal.ndjson": part})
	at := func(n int) time.Time {
		var e struct {
			Body struct {
				OccurredAt time.Time `json:"occurred_at"`
			}
		}
		must.Do(t, json.Unmarshal(lines[n-1], &e))
		return e.Body.OccurredAt
	}
	for name, test := range map[string]struct {
		filter store.Filter
		want   int
	}{
		"all":            {store.Filter{}, 1},
		"its log":        {store.Filter{LogID: "node/mesh-berlin-1"}, 1},
		"another log":    {store.Filter{LogID: "node/mesh-oslo-1"}, 0},
		"another tenant": {store.Filter{TenantID: "nobody"}, 0},
		"its end":        {store.Filter{First: 6}, 1},
		"above":          {store.Filter{First: 7}, 0},
		"its beginning":  {store.Filter{Last: 5}, 1},
		"below":          {store.Filter{Last: 4}, 0},
		"later":          {store.Filter{From: at(7).Add(time.Millisecond)}, 0},
		"up to its end":  {store.Filter{From: at(7)}, 1},
		"earlier":        {store.Filter{To: at(4)}, 0},
		"from its start": {store.Filter{To: at(4).Add(time.Millisecond)}, 1},
	} {
		got := find(t, c, gap.Filter{Filter: test.filter})
		check.That(t, len(got) == test.want, "%s: %d gaps, want %d", name, len(got), test.want)
		for _, g := range got {
			check.That(t, g.Source == "" && len(g.Holders) == 0, "%s: of %q, and %v has it", name, g.Source, g.Holders)
		}
	}
	both := caseOf(t, map[string][]byte{"journal.ndjson": part, "whole.ndjson": whole})
	sources := must.Get(both.Sources(t.Context()))(t)
	for _, s := range sources {
		lacks := 0
		if strings.HasSuffix(s.Paths[0], "journal.ndjson") {
			lacks = 1
		}
		got := find(t, both, gap.Filter{Source: s.Number})
		if len(got) != lacks || lacks == 1 && (len(got[0].Holders) != 1 || got[0].Count != 2) {
			t.Errorf("%s: %+v", s.Paths[0], got)
		}
	}
}

// bodySize is the size of an event's body.
func bodySize(t *testing.T, line []byte) int {
	t.Helper()
	var e struct{ Body json.RawMessage }
	must.Do(t, json.Unmarshal(line, &e))
	return len(e.Body)
}

// TestFindOfSource: for events that one source lacks, everything in the answer is about this
// source, and the sources that have them. The store begins after the others do and ends before
// them.
func TestFindOfSource(t *testing.T) {
	lines := journalOf(t, t.TempDir())
	batch := batchID(t, lines[4:13]...)
	loki := dumps.Named("loki-jsonl")
	held := slices.Concat(
		loki.Write(lines[2:4], dumps.Options{Batches: []string{batchID(t, lines[2:4]...)}}),
		loki.Write(lines[4:11], dumps.Options{Batches: []string{batch}}),
		loki.Write(lines[14:20], dumps.Options{Batches: []string{batchID(t, lines[14:20]...)}}))
	journal := func(lines ...[]byte) []byte { return append(bytes.Join(lines, []byte("\n")), '\n') }
	c := caseOf(t, map[string][]byte{
		"store.jsonl": held,
		// up to the first that the store lacks, and that one twice
		"z.ndjson":       journal(slices.Concat(lines[:12], lines[11:12])...),
		"a.ndjson":       journal(lines[13:]...),
		"between.ndjson": journal(lines[12:13]...),
	})
	sources := must.Get(c.Sources(t.Context()))(t)
	at := slices.IndexFunc(sources, func(s facts.Source) bool { return strings.HasSuffix(s.Paths[0], "store.jsonl") })
	all := find(t, c, gap.Filter{Source: sources[at].Number})
	var got []string
	for _, g := range all {
		var holders []string
		for _, h := range g.Holders {
			holders = append(holders, filepath.Base(h))
		}
		got = append(got, fmt.Sprintf("%s %d-%d %v", filepath.Base(g.Source), g.First, g.Last, holders))
	}
	want := []string{"store.jsonl 1-2 [z.ndjson]", "store.jsonl 12-14 [a.ndjson z.ndjson]",
		fmt.Sprintf("store.jsonl 21-%d [a.ndjson]", len(lines))}
	must.That(t, slices.Equal(got, want), "%q, want %q", got, want)
	g := all[1]
	for _, n := range []*gap.Neighbour{g.Before, g.After} {
		check.That(t, len(n.Sources) == 1 && n.Sources[0] == g.Source && len(n.Batches) == 1,
			"beside what the store lacks: %+v", n)
	}
	if !slices.Equal(g.CutBatches, []string{batch}) || !slices.Contains(speakFor(g), "deleted-at-store") {
		t.Errorf("cut %q, causes %q", g.CutBatches, speakFor(g))
	}
	smallest := func(of []byte, others ...[]byte) int {
		for _, o := range others {
			if bodySize(t, o) < bodySize(t, of) {
				of = o
			}
		}
		return bodySize(t, of)
	}
	differ := false
	for _, g := range all {
		i := slices.IndexFunc(g.Hypotheses, func(h gap.Hypothesis) bool { return h.Cause == "record-limit" })
		want := smallest(lines[g.First-1], lines[g.First:g.Last]...)
		differ = differ || want != bodySize(t, lines[g.First-1])
		said := strings.Join(g.Hypotheses[i].Against, "")
		check.That(t, strings.Contains(said, fmt.Sprintf("a missing event has %d bytes", want)),
			"the smallest from %d to %d has %d bytes: %q", g.First, g.Last, want, said)
	}
	check.That(t, differ, "everywhere the first that the store lacks is the smallest")
	i := slices.IndexFunc(g.Hypotheses, func(h gap.Hypothesis) bool { return h.Cause == "deleted-at-source" })
	check.That(t, len(g.Hypotheses[i].Against) != 0,
		"nothing speaks against that the events were deleted at the source, where others have them")
}

// TestFindForged: an event that a walk found to be forged is no end of a gap, and one not yet
// known to be forged is named as the gap's possible origin.
func TestFindForged(t *testing.T) {
	dir := t.TempDir()
	lines := journalOf(t, dir)
	n := len(lines)
	forged := bytes.Replace(lines[n-1], fmt.Appendf(nil, `"sequence":%d,`, n), []byte(`"sequence":1000000000000000,`), 1)
	genuine := slices.Delete(slices.Clone(lines), 2, 4)
	path := fill(t, map[string][]byte{"journal.ndjson": append(bytes.Join(append(genuine, forged), []byte("\n")), '\n')})
	all := find(t, open(t, path), gap.Filter{})
	check.That(t, len(all) == 2 && all[1].First == uint64(n)+1 && slices.Contains(speakFor(all[1]), "forged-event") &&
		!slices.Contains(speakFor(all[0]), "forged-event"), "without a walk: %+v", all)
	doc := must.Get(os.ReadFile(filepath.Join(dir, "trust.json")))(t)
	root := must.Get(trust.Parse(doc))(t)
	must.Get(examine.Examine(t.Context(), path, root,
		examine.Options{Case: []store.Option{cases.As(1)}}))(t)
	all = find(t, open(t, path), gap.Filter{})
	check.That(t, len(all) == 1 && all[0].First == 3 && all[0].Last == 4, "after a walk: %+v", all)
}
