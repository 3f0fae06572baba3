package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

// genuine is a bundle that verifies.
type genuine struct {
	doc  []byte
	says *said
}

// pool returns genuine bundles under one trust file: exports of one log at several
// sequences, of other histories, and the planted pairs of the same scene.
func pool(t testing.TB) ([]genuine, *trust.Root) {
	t.Helper()
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	planted := allPairs()
	docs := map[string]bool{}
	for _, p := range planted {
		if bytes.Equal(seal.Canonical(p.Trust), seal.Canonical(scene.Trust)) {
			docs[string(p.A)], docs[string(p.B)] = true, true
		}
	}
	honest := pairs.Honest(scene)
	for _, history := range []*pairs.History{honest, honest.Other(30), honest.Other(59)} {
		for _, at := range []uint64{29, 40, 66, 99, 131} {
			docs[string(seal.Canonical(history.Export(scene.Exports[0].Bundle, at, 28)))] = true
		}
	}
	var all []genuine
	for _, doc := range slices.Sorted(maps.Keys(docs)) {
		all = append(all, genuine{[]byte(doc), sayings(t, []byte(doc))})
	}
	return all, rootOf(t, scene.Trust)
}

// agreeing returns bundles that do not contradict each other.
func agreeing(pool []genuine) (all []genuine) {
	for _, g := range pool {
		if !slices.ContainsFunc(all, func(o genuine) bool { return codeOf(o.says, g.says) != "" }) {
			all = append(all, g)
		}
	}
	return all
}

// expected is the expected result of an entry of a set. Says is nil unless the bundle
// verifies, and content is nil if there is nothing to read.
type expected struct {
	content []byte
	class   outcome.Class
	says    *said
}

// drawEntry draws an entry: mostly a genuine bundle, often one that was there
// before, and sometimes, unless all is calm, something that must not count as one.
func drawEntry(t *rapid.T, pool []genuine, before []expected, calm, oneLine bool) expected {
	g := rapid.SampledFrom(pool).Draw(t, "bundle")
	kinds := []string{"genuine", "genuine", "genuine", "genuine", "doubled"}
	if !oneLine {
		kinds = append(kinds, "respelled")
	}
	if !calm {
		kinds = append(kinds, "damaged", "foreign", "other version")
	}
	if !calm && !oneLine {
		kinds = append(kinds, "cut", "empty")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "doubled":
		for _, b := range before {
			if b.content != nil && (!oneLine || b.class == outcome.Verified && b.content[0] == '{') {
				return b
			}
		}
	case "respelled":
		return expected{append([]byte("\n "), g.doc...), outcome.Verified, g.says}
	case "damaged": // it has the genuine one's content, and proves nothing
		o := must.Get(seal.Parse(g.doc))(t)
		part := seal.Member(o, rapid.SampledFrom([]string{"checkpoint", "status", "signer_receipt"}).Draw(t, "part"))
		part["signature"] = seal.Base64(make([]byte, 64))
		return expected{seal.Canonical(o), outcome.Rejected, nil}
	case "cut":
		return expected{g.doc[:rapid.IntRange(2, len(g.doc)-1).Draw(t, "cut")], outcome.Rejected, nil}
	case "empty":
		return expected{[]byte{}, outcome.Inconclusive, nil}
	case "foreign":
		return expected{[]byte(`{"protocol":"svc.evidence-manifest.v1"}`), outcome.NotABundle, nil}
	case "other version":
		return expected{[]byte(`{"protocol":"svc.evidence-bundle.v2"}`), outcome.Rejected, nil}
	}
	return expected{g.doc, outcome.Verified, g.says}
}

