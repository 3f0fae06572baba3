package replay_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/edwards25519"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// stranger returns the n-th public key that no evidence has.
func stranger(n int) string {
	p := edwards25519.NewGeneratorPoint()
	for range n {
		p.Add(p, edwards25519.NewGeneratorPoint())
	}
	return base64.RawURLEncoding.EncodeToString(p.Bytes())
}

// edit changes one thing of a trust file at random.
func edit(t *rapid.T, f file, serial int) {
	sections := f.sections()
	keys := sections[rapid.SampledFrom([]trust.Role{trust.Audit, trust.Signer, trust.Node}).Draw(t, "role")]
	id := rapid.SampledFrom(sorted(keys)).Draw(t, "key")
	switch rapid.SampledFrom([]string{"remove", "add", "replace", "rename", "other role", "exchange", "registry"}).Draw(t,
		"edit") {
	case "remove":
		if len(keys) > 1 {
			delete(keys, id)
		}
	case "add":
		keys[fmt.Sprint("new-", serial)] = stranger(serial)
	case "replace":
		keys[id] = stranger(serial)
	case "rename":
		public := keys[id]
		delete(keys, id)
		keys[fmt.Sprint("other-", serial)] = public
	case "other role":
		other := sections[rapid.SampledFrom([]trust.Role{trust.Audit, trust.Signer, trust.Node}).Draw(t, "to")]
		if len(keys) > 1 {
			public := keys[id]
			delete(keys, id)
			other[fmt.Sprint("moved-", serial)] = public
		}
	case "exchange":
		other := rapid.SampledFrom(sorted(keys)).Draw(t, "with")
		keys[id], keys[other] = keys[other], keys[id]
	case "registry":
		registry(t, f)
	}
}

func registry(t *rapid.T, f file) {
	g := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "generation")
	pin := base64.RawURLEncoding.EncodeToString(make([]byte, 32))
	if _, ok := f.Registries[g]; ok && len(f.Registries) > 1 && rapid.Bool().Draw(t, "unpin") {
		delete(f.Registries, g)
		return
	}
	f.Registries[g] = pin
}

// edited returns a trust file with some edits.
func edited(t *rapid.T, f file, serial *int) file {
	f = f.clone()
	for range rapid.IntRange(0, 2).Draw(t, "edits") {
		*serial++
		edit(t, f, *serial)
	}
	if rapid.IntRange(0, 2).Draw(t, "quorum stays") == 0 {
		f.Quorum = rapid.IntRange(0, 4).Draw(t, "quorum")
	}
	return f
}

// TestReplay rehearses random changes on folders of bundles, and compares with verifying every
// bundle under both files: each change of a verdict is found, with its codes, and no other.
// Only objects that the change can touch, according to the bundles' JSON, are verified again.
func TestReplay(t *testing.T) {
	all := pools(t)
	said, dirs := make([][]said, len(all)), make([]string, len(all))
	for i, p := range all {
		dirs[i] = t.TempDir()
		for n, doc := range p.docs {
			said[i] = append(said[i], sayings(doc))
			must.WriteFile(t, filepath.Join(dirs[i], name(n)), doc)
		}
		must.WriteFile(t, filepath.Join(dirs[i], "zz/notes.txt"), []byte("no evidence"))
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(all)-1).Draw(t, "pool")
		serial := 0
		x := rehearsal{pool: all[i], said: said[i], dir: dirs[i], from: edited(t, all[i].base, &serial)}
		x.to = x.from
		switch rapid.IntRange(0, 2).Draw(t, "new file") {
		case 0:
			x.to = edited(t, all[i].base, &serial)
		case 1:
			x.to = edited(t, x.from, &serial)
		}
		x.before.MinimumApprovals = rapid.IntRange(0, 3).Draw(t, "approvals before")
		x.after = x.before
		if rapid.Bool().Draw(t, "other approvals") {
			x.after.MinimumApprovals = rapid.IntRange(0, 3).Draw(t, "approvals after")
		}
		x.run(t)
	})
}

func name(n int) string { return fmt.Sprintf("%d/%04d.json", n%3, n) }

// rehearsal is one change, on one folder.
type rehearsal struct {
	pool
	said          []said
	dir           string
	from, to      file
	before, after verify.Policy
}

func (x *rehearsal) run(t *rapid.T) {
	from, to := x.from.root(t), x.to.root(t)
	o := replay.Options{Dir: x.dir, Old: replay.Under{Root: from, Policy: x.before},
		New:     replay.Under{Root: to, Policy: x.after},
		Workers: rapid.IntRange(1, 3).Draw(t, "workers"), All: rapid.IntRange(0, 4).Draw(t, "all") == 0}
	want, can := map[string][4]string{}, int64(0)
	for n, doc := range x.docs {
		was, is := verdict(doc, from, x.before), verdict(doc, to, x.after)
		if was != is {
			want[name(n)] = [4]string{was[0], was[1], is[0], is[1]}
		}
		if touched(x.said[n], x.from, x.to, x.before, x.after) {
			can++
		} else if was != is {
			t.Fatalf("%s: %v becomes %v, and the change cannot touch it", name(n), was, is)
		}
	}
	with := rapid.SampledFrom([]string{"a ledger", "no ledger", "a ledger of another context",
		"half a ledger"}).Draw(t, "with")
	first := int64(len(x.docs))
	if with != "no ledger" {
		o.Known, first = x.ledger(t, o.Old, with)
	}
	r := must.Get(replay.Run(context.Background(), o))(t)
	got := map[string][4]string{}
	for _, c := range r.Changes {
		got[c.Path] = [4]string{string(c.Before.Verdict), string(c.Before.Code), string(c.After.Verdict),
			string(c.After.Code)}
		check.That(t, o.All || len(c.Because) != 0, "%s changes for no reason", c.Path)
	}
	must.That(t, maps.Equal(got, want), "with %s: found %v, want %v", with, got, want)
	if most := can + can/10; !o.All && r.JudgedAfter > most || r.Touched != can {
		t.Errorf("with %s: %d judged again and %d touched, where a change can touch %d", with, r.JudgedAfter, r.Touched, can)
	}
	check.That(t, r.JudgedBefore >= first && r.JudgedBefore <= first+1, "with %s: %d judged under the old file, want %d",
		with, r.JudgedBefore, first)
	check.That(t, r.Missing+r.Altered+r.Unreadable == 0, "not judged: %+v", r.NotJudged)
}

// ledger returns the rows of a ledger, and how many bundles it does not vouch for.
func (x *rehearsal) ledger(t *rapid.T, under replay.Under, kind string) (iter.Seq2[*ledger.Object, error], int64) {
	judge := object.NewJudge(object.Options{Root: under.Root, Policy: under.Policy, Workers: 1})
	var rows []*ledger.Object
	missing := int64(0)
	for n, doc := range append(slices.Clone(x.docs), []byte("no evidence")) {
		judged := must.Get(judge.Octets(context.Background(), doc))(t)
		row := &ledger.Object{Path: name(n), SHA256: sha256.Sum256(doc), Judgement: judged, Context: judge.Context()}
		if n == len(x.docs) {
			row.Path = "zz/notes.txt"
		}
		switch {
		case kind == "half a ledger" && n%2 == 0:
			missing++
			continue
		case kind == "a ledger of another context":
			row.Context.Trust[0]++
			missing++
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *ledger.Object) int { return strings.Compare(a.Path, b.Path) })
	return func(yield func(*ledger.Object, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}, missing
}
