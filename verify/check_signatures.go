package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// signaturesValid is SPEC 8.3. It establishes the receipts of the witnesses
// and the keys of the approvers whose signatures hold.
func signaturesValid(r *run, b *bundle.Bundle) {
	// 8.3.1
	openStatement(r, b.Checkpoint)
	openStatement(r, b.Status)
	r.witnesses = openAll(r, b.Witnesses)
	r.approvers = keysOf(openAll(r, b.Approvals))
	openStatement(r, b.Customer)
	openStatement(r, b.Service)
	openAll(r, b.Capability)
	openStatement(r, b.Receipt)
	if b.Revocation != nil {
		openStatement(r, *b.Revocation)
	}
	// 8.3.2
	for _, l := range b.Path {
		if l.Event != nil {
			openStatement(r, *l.Event)
		}
	}
}

// openStatement expects that one envelope opens, and returns its statement.
func openStatement[T trust.Statement](r *run, s trust.Sealed[T]) (trust.Opened[T], bool) {
	opened, refusal := trust.Open(r.root, s)
	r.keys.Total("signature", 1)
	if refusal != nil && r.root.Lacks(s.KeyID) {
		r.keys.Add(s.KeyID, "signature", 1)
		if presumed, ok := trust.Presume(s); ok && r.presumes {
			opened, refusal = presumed, nil
		}
	}
	var why finding.InDocument
	if refusal != nil {
		why = *refusal
	}
	return opened, r.expect(refusal == nil, why.Code, why.Path, why.Expected, why.Found)
}

// openAll opens a list of envelopes and returns those that opened.
func openAll[T trust.Statement](r *run, list []trust.Sealed[T]) []trust.Opened[T] {
	var all []trust.Opened[T]
	for _, s := range list {
		if opened, ok := openStatement(r, s); ok {
			all = append(all, opened)
		}
	}
	return all
}

// keysOf returns the keys that signed statements.
func keysOf[T trust.Statement](list []trust.Opened[T]) []trust.Key {
	keys := make([]trust.Key, len(list))
	for i, opened := range list {
		keys[i] = opened.Key
	}
	return keys
}
