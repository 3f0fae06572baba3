package crosscheck

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"

	"pgregory.net/rapid"
)

// short is a journal of n events whose key the trust file pins.
func short(t testing.TB, n int) ([][]byte, *trust.Root) {
	t.Helper()
	seed := func(b byte) ed25519.PrivateKey {
		sum := sha256.Sum256([]byte{b})
		return ed25519.NewKeyFromSeed(sum[:])
	}
	key := seal.Key{ID: "mesh-berlin-1", Private: seed(1)}
	log := seal.NewLog("acme", berlinLog)
	var lines [][]byte
	for i := range n {
		at := time.Date(2026, time.March, 2, 9, 0, i, 0, time.UTC)
		lines = append(lines, seal.Canonical(log.Append(seal.Entry{Type: "test.event", OccurredAt: at, Data: seal.Object{}},
			key)))
	}
	public := func(b byte) seal.Object {
		return seal.Object{"mesh-berlin-1": seal.Base64(seed(b).Public().(ed25519.PublicKey))}
	}
	root := must.Get(trust.Parse(seal.Canonical(seal.Object{"audit_keys": public(2), "protected_signer_keys": public(3),
		"nodes": public(1), "registries": seal.Object{"1": seal.Base64(make([]byte, 32))}})))(t)
	return lines, root
}

// tampered is an event whose time was changed after it was signed.
func tampered(line []byte) []byte {
	return bytes.Replace(line, []byte("2026-03"), []byte("2026-04"), 1)
}

func lines(all ...[]byte) []byte {
	var b []byte
	for _, l := range all {
		b = append(append(b, l...), '\n')
	}
	return b
}

func TestStores(t *testing.T) {
	all, root := short(t, 30)
	altered := slices.Clone(all)
	altered[11], altered[12] = tampered(all[11]), tampered(all[12])
	spaced := bytes.Replace(lines(all...), []byte(`{"body":`), []byte(`{ "body":`), 1)
	for name, c := range map[string]struct {
		a, b, c  []byte
		verdict  verify.Verdict
		findings []string
		found    string
	}{
		"the same": {a: lines(all...), b: lines(all...), c: lines(all...), verdict: verify.Verified},
		"the first was altered": {a: lines(altered...), b: lines(all...), c: lines(all...), verdict: verify.Rejected,
			findings: []string{"source.altered " + berlinLog + " 12 13"}, found: "2 altered in a"},
		"one was altered": {a: lines(all...), b: lines(altered...), c: lines(all...), verdict: verify.Rejected,
			findings: []string{"source.altered " + berlinLog + " 12 13"}, found: "2 altered in b"},
		"one has both": {a: lines(all...), b: lines(append(altered[12:13:13], all...)...), verdict: verify.Rejected,
			findings: []string{"source.altered " + berlinLog + " 13 13"}, found: "1 altered in b"},
		"one lacks a range": {a: lines(all...), b: lines(all...), c: exportOf(slices.Concat(all[:4], all[9:])...),
			verdict: verify.Rejected, findings: []string{"source.disagrees " + berlinLog + " 5 9"}, found: "5 lacking in c"},
		"one begins later": {a: lines(all...), b: lines(all[7:]...), verdict: verify.Verified},
		"one ends earlier": {a: lines(all...), b: lines(all[:20]...), verdict: verify.Verified},
		"all lack a range": {a: lines(slices.Concat(all[:4], all[9:])...), b: lines(slices.Concat(all[:4], all[9:])...),
			verdict: verify.Verified},
		"in another form":     {a: lines(all...), b: spaced, verdict: verify.Verified},
		"nothing in common":   {a: lines(all[:10]...), b: lines(all[10:]...), verdict: verify.Verified},
		"altered, not shared": {a: lines(altered...), verdict: verify.Verified},
		"altered everywhere":  {a: lines(altered...), b: lines(altered...), verdict: verify.Verified},
	} {
		files := map[string][]byte{"a/x": c.a, "b/y": c.b, "c/z": c.c}
		for n, content := range files {
			if content == nil {
				delete(files, n)
			}
		}
		r := must.Get(Run(t.Context(), fill(t, files), root, Options{}))(t)
		if got := spoken(r); walktest.VerdictOf(r.Findings) != c.verdict || !slices.Equal(got, c.findings) {
			t.Errorf("%s: %s %q, want %s %q", name, walktest.VerdictOf(r.Findings), got, c.verdict, c.findings)
		}
		if c.found == "" {
			continue
		}
		if len(r.Findings) != 1 || r.Findings[0].Found != c.found || len(r.Findings[0].Evidence) == 0 {
			t.Errorf("%s: %+v", name, r.Findings)
			continue
		}
		// It blames the store, and shows the copy that is there and is not genuine.
		f := r.Findings[0]
		if !strings.HasSuffix(c.found, " in "+f.Store) || f.About() != f.Store {
			t.Errorf("%s: blames %q, %q", name, f.Store, f.About())
		}
		for _, e := range f.Evidence {
			in := strings.Contains(e.Source, "/"+f.Store+"/")
			check.That(t, in == (f.Code == finding.SourceAltered), "%s: at %s", name, e.Source)
		}
	}
}

