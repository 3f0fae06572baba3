package forge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// reseal brings an envelope's statement up to date and signs it.
func (f *forger) reseal(envelope seal.Object) {
	statement := seal.Member(envelope, "statement")
	if statement == nil {
		return
	}
	f.settle(statement)
	if key, ok := keyFor(f.keys, statement, seal.Text(envelope, "key_id")); ok {
		envelope["signature"] = seal.Seal(statement, key)["signature"]
	}
}

// resealList re-seals the envelopes of a list. Capability evidence is ordered
// by digest, so a changed digest may change the order.
func (f *forger) resealList(list string) {
	names := len(f.renamed)
	for _, envelope := range objects(f.bundle, list) {
		f.reseal(envelope)
	}
	if list != "capability_evidence" || len(f.renamed) == names {
		return
	}
	envelopes := objects(f.bundle, list)
	slices.SortFunc(envelopes, func(a, b seal.Object) int {
		return cmp.Compare(seal.StatementDigest(a), seal.StatementDigest(b))
	})
	f.bundle[list] = seal.Objects(envelopes)
}

// settle writes the new digests into a document and renames the document's
// own.
func (f *forger) settle(document seal.Object) {
	f.update(document)
	if before, ok := f.was[identity(document)]; ok {
		f.rename(before.digest, seal.Digest(document))
	}
}

func (f *forger) rename(from, to string) {
	if from != to {
		f.renamed[from] = to
	}
}

// update replaces every digest that has been renamed. A list in which one was
// replaced is sorted again, as lists of digests are.
func (f *forger) update(value any) any {
	switch v := value.(type) {
	case string:
		if to, ok := f.renamed[v]; ok {
			return to
		}
	case seal.Object:
		for name, member := range v {
			v[name] = f.update(member)
		}
	case []any:
		replaced := false
		for i, element := range v {
			v[i] = f.update(element)
			_, text := element.(string)
			replaced = replaced || text && v[i] != element
		}
		if replaced {
			slices.SortFunc(v, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return value
}

// rewriteLog writes the tenant log anew up to the checkpoint, with the
// disclosed events as they are now, and makes the audit path.
func (f *forger) rewriteLog(tenant []seal.Object) error {
	if f.length < 1 || f.length > int64(len(tenant)) {
		return fmt.Errorf("the scene does not hold the tenant log up to the checkpoint")
	}
	checkpoint := seal.Member(seal.Member(f.bundle, "checkpoint"), "statement")
	log := seal.NewLog(seal.Text(checkpoint, "tenant_id"), seal.Text(checkpoint, "log_id"))
	disclosed := f.stillDisclosed()
	var shown []seal.Object
	for _, event := range tenant[:f.length] {
		written := f.write(log, event)
		if disclosed[seal.Integer(seal.Member(event, "body"), "sequence")] {
			shown = append(shown, written)
		}
	}
	f.rename(seal.Text(tenant[f.length-1], "hash"), log.Head().String())
	path, err := log.Path(uint64(f.length), shown...)
	if err != nil {
		return err
	}
	f.bundle["audit_path"] = path
	return nil
}

// stillDisclosed is the places of the events that the change left in the path.
func (f *forger) stillDisclosed() map[int64]bool {
	left := map[int64]bool{}
	for _, link := range objects(seal.Member(f.bundle, "audit_path"), "links") {
		for sequence, event := range f.events {
			if shown := seal.Member(link, "event"); shown != nil && identity(shown) == identity(event) {
				left[sequence] = true
			}
		}
	}
	return left
}

// write appends an event of the old log to the new one, in the form that the
// bundle gave it if it was disclosed.
func (f *forger) write(log *seal.Log, event seal.Object) seal.Object {
	body := seal.CloneObject(seal.Member(event, "body"))
	keyID := seal.Text(event, "key_id")
	if changed := f.events[seal.Integer(body, "sequence")]; changed != nil {
		body, keyID = seal.Member(changed, "body"), seal.Text(changed, "key_id")
	}
	f.update(body)
	key, ok := f.keys.Audit[keyID]
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
