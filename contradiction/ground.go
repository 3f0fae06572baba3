package contradiction

import (
	"cmp"
	"slices"

	"github.com/svc-edge/svc-verify/trust"
)

// checkpoint returns the grounds of everything that the log commits to: the
// checkpoint, and the receipts of those who witnessed it.
func (f *Facts) checkpoint() []Ground {
	g := []Ground{f.audit(OnCheckpoint, f.Sequence(), f.Keys.Checkpoint)}
	for _, w := range f.Keys.Witnesses {
		g = append(g, Ground{Kind: OnWitness, Sequence: f.Sequence(), Role: trust.Node, KeyID: w.Key, NodeID: w.Node})
	}
	return g
}

// proof returns the grounds of the hash of an event: the checkpoint, and the
// link that names the event if it is not the checkpoint's own.
func (f *Facts) proof(sequence uint64) []Ground {
	g := f.checkpoint()
	if sequence == f.Sequence() {
		return g
	}
	by, skip := f.namedBy(sequence)
	if skip {
		return append(g, Ground{Kind: OnSkipLink, Sequence: by})
	}
	return append(g, Ground{Kind: OnPreviousLink, Sequence: by})
}

// receipt returns the ground of the certificate.
func (f *Facts) receipt() Ground {
	return Ground{Kind: OnReceipt, Role: trust.Signer, KeyID: f.Keys.Receipt}
}

// audit returns a ground that an audit key signed.
func (f *Facts) audit(kind GroundKind, sequence uint64, key string) Ground {
	return Ground{Kind: kind, Sequence: sequence, Role: trust.Audit, KeyID: key}
}

// sides sets the sides of a finding: each bundle, and its claim.
func (f *Finding) sides(a, b *Facts, says func(*Facts) Side) {
	for i, x := range []*Facts{a, b} {
		s := says(x)
		s.BundleSHA256, s.TenantID, s.TransactionID = x.SHA256.String(), x.Tenant, x.Transaction
		s.Checkpoint, s.Legacy = x.Sequence(), x.Legacy
		f.Sides[i] = s
	}
}

// setGrounds sets the grounds that the sides rest on.
func (f *Finding) setGrounds(a, b *Facts, on func(*Facts) []Ground) {
	f.Sides[0].RestsOn, f.Sides[1].RestsOn = on(a), on(b)
}

// addSentences sets the fields that follow from the sides: their common members, the signers
// of both, and the sentences.
func (f *Finding) addSentences() {
	a, b := f.Sides[0], f.Sides[1]
	if a.TenantID == b.TenantID {
		f.TenantID, f.LogID = a.TenantID, "tenant/"+a.TenantID
		if a.TransactionID == b.TransactionID {
			f.TransactionID = a.TransactionID
		}
	}
	f.SignedBoth = intersect(a.signers(), b.signers())
	f.WitnessedBoth = intersect(a.witnesses(), b.witnesses())
	f.Sentences = f.sentences()
}

// intersect returns the elements that are in two lists, in the order of the first, never nil.
func intersect[T comparable](a, b []T) []T {
	others := make(map[T]bool, len(b))
	for _, x := range b {
		others[x] = true
	}
	return slices.DeleteFunc(append([]T{}, a...), func(x T) bool { return !others[x] })
}

// witnesses returns the nodes that witnessed the grounds of the side, ascending.
func (s *Side) witnesses() []string {
	var nodes []string
	for _, g := range s.RestsOn {
		if g.Kind == OnWitness {
			nodes = append(nodes, g.NodeID)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// signers returns the keys that signed the grounds of the side, each once, in ascending order
// of role and key id.
func (s *Side) signers() []Signer {
	var all []Signer
	for _, g := range s.RestsOn {
		if g.Role != "" {
			all = append(all, Signer{g.Role, g.KeyID, g.NodeID})
		}
	}
	slices.SortFunc(all, func(a, b Signer) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.KeyID, b.KeyID))
	})
	return slices.Compact(all)
}
