package ledger_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// model is the expected content of a ledger.
type model struct {
	objects   map[string]ledger.Object
	changes   []run.Change // of the run that is going on
	committed *model
}

func (m *model) commit() {
	m.committed = &model{objects: maps.Clone(m.objects), changes: slices.Clone(m.changes)}
}

// drawProof draws the statements of a proof. One without a transaction states nothing.
func drawProof(t *rapid.T, label string, text *rapid.Generator[string]) object.Proof {
	p := object.Proof{Name: "", Superseded: rapid.Bool().Draw(t, label+" superseded")}
	p.TenantID, p.Status = text.Draw(t, label+" tenant"), text.Draw(t, label+" status")
	p.TransactionID, p.Freshness = "tx", verify.NoAge
	p.CertificateSerial, p.RevokedAt = text.Draw(t, label+" serial"), text.Draw(t, label+" revoked")
	if names := rapid.SliceOfN(text, 0, 3).Draw(t, label+" names"); len(names) > 0 {
		p.CertificateNames = names
	}
	p.NotBefore, p.NotAfter, p.AsOf = "b", text.Draw(t, label+" end"), text.Draw(t, label+" as of")
	return p
}

// drawObject draws an object: paths that are prefixes of each other or no UTF-8, and
// everything that an entry can have.
func drawObject(t *rapid.T) ledger.Object {
	text := rapid.SampledFrom([]string{"", "a", "ä\"\x00", "acme"})
	number := rapid.Int64()
	refs := []object.KeyRef{{Role: trust.Audit, ID: "1"}, {Role: trust.Node, ID: "1"}, {ID: ""}}
	keys := rapid.SliceOfN(rapid.SampledFrom(refs), 0, 3)
	judgement := func(label string) object.Judgement {
		j := object.Judgement{
			Kind:    rapid.SampledFrom([]object.Kind{object.Bundle, object.Other, ""}).Draw(t, label+" kind"),
			Verdict: rapid.SampledFrom([]outcome.Class{"", outcome.Verified, outcome.Rejected}).Draw(t, label+" verdict"),
			Pointer: text.Draw(t, label+" pointer"), Reason: text.Draw(t, label+" reason"),
		}
		if k := keys.Draw(t, label+" keys"); len(k) > 0 {
			j.Facts.Keys = k
		}
		if g := rapid.SliceOfN(number, 0, 3).Draw(t, label+" generations"); len(g) > 0 {
			j.Facts.Generations = g
		}
		j.Facts.Witnesses = rapid.IntRange(0, 300).Draw(t, label+" witnesses")
		j.Facts.Proof = drawProof(t, label, text)
		for range rapid.IntRange(0, 2).Draw(t, label+" proofs") {
			j.Facts.Proofs = append(j.Facts.Proofs, drawProof(t, label+" contained", text))
		}
		for range rapid.IntRange(0, 2).Draw(t, label+" logs") {
			word := object.Word{Sequence: rapid.Uint64Range(0, 1<<53).Draw(t, label+" word"), Says: text.Draw(t, label+" says")}
			j.Facts.Logs = append(j.Facts.Logs, object.Log{TenantID: text.Draw(t, label+" tenant of a log"),
				LogID: text.Draw(t, label+" log"), CompleteByOthers: word, TailByOthers: word.Sequence / 2})
		}
		if k := rapid.SliceOfN(text, 0, 2).Draw(t, label+" unknown keys"); len(k) > 0 {
			j.Facts.UnknownKeys, j.Facts.MayBeGood = k, rapid.Bool().Draw(t, label+" good")
		}
		if rapid.Bool().Draw(t, label+" short") { // as an earlier version of the program wrote it
			f := j.Facts
			p := object.Proof{CheckpointSequence: f.CheckpointSequence}
			p.TenantID, p.TransactionID, p.Status, p.AsOf, p.Freshness = f.TenantID, f.TransactionID, f.Status, f.AsOf,
				f.Freshness
			j.Facts = object.Facts{Proof: p, Keys: f.Keys, Generations: f.Generations, Witnesses: f.Witnesses, Short: true}
			return j
		}
		j.Facts.Contains.Revoked, j.Facts.AllLogs = rapid.Int64().Draw(t, label+" all"), rapid.Int64().Draw(t, label+" logs")
		return j
	}
	o := ledger.Object{
		Path: rapid.SampledFrom([]string{"a", "a-b", "a/b", "a/\xff", "b", "\xfe", "é"}).Draw(t, "path"),
		Size: rapid.Int64Range(0, 1<<40).Draw(t, "size"), Modified: number.Draw(t, "modified"),
		AddedIn:    number.Draw(t, "added"),
		ReadAt:     rapid.Int64Range(0, 1<<41).Draw(t, "read at"),
		VerifiedAt: rapid.Int64Range(0, 1<<41).Draw(t, "verified at"),
		Wrong:      rapid.SampledFrom([]string{"", ledger.Missing, ledger.Altered, ledger.Replaced}).Draw(t, "wrong"),
		Accepted:   rapid.Bool().Draw(t, "accepted"), Judgement: judgement("own"),
	}
	o.SHA256[0] = rapid.Byte().Draw(t, "digest")
	o.Context.Rules = text.Draw(t, "rules")
	if o.Wrong == ledger.Altered || o.Wrong == ledger.Replaced {
		o.Found = ledger.Found{Size: number.Draw(t, "found"), Judgement: judgement("found")}
	}
	return o
}

