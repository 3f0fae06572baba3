package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// oracle derives the expected results of a check from the files that were written before and
// after. It keeps maps of bytes, decides by them, and shares no code with the engine.
type oracle struct {
	known map[string]belief // by path
}

// worths are the judgements of bytes, by digests of bytes and trust file, for all oracles.
var worths sync.Map

// worth is the judgement of bytes under a trust file.
type worth struct {
	kind     object.Kind
	verdict  outcome.Class
	about    string // tenant and transaction of the verified bundle
	sequence uint64 // of its checkpoint
}

// belief is the state of a path that a ledger must record.
type belief struct {
	file     archives.File // as it was read, or accepted, last; the zero File if it never was
	read     bool
	worth    worth
	wrong    archive.Class // its fault, if any
	accepted bool
	lost     bool // it was verified, and no one accepted that it is not

	found      archives.File // the file in its place
	foundWorth worth
}

// expectation is the expected result of a check.
type expectation struct {
	classes map[string]archive.Class
	rotten  []string // altered, with the size and time that they had
	exit    int
	gone    bool
}

func newOracle() *oracle {
	return &oracle{known: map[string]belief{}}
}

// worthOf judges bytes. Bundles are judged by package verify alone.
func (o *oracle) worthOf(t testing.TB, octets []byte, root *trust.Root) worth {
	t.Helper()
	key := [2][sha256.Size]byte{sha256.Sum256(octets), root.SHA256()}
	if w, ok := worths.Load(key); ok {
		return w.(worth)
	}
	var w worth
	if in := bundle.Open(octets); in.Bundle != nil {
		report := verify.Verify(in, root, verify.Policy{})
		w = worth{kind: object.Bundle, verdict: outcome.Class(report.Verdict)}
		if report.Verdict == verify.Verified {
			w.about = in.Bundle.Manifest.TenantID + "/" + in.Bundle.Manifest.TransactionID
			w.sequence = in.Bundle.Checkpoint.Unverified().Sequence
		}
	} else {
		judge := object.NewJudge(object.Options{Root: root, Workers: 1, TempDir: t.TempDir()})
		judged := must.Get(judge.Octets(context.Background(), octets))(t)
		w = worth{kind: judged.Kind, verdict: judged.Verdict}
	}
	worths.Store(key, w)
	return w
}

// check returns the expected result of a check that reads everything, and remembers it.
func (o *oracle) check(t testing.TB, tree archives.Tree, root *trust.Root) expectation {
	t.Helper()
	e := expectation{classes: map[string]archive.Class{}}
	if e.gone = o.gone(tree); e.gone {
		e.exit = 1
		return e
	}
	next := map[string]belief{}
	evidence := false // something has a verdict
	from, left := o.moves(tree)
	paths := slices.AppendSeq(slices.Collect(maps.Keys(tree)), maps.Keys(o.known))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if left[path] {
			continue
		}
		before := o.known[path]
		if old, moved := from[path]; moved {
			before = o.known[old]
		}
		class, after := o.object(t, before, tree, path, root)
		if _, moved := from[path]; moved {
			class = archive.Moved
		}
		e.classes[path] = class
		if class == archive.Altered && after.found.Modified.Equal(after.file.Modified) &&
			len(after.found.Octets) == len(after.file.Octets) {
			e.rotten = append(e.rotten, path)
		}
		e.exit = worse(e.exit, exitOf(class, before, after))
		evidence = evidence || after.worth.verdict != "" || class == archive.Replaced && after.foundWorth.verdict != ""
		if after.read {
			next[path] = after
		}
	}
	o.known = next
	if !evidence {
		e.exit = worse(e.exit, 3)
	}
	return e
}

