package crosscheck

import (
	"archive/tar"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// exportOf is what a collector's file exporter makes of lines.
func exportOf(all ...[]byte) []byte {
	var b bytes.Buffer
	for _, l := range all {
		fmt.Fprintf(&b,
			`{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"body":{"stringValue":%s}}]}]}]}`+"\n",
			strconv.Quote(string(l)))
	}
	return b.Bytes()
}

// archived is a tar archive of one file.
func archived(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must.Do(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}))
	must.Get(w.Write(content))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

// TestJournals: what a log's own journal lacks and a store has.
func TestJournals(t *testing.T) {
	all, root := short(t, 30)
	lacks := func(first, last int) string {
		return fmt.Sprintf("journal.lacks-events %s %d %d", berlinLog, first, last)
	}
	ends := func(first, last int) string {
		return fmt.Sprintf("journal.ends-early %s %d %d", berlinLog, first, last)
	}
	stored := exportOf(all...)
	cases := map[string]struct {
		files    map[string][]byte
		findings []string
	}{
		"whole":      {map[string][]byte{"j": lines(all...), "s": stored}, nil},
		"no journal": {map[string][]byte{"j.ndjson": exportOf(all[7:]...), "s": stored}, nil},
		"head":       {map[string][]byte{"j": lines(all[7:]...), "s": stored}, []string{lacks(1, 7)}},
		"head, under another name": {map[string][]byte{"loki.jsonl": lines(all[7:]...), "s": stored},
			[]string{lacks(1, 7)}},
		"head, in an archive": {map[string][]byte{"j.tar": archived(t, "j", lines(all[7:]...)), "s": stored},
			[]string{lacks(1, 7)}},
		"head, of which half is in": {map[string][]byte{"j": lines(all[7:]...), "s": exportOf(all[4:]...)},
			[]string{lacks(5, 7)}},
		"middle": {map[string][]byte{"j": lines(slices.Concat(all[:9], all[12:])...), "s": stored},
			[]string{lacks(10, 12)}},
		"middle of a store": {map[string][]byte{"j": lines(all...),
			"s": exportOf(slices.Concat(all[:9], all[12:])...)}, []string{"source.disagrees " + berlinLog + " 10 12"}},
		"all, and the file is empty": {map[string][]byte{"mesh-berlin-1.ndjson": nil, "s": stored}, []string{lacks(1, 30)}},
		"all, and it is of another":  {map[string][]byte{"mesh-oslo-1.ndjson": nil, "s": stored}, nil},
		"all, in one of two copies":  {map[string][]byte{"mesh-berlin-1.ndjson": nil, "j": lines(all...), "s": stored}, nil},
		"tail":                       {map[string][]byte{"j": lines(all[:20]...), "s": stored}, []string{ends(21, 30)}},
		"everywhere": {map[string][]byte{"j": lines(slices.Concat(all[2:9], all[12:20])...), "s": stored},
			[]string{lacks(1, 2), lacks(10, 12), ends(21, 30)}},
		"a stray line in the cut journal": {map[string][]byte{"j": slices.Concat(lines(all[7:]...), strayLine(t)),
			"s": stored},
			[]string{lacks(1, 7)}},
		"a forged event above": {map[string][]byte{"j": lines(all[:29]...),
			"s": exportOf(slices.Concat(all[:29], [][]byte{tampered(all[29])})...)}, nil},
		"an altered copy": {map[string][]byte{"j": lines(all...),
			"s": exportOf(slices.Concat([][]byte{tampered(all[0])}, all[1:])...)},
			[]string{"source.altered " + berlinLog + " 1 1"}},
		"its own copy is altered": {map[string][]byte{"j": lines(slices.Concat([][]byte{tampered(all[0])}, all[1:])...),
			"s": stored}, []string{"source.altered " + berlinLog + " 1 1"}},

		"an older copy beside the newer": {map[string][]byte{"old/j": lines(all[:20]...), "new/j": lines(all...),
			"s": stored}, nil},
		"the newest part of the journal beside it": {map[string][]byte{"a": lines(all[7:]...), "b": lines(all...),
			"s": stored}, nil},
		"a part of the journal beside it": {map[string][]byte{"part": lines(all[10:20]...), "j": lines(all...),
			"s": stored}, nil},
		"the newer copy lost its head": {map[string][]byte{"old/j": lines(all[:20]...), "new/j": lines(all[7:]...)},
			[]string{lacks(1, 7)}},
		"two parts in two folders that overlap": {map[string][]byte{"old/j": lines(all[:20]...),
			"new/j": lines(all[18:]...), "s": stored}, nil},
		"two parts in two folders that overlap, without the head": {map[string][]byte{"old/j": lines(all[2:20]...),
			"new/j": lines(all[18:]...), "s": stored}, []string{lacks(1, 2)}},
		"the older copy lost its middle": {map[string][]byte{"old/j": lines(slices.Concat(all[:5], all[9:20])...),
			"new/j": lines(all...)}, []string{lacks(6, 9)}},
		"rotated": {map[string][]byte{"j.ndjson.1": lines(all[:15]...),
			"j.ndjson": lines(all[15:]...), "s": stored}, nil},
		"rotated, overlapping": {map[string][]byte{"j.ndjson.1": lines(all[:15]...),
			"j.ndjson": lines(all[12:]...), "s": stored}, nil},
		"rotated, overlapping by most": {map[string][]byte{"j.ndjson.1": lines(all[:15]...),
			"j.ndjson": lines(all[2:16]...), "k": lines(all[14:]...), "s": stored}, nil},
		"rotated, with a retry": {map[string][]byte{"j.ndjson.1": lines(all[:15]...),
			"j.ndjson": lines(slices.Concat(all[3:4], all[15:])...), "s": stored}, nil},
		"rotated, overlapping, without one event": {map[string][]byte{"j.ndjson.1": lines(all[:15]...),
			"j.ndjson": lines(slices.Concat(all[12:18], all[19:])...), "s": stored}, []string{lacks(19, 19)}},
		"both ends beside it": {map[string][]byte{"head": lines(all[:5]...), "tail": lines(all[25:]...),
			"j": lines(all...), "s": stored}, nil},
		"both ends elsewhere": {map[string][]byte{"x/head": lines(all[:5]...), "y/tail": lines(all[25:]...),
			"j/j": lines(all...), "s": stored}, nil},
		"both ends without it": {map[string][]byte{"head": lines(all[:5]...), "tail": lines(all[25:]...),
			"s": stored}, []string{lacks(6, 25)}},
		"a search elsewhere": {map[string][]byte{"x/found": lines(all[2], all[5], all[9], all[20]),
			"j/j": lines(all...), "s": stored}, nil},
		"most of it elsewhere": {map[string][]byte{"x/copy": lines(slices.Concat(all[:9], all[10:])...),
			"j/j": lines(all...), "s": stored}, []string{lacks(10, 10)}},
		"a line of it that was cut": {map[string][]byte{"j": slices.Concat(lines(all[:9]...), all[9][:200],
			[]byte("\n"), lines(all[10:]...)), "s": stored}, nil},
		"a line of it that was cut elsewhere": {map[string][]byte{"j": slices.Concat(lines(all[:9]...), lines(all[10:20]...),
			all[20][:200], []byte("\n"), lines(all[21:]...)), "s": stored}, []string{lacks(10, 10)}},
		"rotated, without the first file": {map[string][]byte{"j.ndjson.1": lines(all[5:15]...),
			"j.ndjson": lines(all[15:]...), "s": stored}, []string{lacks(1, 5)}},
		"rotated, without a file in between": {map[string][]byte{"j.ndjson.2": lines(all[:5]...),
			"j.ndjson": lines(all[15:]...), "s": stored}, []string{lacks(6, 15)}},
		"a store that lost its head beside it": {map[string][]byte{"j": lines(all...), "s": exportOf(all[7:]...)}, nil},
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		c := cases[name]
		r := must.Get(Run(t.Context(), fill(t, c.files), root, Options{}))(t)
		found := slices.DeleteFunc(spoken(r), func(f string) bool { return strings.HasPrefix(f, "walk.nothing") })
		check.That(t, slices.Equal(found, c.findings), "%s: %q, want %q", name, found, c.findings)
		for _, f := range r.Findings {
			if f.Code == finding.JournalLacks && (f.Effect() != finding.Rejects ||
				!strings.Contains(f.Evidence[0].Source, "/evidence/")) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// TestManyFiles: a journal of however many files is one copy of it.
func TestManyFiles(t *testing.T) {
	all, root := short(t, 80)
	for name, c := range map[string]struct {
		without int
		want    []string
	}{
		"whole":          {-1, nil},
		"without a file": {50, []string{"journal.lacks-events " + berlinLog + " 51 51"}},
	} {
		files := map[string][]byte{"s": exportOf(all...)}
		for i, line := range all {
			if i != c.without {
				files[fmt.Sprintf("j.ndjson.%d", len(all)-i)] = lines(line)
			}
		}
		r := must.Get(Run(t.Context(), fill(t, files), root, Options{}))(t)
		found := slices.DeleteFunc(spoken(r), func(f string) bool { return strings.HasPrefix(f, "walk.nothing") })
		check.That(t, slices.Equal(found, c.want), "%s: %q, want %q", name, found, c.want)
	}
}

// strayLine is an event of another log.
func strayLine(t *testing.T) []byte {
	t.Helper()
	seed := sha256.Sum256([]byte("stray"))
	key := seal.Key{ID: "mesh-oslo-1", Private: ed25519.NewKeyFromSeed(seed[:])}
	e := seal.NewLog("acme", osloLog).Append(seal.Entry{Type: "test.event",
		OccurredAt: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC), Data: seal.Object{}}, key)
	return append(seal.Canonical(e), '\n')
}

// TestGivenStoresAreNoJournals: what the user says is a store is none's journal.
func TestGivenStoresAreNoJournals(t *testing.T) {
	all, root := short(t, 30)
	c := fill(t, map[string][]byte{"kafka/x": lines(all[7:]...), "s/y": exportOf(all...)})
	sources := must.Get(c.Sources(t.Context()))(t)
	var stores []Prefix
	for i, s := range sources {
		stores = append(stores, Prefix{fmt.Sprint(i), s.Paths[0]})
	}
	r := must.Get(Run(t.Context(), c, root, Options{Stores: stores}))(t)
	got := spoken(r)
	check.That(t, len(got) == 0, "%q", got)
}

// TestCutOff: what excludes that a journal was copied too early, and what does not.
func TestCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration // until the node reports a head
		older bool          // that is below what its journal lacks
		code  finding.Code
	}{
		"the older head, long after": {30 * time.Minute, true, finding.JournalLacks},
		"the older head, at once":    {5 * time.Minute, true, finding.JournalEndsEarly},
		"the newer head, long after": {30 * time.Minute, false, finding.JournalEndsEarly},
	} {
		s := newStage(t)
		s.later()
		older := s.lisbon.Journal()
		report := seal.CloneObject(seal.Member(s.lastReport("mesh-lisbon-1"), "data"))
		s.lisbon.Note("policy.synced", "", seal.Object{})
		s.Clock.Pass(c.after)
		if c.older {
			s.Cloud.Note("node.reported", report)
		} else {
			s.must(s.Report(s.lisbon))
		}
		var stored [][]byte
		for _, e := range s.lisbon.Journal() {
			stored = append(stored, seal.Canonical(e))
		}
		files := s.collect()
		files["journals/mesh-lisbon-1.ndjson"], files["store"] = journal(older), exportOf(stored...)
		r := must.Get(Run(t.Context(), fill(t, files), s.root(), Options{}))(t)
		n := len(stored)
		if got, want := spoken(r), fmt.Sprintf("%s %s %d %d", c.code, lisbonLog, n, n); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %s", name, got, want)
		}
	}
}

// lastReport is the body of the newest report of a node.
func (s *stage) lastReport(node string) seal.Object {
	s.Helper()
	for _, e := range slices.Backward(s.tenant) {
		if b := seal.Member(e, "body"); seal.Text(b, "type") == "node.reported" &&
			seal.Text(seal.Member(b, "data"), "node_id") == node {
			return b
		}
	}
	s.Fatal("no report")
	return nil
}

// TestDeclaredJournal: what the user says was collected lacks all that a store has.
func TestDeclaredJournal(t *testing.T) {
	all, root := short(t, 30)
	c := fill(t, map[string][]byte{"s": exportOf(all...)})
	for log, want := range map[string][]string{berlinLog: {"journal.lacks-events " + berlinLog + " 1 30"}, osloLog: nil} {
		r := must.Get(Run(t.Context(), c, root, Options{Collected: []Collected{{LogID: log}}}))(t)
		found := slices.DeleteFunc(spoken(r), func(f string) bool { return strings.HasPrefix(f, "walk.nothing") })
		check.That(t, slices.Equal(found, want), "%s: %q, want %q", log, found, want)
	}
}
