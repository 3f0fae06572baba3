package object

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// bundle judges what claims to be a bundle.
func (j *Judge) bundle(in *bundle.Input) Judgement {
	report := verify.Verify(in, j.session.Root(), j.o.Policy)
	judged := Judgement{Kind: Bundle, Verdict: outcome.Class(report.Verdict)}
	if report.Verdict != verify.Verified {
		f := report.Decides()
		judged.Code, judged.Pointer, judged.Reason = f.Code, f.Path, f.Remark()
	}
	if in.Bundle != nil {
		judged.Facts = factsOf(in.Bundle, j.session.Root())
	}
	if report.Proven() {
		judged.Facts.say(in.Bundle, report.About)
	}
	judged.Facts.lacks(report.UnknownKeys)
	return judged
}

// factsOf returns what the verdict on a bundle depends on in a trust file.
func factsOf(b *bundle.Bundle, root *trust.Root) Facts {
	s := seen{root: root}
	open(&s, b.Checkpoint)
	open(&s, b.Status)
	open(&s, b.Customer)
	open(&s, b.Service)
	open(&s, b.Receipt)
	for _, c := range b.Capability {
		open(&s, c)
	}
	if b.Revocation != nil {
		open(&s, *b.Revocation)
	}
	for _, l := range b.Path {
		if l.Event != nil {
			open(&s, *l.Event)
		}
	}
	f := Facts{Witnesses: votes(&s, b.Witnesses), Approvals: votes(&s, b.Approvals)}
	slices.SortFunc(s.keys, func(a, b KeyRef) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.ID, b.ID))
	})
	f.Keys = slices.Compact(s.keys)
	for _, k := range f.Keys {
		if _, pinned := root.Key(k.Role, k.ID); !pinned {
			f.Unknown = append(f.Unknown, k)
		}
	}
	for _, g := range b.Registries {
		f.Generations = append(f.Generations, g.Generation)
	}
	slices.Sort(f.Generations)
	f.Generations = slices.Compact(f.Generations)
	return f
}

// seen collects the keys that envelopes name.
type seen struct {
	root *trust.Root
	keys []KeyRef
}

// open enters the key of an envelope.
func open[T trust.Statement](s *seen, e trust.Sealed[T]) {
	s.keys = append(s.keys, KeyRef{e.Unverified().Signatory().Role, e.KeyID})
}

// votes enters the keys of a list of envelopes, and returns how many of them count
// in a quorum (SPEC 5.3).
func votes[T trust.Statement](s *seen, list []trust.Sealed[T]) int {
	var valid []trust.Key
	for _, e := range list {
		open(s, e)
		if opened, refusal := trust.Open(s.root, e); refusal == nil {
			valid = append(valid, opened.Key)
		}
	}
	return trust.Distinct(valid)
}