// moves pairs paths that are new with paths that are gone and had the same bytes, both in the
// order of their paths.
func (o *oracle) moves(tree archives.Tree) (from map[string]string, left map[string]bool) {
	from, left = map[string]string{}, map[string]bool{}
	for _, to := range tree.Paths() {
		if _, known := o.known[to]; known || !tree[to].Regular() {
			continue
		}
		for _, old := range slices.Sorted(maps.Keys(o.known)) {
			if _, there := tree[old]; !there && !left[old] && bytes.Equal(o.known[old].file.Octets, tree[to].Octets) {
				from[to], left[old] = old, true
				break
			}
		}
	}
	return from, left
}

// exitOf returns the exit code that one object requires.
func exitOf(class archive.Class, before, after belief) int {
	now := after.worth
	switch class {
	case archive.Missing, archive.Altered:
		return 1
	case archive.Unreadable:
		return 2
	case archive.Replaced:
		now = after.foundWorth
		if now.about == "" || now.about != before.worth.about || now.sequence < before.worth.sequence {
			return 1
		}
	}
	switch {
	case after.lost && class != archive.Replaced, now.verdict == outcome.Rejected && !after.accepted:
		return 1
	case now.verdict == outcome.Inconclusive && !after.accepted:
		return 3
	}
	return 0
}

// loses reports whether an object whose bytes now have the judgement w lost its verdict.
func (b *belief) loses(w worth) bool {
	return (b.lost || b.worth.verdict == outcome.Verified) && w.verdict != outcome.Verified
}

// worse returns the exit code that counts.
func worse(a, b int) int {
	order := []int{0, 3, 2, 1}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// gone reports whether most of the archive is gone at once.
func (o *oracle) gone(tree archives.Tree) bool {
	were, missing := 0, 0
	_, left := o.moves(tree)
	for path, b := range o.known {
		if b.wrong == archive.Missing {
			continue
		}
		were++
		if _, there := tree[path]; !there && !left[path] {
			missing++
		}
	}
	return len(tree) == 0 && were > 0 || were >= 2 && 2*missing > were
}

// object returns the class of one object, and the belief about it afterwards.
func (o *oracle) object(t testing.TB, b belief, tree archives.Tree, path string,
	root *trust.Root) (archive.Class, belief) {
	f, there := tree[path]
	if !there || !f.Regular() {
		b.wrong, b.found = archive.Unreadable, archives.File{}
		if !there {
			b.wrong = archive.Missing
		}
		return b.wrong, b
	}
	w := o.worthOf(t, f.Octets, root)
	now := belief{file: f, read: true, worth: w}
	switch {
	case !b.read:
		return archive.Added, now
	case bytes.Equal(f.Octets, b.file.Octets):
		now.lost = b.loses(w)
		now.accepted = b.accepted && !now.lost
		if w.verdict != b.worth.verdict {
			return archive.VerdictChanged, now
		}
		return archive.Intact, now
	case w.kind == object.Logs && b.worth.kind == object.Logs && bytes.HasPrefix(f.Octets, b.file.Octets):
		now.lost = b.loses(w)
		return archive.Grown, now
	}
	b.wrong, b.found, b.foundWorth = archive.Altered, f, w
	if w.verdict == outcome.Verified {
		b.wrong = archive.Replaced
	}
	return b.wrong, b
}

// accept accepts everything that can be accepted, and returns the accepted digests by path.
func (o *oracle) accept() map[string][sha256.Size]byte {
	accepted := map[string][sha256.Size]byte{}
	for path, b := range o.known {
		switch b.wrong {
		case archive.Unreadable:
			continue
		case archive.Missing:
			accepted[path] = sha256.Sum256(b.file.Octets)
			delete(o.known, path)
			continue
		case archive.Altered, archive.Replaced:
			b.file, b.worth = b.found, b.foundWorth
		default:
			if !b.lost && (b.accepted || b.worth.verdict == outcome.Verified || b.worth.verdict == "") {
				continue
			}
		}
		accepted[path] = sha256.Sum256(b.file.Octets)
		o.known[path] = belief{file: b.file, read: true, worth: b.worth, accepted: true}
	}
	return accepted
}