// TestPresenceAsDefined checks the stretches and the findings against their definition,
// sequence by sequence.
func TestPresenceAsDefined(t *testing.T) {
	const length, number = 14, 3
	all, root := short(t, length)
	rapid.Check(t, func(rt *rapid.T) {
		// The content of each store at each sequence: 0 nothing, 1 the event, 2 an altered
		// copy.
		held := make(world, number)
		files := map[string][]byte{}
		for i := range held {
			var content [][]byte
			for n := range held[i] {
				held[i][n] = rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2}).Draw(rt, "held")
				switch held[i][n] {
				case 1:
					content = append(content, all[n])
				case 2:
					content = append(content, tampered(all[n]))
				}
			}
			files[fmt.Sprintf("s%d/x", i)] = append(lines(content...), fmt.Sprintf("{\"store\":%d}\n", i)...)
		}
		var sources []string
		for i := range held {
			if slices.ContainsFunc(held[i][:], func(h int) bool { return h > 0 }) {
				sources = append(sources, fmt.Sprintf("s%d", i))
			}
		}
		if len(sources) < number {
			return
		}
		c := fill(t, files)
		given := must.Get(c.Sources(t.Context()))(rt)
		var stores []Prefix
		for _, s := range given {
			if dir := filepath.Dir(s.Paths[0]); s.Events > 0 {
				stores = append(stores, Prefix{filepath.Base(dir), dir})
			}
		}
		r := must.Get(Run(t.Context(), c, root, Options{Stores: stores}))(rt)
		var got []string
		for _, s := range r.Presence[0].Stretches {
			for n := s.First; n <= s.Last; n++ {
				got = append(got, fmt.Sprint(n, s.Stores))
			}
		}
		wantStates, wantFindings := naive(held, length)
		must.That(rt, slices.Equal(got, wantStates),
			"states\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wantStates, "\n"))
		found := spoken(r)
		must.That(rt, slices.Equal(sortedCopy(found), sortedCopy(wantFindings)),
			"findings\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(wantFindings, "\n"))
	})
}

func sortedCopy(list []string) []string { return slices.Sorted(slices.Values(list)) }

// world is the content of each store at each sequence.
type world [][14]int

// mixed reports whether there are the event and an altered copy of it.
func (w world) mixed(n int) bool { return w.holders(n, 1) > 0 && w.holders(n, 2) > 0 }

// holders counts the stores that hold one kind of copy.
func (w world) holders(n, kind int) (count int) {
	for _, h := range w {
		if h[n] == kind {
			count++
		}
	}
	return count
}

// naive derives the states and findings of a log from the content of each store.
func naive(w world, length int) (states, findings []string) {
	for n := range length {
		if w.holders(n, 0) < len(w) {
			states = append(states, fmt.Sprint(n+1, w.row(n)))
		}
	}
	for i := range w {
		findings = append(findings, lacking(w, i, length)...)
		first := -1
		for n := range length + 1 {
			altered := n < length && w[i][n] == 2 && w.mixed(n)
			if altered && first < 0 {
				first = n
			}
			if !altered && first >= 0 {
				findings = append(findings, fmt.Sprintf("source.altered %s %d %d", berlinLog, first+1, n))
				first = -1
			}
		}
	}
	return states, findings
}

func (w world) row(n int) (row []State) {
	for i := range w {
		switch {
		case w[i][n] == 0:
			row = append(row, Absent)
		case w[i][n] == 2 && w.mixed(n):
			row = append(row, Altered)
		default:
			row = append(row, Present)
		}
	}
	return row
}

// lacking names, between two events that a store holds, the events that only others have.
func lacking(held world, i, length int) (findings []string) {
	last := -1
	for n := range length {
		if held[i][n] == 0 {
			continue
		}
		first, end := -1, -1
		for m := last + 1; m < n && last >= 0; m++ {
			if held.holders(m, 0) < len(held) {
				if first < 0 {
					first = m
				}
				end = m
			}
		}
		if first >= 0 {
			findings = append(findings, fmt.Sprintf("source.disagrees %s %d %d", berlinLog, first+1, end+1))
		}
		last = n
	}
	return findings
}
