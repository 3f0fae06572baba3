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

// exportOf returns the output of a collector's file exporter for lines.
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

// contentOf is a file of some events: "journal 1-9 3~ 12/ stray", or "export 1-9", or a tar of one. 3~ is
// an altered copy of an event, 12/ the beginning of its line, and stray an event of another log.
func contentOf(t *testing.T, all [][]byte, words []string) []byte {
	t.Helper()
	if words[0] == "tar" {
		return archived(t, "j", contentOf(t, all, words[1:]))
	}
	var own [][]byte
	for _, word := range words[1:] {
		first, last, isRange := strings.Cut(strings.TrimRight(word, "~/"), "-")
		n, _ := strconv.Atoi(first)
		switch {
		case word == "stray":
			own = append(own, bytes.TrimSpace(strayLine(t)))
		case strings.HasSuffix(word, "~"):
			own = append(own, tampered(all[n-1]))
		case strings.HasSuffix(word, "/"):
			own = append(own, all[n-1][:200])
		case isRange:
			own = append(own, all[n-1:must.Get(strconv.Atoi(last))(t)]...)
		default:
			own = append(own, all[n-1])
		}
	}
	if words[0] == "export" {
		return exportOf(own...)
	}
	return lines(own...)
}

// TestJournals: events that a log's own journal lacks and a store has.
func TestJournals(t *testing.T) {
	all, root := short(t, 30)
	cases := readScenarios(t, "journals.txtar")
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		c := cases[name]
		files := map[string][]byte{}
		for _, step := range c.steps {
			words := strings.Fields(step)
			files[words[0]] = contentOf(t, all, words[1:])
		}
		r := must.Get(Run(t.Context(), fill(t, files), root, Options{}))(t)
		found := slices.DeleteFunc(spoken(r), func(f string) bool { return strings.HasPrefix(f, "walk.nothing") })
		check.That(t, slices.Equal(found, c.findings), "%s: %q, want %q", name, found, c.findings)
		for _, f := range r.Findings {
			check.That(t, f.Code != finding.JournalLacks || f.Effect() == finding.Rejects &&
				strings.Contains(f.Evidence[0].Source, "/evidence/"), "%s: %+v", name, f)
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

// TestGivenStoresAreNoJournals: a store that the user names is no one's journal.
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

// TestCutOff: reports that exclude that a journal was copied too early, and reports that do
// not.
func TestCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration // until the node reports a head
		older bool          // the head is below the missing event
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
		got, want := spoken(r), fmt.Sprintf("%s %s %d %d", c.code, lisbonLog, n, n)
		check.That(t, slices.Equal(got, []string{want}), "%s: %q, want %s", name, got, want)
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

// TestDeclaredJournal: collected by the user's word lacks all that a store has.
func TestDeclaredJournal(t *testing.T) {
	all, root := short(t, 30)
	c := fill(t, map[string][]byte{"s": exportOf(all...)})
	for log, want := range map[string][]string{berlinLog: {"journal.lacks-events " + berlinLog + " 1 30"}, osloLog: nil} {
		r := must.Get(Run(t.Context(), c, root, Options{Collected: []Collected{{LogID: log}}}))(t)
		found := slices.DeleteFunc(spoken(r), func(f string) bool { return strings.HasPrefix(f, "walk.nothing") })
		check.That(t, slices.Equal(found, want), "%s: %q, want %q", log, found, want)
	}
}