// TestModel: a ledger has the content that was written to it, in any order, committed or not,
// over several processes. Its records commit to that content.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "model.ledger")
		open := func() *ledger.Writer {
			w, err := ledger.OpenWrite(t.Context(), path, ours)
			must.That(rt, err == nil && w.Standing() == ledger.Own, "%v, %v", err, w)
			return w
		}
		check := func(err error) {
			must.Do(rt, err)
		}
		w := open()
		m := &model{objects: map[string]ledger.Object{}}
		m.commit()
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				o := drawObject(rt)
				check(w.Put(&o))
				m.objects[o.Path] = o
			},
			"touch": func(rt *rapid.T) {
				if len(m.objects) == 0 {
					return
				}
				o := m.objects[rapid.SampledFrom(slices.Sorted(maps.Keys(m.objects))).Draw(rt, "path")]
				o.Modified, o.ReadAt = rapid.Int64().Draw(rt, "modified"), rapid.Int64Min(1).Draw(rt, "read at")
				o.ReadIn = w.Next()
				check(w.Touch(o.Path, o.Modified, o.ReadAt))
				m.objects[o.Path] = o
			},
			"remove": func(rt *rapid.T) {
				name := rapid.SampledFrom([]string{"a", "a/b", "é", "nowhere"}).Draw(rt, "path")
				check(w.Remove(name))
				delete(m.objects, name)
			},
			"note": func(rt *rapid.T) {
				c := run.Change{Path: rapid.SampledFrom([]string{"a", "a-b", "b"}).Draw(rt, "path"), Class: "moved"}
				check(w.Note(&c))
				m.changes = append(m.changes, c)
			},
			"commit": func(*rapid.T) {
				check(w.Commit())
				m.commit()
			},
			"reopen": func(*rapid.T) {
				check(w.Close())
				w = open()
				m = m.committed
				m.commit()
			},
			"end": func(*rapid.T) {
				done, err := w.AppendRun(t.Context(), record())
				check(err)
				root, octets := m.root()
				sound := done.Objects == int64(len(m.objects)) && done.Octets == octets && done.Root == root
				must.That(rt, sound && done.Record.Changes == m.changesRoot(), "%+v", done)
				m.changes = nil
				m.commit()
			},
			"": func(rt *rapid.T) {
				got := objectsOf(t, w.Ledger)
				diff := cmp.Diff(m.objects, got)
				must.That(rt, diff == "", "%v", diff)
			},
		})
		check(w.Close())
	})
}

func (m *model) root() (root run.Digest, octets int64) {
	tree := run.NewTree()
	for _, path := range slices.Sorted(maps.Keys(m.objects)) {
		o := m.objects[path]
		octets += o.Size
		tree.Object(&run.Object{Path: path, Size: o.Size, SHA256: o.SHA256, Verdict: o.Judgement.Verdict, Read: o.ReadAt,
			Verified: o.VerifiedAt, Wrong: o.Wrong})
	}
	return tree.Root(), octets
}

func (m *model) changesRoot() run.Digest {
	tree := run.NewTree()
	slices.SortStableFunc(m.changes, func(a, b run.Change) int { return strings.Compare(a.Path, b.Path) })
	for _, c := range m.changes {
		tree.Change(c.Line())
	}
	return tree.Root()
}
