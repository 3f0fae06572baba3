package forge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// resealEnvelope brings an envelope's statement up to date and signs it.
func (b *Bundle) resealEnvelope(keys harness.Keys, envelope seal.Object) {
	statement := seal.Member(envelope, "statement")
	if statement == nil {
		return
	}
	b.settleDigests(statement)
	if key, ok := keyFor(keys, statement, seal.Text(envelope, "key_id")); ok {
		envelope["signature"] = seal.Seal(statement, key)["signature"]
	}
}

// resealList re-seals the envelopes of a list. Capability evidence is ordered
// by digest, so a changed digest may change the order.
func (b *Bundle) resealList(keys harness.Keys, list string) {
	names := len(b.renamed)
	for _, envelope := range seal.ObjectList(b.Document, list) {
		b.resealEnvelope(keys, envelope)
	}
	if list != "capability_evidence" || len(b.renamed) == names {
		return
	}
	envelopes := seal.ObjectList(b.Document, list)
	slices.SortFunc(envelopes, func(a, b seal.Object) int {
		return cmp.Compare(seal.StatementDigest(a), seal.StatementDigest(b))
	})
	b.Document[list] = seal.Objects(envelopes)
}

// settleDigests writes the new digests into a document and renames the document's
// own.
func (b *Bundle) settleDigests(document seal.Object) {
	b.updateDigests(document)
	if before, ok := b.was[documentIdentity(document)]; ok {
		b.renameDigest(before.digest, seal.Digest(document))
	}
}

func (b *Bundle) renameDigest(from, to string) {
	if from != to {
		b.renamed[from] = to
	}
}

// updateDigests replaces every digest that has been renamed. A list in which one was
// replaced is sorted again, as lists of digests are.
func (b *Bundle) updateDigests(value any) any {
	switch v := value.(type) {
	case string:
		if to, ok := b.renamed[v]; ok {
			return to
		}
	case seal.Object:
		for name, member := range v {
			v[name] = b.updateDigests(member)
		}
	case []any:
		replaced := false
		for i, element := range v {
			v[i] = b.updateDigests(element)
			_, text := element.(string)
			replaced = replaced || text && v[i] != element
		}
		if replaced {
			slices.SortFunc(v, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return value
}

// rewriteLog writes the tenant log again up to the checkpoint, with the
// disclosed events as they are now, and makes the audit path.
func (b *Bundle) rewriteLog(keys harness.Keys) error {
	tenant := b.Scene.Tenant
	if b.length < 1 || b.length > int64(len(tenant)) {
		return fmt.Errorf("the scene does not hold the tenant log up to the checkpoint")
	}
	checkpoint := seal.Member(seal.Member(b.Document, "checkpoint"), "statement")
	log := seal.NewLog(seal.Text(checkpoint, "tenant_id"), seal.Text(checkpoint, "log_id"))
	disclosed := b.stillDisclosed()
	var shown []seal.Object
	for _, event := range tenant[:b.length] {
		written := b.appendEvent(keys, log, event)
		if disclosed[seal.Integer(seal.Member(event, "body"), "sequence")] {
			shown = append(shown, written)
		}
	}
	b.renameDigest(seal.Text(tenant[b.length-1], "hash"), log.Head().String())
	path, err := log.Path(uint64(b.length), shown...)
	if err != nil {
		return err
	}
	b.Document["audit_path"] = path
	return nil
}

// stillDisclosed is the places of the events that the change left in the path.
func (b *Bundle) stillDisclosed() map[int64]bool {
	left := map[int64]bool{}
	for _, link := range seal.ObjectList(seal.Member(b.Document, "audit_path"), "links") {
		for sequence, event := range b.events {
			if shown := seal.Member(link, "event"); shown != nil && documentIdentity(shown) == documentIdentity(event) {
				left[sequence] = true
			}
		}
	}
	return left
}

// appendEvent appends an event of the old log to the new one, in the form that the
// bundle gave it if it was disclosed.
func (b *Bundle) appendEvent(keys harness.Keys, log *seal.Log, event seal.Object) seal.Object {
	body := seal.CloneObject(seal.Member(event, "body"))
	keyID := seal.Text(event, "key_id")
	if changed := b.events[seal.Integer(body, "sequence")]; changed != nil {
		body, keyID = seal.Member(changed, "body"), seal.Text(changed, "key_id")
	}
	b.updateDigests(body)
	key, ok := keys.Audit[keyID]
	written := log.AppendBody(body, key)
	if !ok {
		written["key_id"], written["signature"] = keyID, event["signature"]
	}
	return written
}

// keyFor is the key of that id in the role that may sign the statement, SPEC 3.3.
func keyFor(keys harness.Keys, statement seal.Object, keyID string) (seal.Key, bool) {
	section := keys.Node
	switch protocol := seal.Text(statement, "protocol"); {
	case protocol == "svc.signer-receipt.v1" || protocol == "svc.revocation-receipt.v1":
		section = keys.Signer
	case protocol == "svc.audit-checkpoint.v1" || protocol == "svc.audit-checkpoint.v0" ||
		protocol == "svc.evidence-status.v1" || seal.Text(statement, "trust_domain") == "service":
		section = keys.Audit
	}
	key, ok := section[keyID]
	return key, ok
}
