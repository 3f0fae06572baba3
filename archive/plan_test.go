package archive

import (
	order "cmp"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

// listOf yields the entries of a list.
func listOf[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// drawRow draws a row of a ledger.
func drawRow(t *rapid.T, path string) *ledger.Object {
	o := &ledger.Object{Path: path, Size: rapid.Int64Range(0, 1<<40).Draw(t, "size"),
		Modified: rapid.Int64().Draw(t, "modified"), AddedIn: 1, ReadAt: rapid.Int64Range(0, 5).Draw(t, "read"),
		Wrong:    string(rapid.SampledFrom(wrongs).Draw(t, "wrong")),
		Accepted: rapid.Bool().Draw(t, "accepted")}
	o.SHA256[3] = rapid.Byte().Draw(t, "digest")
	o.Judgement = object.Judgement{Kind: rapid.SampledFrom(kinds[1:]).Draw(t, "kind"),
		Verdict: rapid.SampledFrom(verdicts).Draw(t, "verdict")}
	if o.Wrong == ledger.Altered || o.Wrong == ledger.Replaced {
		o.Found.SHA256[7] = rapid.Byte().Draw(t, "found")
		o.Found.Judgement.Verdict = rapid.SampledFrom(verdicts).Draw(t, "verdict on what was found")
	}
	return o
}

// TestJoin joins a folder and a ledger, and compares the result with two maps.
func TestJoin(t *testing.T) {
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	root := must.Get(trust.Parse(seal.Canonical(scene.Trust)))(t)
	judge := object.NewJudge(object.Options{Root: root, Workers: 1})
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[ab/]{1,3}`)
		entries, rows := map[string]listing.Entry{}, map[string]*ledger.Object{}
		for _, path := range rapid.SliceOf(path).Draw(t, "listed") {
			entries[path] = listing.Entry{Path: path, Size: rapid.Int64Range(0, 9).Draw(t, "size")}
			if strings.HasSuffix(path, "/") || rapid.IntRange(0, 4).Draw(t, "fault") == 0 {
				entries[path] = listing.Entry{Path: path, Err: errors.New("a fault")}
			}
		}
		maps.DeleteFunc(entries, func(path string, _ listing.Entry) bool { // nothing is listed below such a folder
			return slices.ContainsFunc(slices.Collect(maps.Keys(entries)), func(other string) bool {
				return strings.HasSuffix(other, "/") && strings.HasPrefix(path, other) && path != other
			})
		})
		for _, path := range rapid.SliceOf(path).Draw(t, "known") {
			rows[path] = drawRow(t, path)
		}
		var list []listing.Entry
		for _, path := range slices.Sorted(maps.Keys(entries)) {
			list = append(list, entries[path])
		}
		var all []*ledger.Object
		for _, path := range slices.Sorted(maps.Keys(rows)) {
			all = append(all, rows[path])
		}
		p := must.Get(newPlan(Options{Judge: judge}, 1<<40, listOf(list), listOf(all)))(t)
		defer p.close()
		checkPlan(t, p, judge.Context(), entries, rows)
	})
}

// checkPlan compares the items and the queue of a plan.
func checkPlan(t *rapid.T, p *plan, context object.Context, entries map[string]listing.Entry,
	rows map[string]*ledger.Object) {
	paths := slices.AppendSeq(slices.Collect(maps.Keys(entries)), maps.Keys(rows))
	slices.Sort(paths)
	paths = slices.Compact(paths)
	must.That(t, p.items.Len() == len(paths) && p.listed == len(entries),
		"%d items and %d names, want %d and %d", p.items.Len(), p.listed, len(paths), len(entries))
	var queued []string
	gone, known := 0, 0
	for i, path := range paths {
		it, err := p.at(uint32(i))
		must.That(t, err == nil && it.path == path, "item %d is %q, %v, want %q", i, it.path, err, path)
		entry, listed := entries[path]
		row, isKnown := rows[path]
		below := slices.ContainsFunc(paths, func(other string) bool {
			_, is := entries[other]
			return is && strings.HasSuffix(other, "/") && strings.HasPrefix(path, other) && other != path
		})
		if it.known != isKnown || it.there != (listed || below) ||
			(it.fault != "") != (entry.Err != nil || below && !listed) {
			t.Fatalf("%q: %+v, %v", path, it, below)
		}
		must.That(t, !isKnown || cmp.Equal(it.row, shorten(row, context), cmp.AllowUnexported(short{})),
			"%q: %+v, want %+v", path, it.row, row)
		if isKnown && row.Wrong != ledger.Missing {
			known++
			if !it.there {
				gone++
			}
		}
		if it.there && it.fault == "" {
			queued = append(queued, path)
		}
	}
	must.That(t, p.gone == gone && p.known == known,
		"%d of %d are gone, want %d of %d", p.gone, p.known, gone, known)
	p.queue.sort()
	slices.SortFunc(queued, func(a, b string) int {
		urgent := func(path string) int {
			row, known := rows[path]
			if !known || row.Wrong != "" || row.Judgement.Verdict == outcome.Rejected && !row.Accepted {
				return 0
			}
			return 1
		}
		readAt := func(path string) int64 {
			if urgent(path) == 0 {
				return 0
			}
			return rows[path].ReadAt
		}
		return order.Or(order.Compare(urgent(a), urgent(b)), order.Compare(readAt(a), readAt(b)), order.Compare(a, b))
	})
	for i, one := range p.queue {
		if it, err := p.at(one.index); err != nil || it.path != queued[i] {
			t.Fatalf("%d in the queue is %q, %v, want %q", i, it.path, err, queued[i])
		}
	}
}

// TestDeparted: of objects with the same bytes each is found elsewhere once, in the order of
// their paths.
func TestDeparted(t *testing.T) {
	sum := func(b byte) (d [32]byte) { d[0] = b; return d }
	d := &departed{found: map[uint32]bool{}, octets: []departure{{sum: sum(1), index: 4},
		{sum: sum(2), index: 3}, {sum: sum(2), index: 7}, {sum: sum(2), index: 9}, {sum: sum(4)}}}
	for _, want := range []int{3, 7, 9, -1, -1} {
		if got := d.takeOctets(sum(2)); (got != nil) != (want >= 0) || got != nil && int(got.index) != want {
			t.Errorf("%+v, want %d", got, want)
		}
	}
	for _, b := range []byte{0, 3, 5} {
		if got := d.takeOctets(sum(b)); got != nil {
			t.Errorf("%d has octets that nothing had: %+v", b, got)
		}
	}
}

// TestItems: bytes that are cut or changed are no item, and nothing else is read out of them.
func TestItems(t *testing.T) {
	said := object.Tally{Statuses: object.Statuses{Issued: 1, Revoked: 2, Superseded: 3}, Logs: 4,
		Unknown: []string{"k", "l"}, MayBeGood: true}
	one := item{path: "a", there: true, known: true, row: short{size: 3, kind: object.Logs, wrong: Altered, brief: true,
		said: said}}
	b := one.append(nil)
	for n := range b {
		var got item
		if got.parse(b[:n]) == nil {
			t.Errorf("%d of %d octets are an item", n, len(b))
		}
	}
	var got item
	if err := got.parse(b); err != nil || !cmp.Equal(got, one, cmp.AllowUnexported(item{}, short{})) {
		t.Errorf("%+v, %v", got, err)
	}
	if got.parse(append(b, 0)) == nil {
		t.Error("more than an item is one")
	}
}
