package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// signaturesValid is SPEC 8.3. It establishes the keys of the witnesses and
// approvers whose signatures hold.
func signaturesValid(r *run, b *bundle.Bundle) {
	// 8.3.1
	open(r, b.Checkpoint)
	open(r, b.Status)
	r.witnesses = openAll(r, b.Witnesses)
	r.approvers = openAll(r, b.Approvals)
	open(r, b.Customer)
	open(r, b.Service)
	openAll(r, b.Capability)
	open(r, b.Receipt)
	if b.Revocation != nil {
		open(r, *b.Revocation)
	}
	// 8.3.2
	for _, l := range b.Path {
		if l.Event != nil {
			open(r, *l.Event)
		}
	}
}

// open expects that one envelope opens, and returns the key that signed it.
func open[T trust.Statement](r *run, s trust.Sealed[T]) (trust.Key, bool) {
	opened, refusal := trust.Open(r.root, s)
	var why finding.InDocument
	if refusal != nil {
		why = *refusal
	}
	return opened.Key, r.expect(refusal == nil, why.Code, why.Path, why.Expected, why.Found)
}

// openAll opens a list of envelopes and returns the keys of those that opened.
func openAll[T trust.Statement](r *run, list []trust.Sealed[T]) []trust.Key {
	var keys []trust.Key
	for _, s := range list {
		if key, ok := open(r, s); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// keysOf returns the keys that signed statements.
func keysOf[T trust.Statement](list []trust.Opened[T]) []trust.Key {
	keys := make([]trust.Key, len(list))
	for i, opened := range list {
		keys[i] = opened.Key
	}
	return keys
}