// drawFile draws a file below a folder, writes it, and returns its entries: one
// document, an archive, JSON lines, or a link to nothing.
func drawFile(t *rapid.T, path string, pool []genuine, calm bool, before []expected) (entries []expected) {
	kinds := []string{"document", "document", "document", "tar", "lines", "link"}
	if calm {
		kinds = kinds[2:5]
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "file")
	if kind == "link" {
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.Symlink("nothing", path))
		return []expected{{nil, outcome.Unreadable, nil}}
	}
	n := 1
	if kind != "document" {
		n = rapid.IntRange(2, 4).Draw(t, "entries")
	}
	var content bytes.Buffer
	var members []string
	for i := range n {
		e := drawEntry(t, pool, slices.Concat(before, entries), calm, kind == "lines")
		entries = append(entries, e)
		if kind == "tar" {
			members = append(members, fmt.Sprintf("proofs/%d.json", i), string(e.content))
			continue
		}
		content.Write(e.content)
		if kind == "lines" {
			content.WriteByte('\n')
		}
	}
	if kind == "tar" {
		content.WriteString(must.Tar(members...))
	}
	must.WriteFile(t, path, content.Bytes())
	return entries
}

// drawSet draws a set of files, and returns its entries in their order.
func drawSet(t *rapid.T, dir string, pool []genuine, calm bool) (entries []expected) {
	var names []string
	for i := range rapid.IntRange(0, 12).Draw(t, "files") {
		folder := rapid.SampledFrom([]string{"", "a/", "a/b/", "a.d/", ".hidden/"}).Draw(t, "folder")
		names = append(names, fmt.Sprintf("%s%02d", folder, i))
	}
	slices.Sort(names)
	for _, name := range names {
		entries = append(entries, drawFile(t, filepath.Join(dir, name), pool, calm, entries)...)
	}
	return entries
}

// TestSets draws sets with planted contradictions, duplicate and missing entries, unreadable
// files and statements that do not verify, and compares the whole outcome with the planted
// one, for any number of workers.
func TestSets(t *testing.T) {
	all, root := pool(t)
	rapid.Check(t, func(r *rapid.T) {
		dir := must.Get(os.MkdirTemp(t.TempDir(), "set"))(r)
		from, calm := all, rapid.IntRange(0, 2).Draw(r, "calm") == 0
		if calm {
			from = agreeing(all)
		}
		set := drawSet(r, dir, from, calm)
		want := drawAsked(r, set)
		o := batch.Options{Root: root, Workers: 1, Expected: want.expected(r)}
		lines := examine(r, dir, o, func(b *batch.Result, e *entry.Set) {
			checkRecords(r, b, set, want)
			checkSummary(r, &b.Summary, set, want)
			checkSaved(r, b, e, set, filepath.Join(t.TempDir(), "saved"), root)
		})
		more := batch.Options{Root: root, Workers: rapid.IntRange(2, 4).Draw(r, "workers"), Expected: want.expected(r)}
		if again := examine(r, dir, more, func(*batch.Result, *entry.Set) {}); !bytes.Equal(lines, again) {
			r.Errorf("%d workers find something else:\n%s", more.Workers, cmp.Diff(string(lines), string(again)))
		}
	})
}

// examine runs a batch over a folder, and returns its lines.
func examine(t *rapid.T, dir string, o batch.Options, check func(*batch.Result, *entry.Set)) []byte {
	set := must.Get(entry.New(entry.Source{Paths: []string{dir}}))(t)
	defer set.Close()
	result := must.Get(batch.Run(context.Background(), set, o))(t)
	defer result.Close()
	check(result, set)
	var lines bytes.Buffer
	must.Do(t, result.WriteLines(&lines))
	return lines.Bytes()
}

// distinct returns the entries that do not repeat the bytes of an earlier one.
func distinct(set []expected) []int {
	var all []int
	for i, e := range set {
		if first(set, e) < 0 || first(set, e) == i {
			all = append(all, i)
		}
	}
	return all
}

// first returns the number of the first entry with the bytes of one, -1 if it has none.
func first(set []expected, e expected) int {
	return slices.IndexFunc(set, func(o expected) bool {
		return e.content != nil && o.content != nil && bytes.Equal(o.content, e.content)
	})
}

// planted returns the contradictions that a set has.
func planted(set []expected) []found {
	var says []*said
	for i, e := range set {
		if first(set, e) != i { // a copy adds nothing
			e.says = nil
		}
		says = append(says, e.says)
	}
	return contradictionsOf(says)
}

// contradicted reports whether an entry or its original is contradicted.
func contradicted(set []expected, pairs []found, i int) bool {
	original := first(set, set[i])
	return slices.ContainsFunc(pairs, func(f found) bool { return f.first == original || f.second == original })
}
