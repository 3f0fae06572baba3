package forge

import (
	"fmt"
	"reflect"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Bundle is a bundle of a scene that is being forged. Change the document as
// you like, then call [Bundle.Reseal].
type Bundle struct {
	Scene         *harness.Scene
	TransactionID string
	Document      seal.Object

	der     []string              // the certificates before any change
	events  map[int64]seal.Object // the events that the path disclosed before, by sequence
	length  int64                 // of the tenant log at the checkpoint
	was     map[uintptr]named     // documents by identity
	renamed map[string]string     // digests and hashes, from before to after
}

// Open returns a copy of the newest bundle of a transaction.
func Open(scene *harness.Scene, transactionID string) (*Bundle, error) {
	document := scene.Bundle(transactionID)
	if document == nil {
		return nil, fmt.Errorf("scene %s has no bundle of %s", scene.Name, transactionID)
	}
	b := &Bundle{
		Scene: scene, TransactionID: transactionID, Document: document,
		events: map[int64]seal.Object{}, was: map[uintptr]named{}, renamed: map[string]string{},
	}
	b.noteDigests()
	return b, nil
}

// Reseal returns a changed copy of the newest bundle of a transaction, sealed
// again with every key of the scene: [Open], the change, and [Bundle.Reseal].
func Reseal(scene *harness.Scene, transactionID string, change func(bundle seal.Object)) (seal.Object, error) {
	b, err := Open(scene, transactionID)
	if err != nil {
		return nil, err
	}
	change(b.Document)
	return b.Document, b.Reseal(scene.Keys)
}

// Reseal updates all digests and signatures that depend on changes since [Open]. It signs with
// the key that each envelope names, in the role that the statement needs. A signature whose
// key is not among the given ones stays as it is. Without a change, the bundle stays as it
// was.
//
// The bodies of disclosed events may be changed. An event that was removed from
// the path stays in the log, undisclosed. The tenant log is written again up to
// the checkpoint, and the audit path is the path through that log, whatever
// else was done to the links.
func (b *Bundle) Reseal(keys harness.Keys) error {
	b.renameCertificates()
	b.resealStatements(keys)
	if err := b.rewriteLog(keys); err != nil {
		return fmt.Errorf("bundle %s of scene %s: %w", b.TransactionID, b.Scene.Name, err)
	}
	b.resealEnvelope(keys, seal.Member(b.Document, "checkpoint"))
	b.resealEnvelope(keys, seal.Member(b.Document, "status"))
	b.resealList(keys, "witness_receipts")
	return nil
}

// SetTerms sets a member of the terms in every part that repeats them.
func (b *Bundle) SetTerms(member string, value any) error {
	statements := []seal.Object{seal.Member(b.Document, "manifest")}
	decisions := seal.Member(b.Document, "decisions")
	envelopes := append(seal.ObjectList(b.Document, "approvals"), seal.Member(b.Document, "signer_receipt"),
		seal.Member(decisions, "customer"), seal.Member(decisions, "service"))
	for _, envelope := range envelopes {
		statements = append(statements, seal.Member(envelope, "statement"))
	}
	for _, statement := range statements {
		terms := seal.Member(statement, "terms")
		if terms == nil {
			return fmt.Errorf("a part has no terms")
		}
		terms[member] = seal.Clone(value)
	}
	return nil
}

// named is a document and its digest before the change. The document is kept
// so that its identity is not given to another.
type named struct {
	document seal.Object
	digest   string
}

// noteDigests notes the digests that other parts may refer to.
func (b *Bundle) noteDigests() {
	for _, list := range []string{"capability_evidence", "approvals"} {
		for _, envelope := range seal.ObjectList(b.Document, list) {
			b.nameDigest(seal.Member(envelope, "statement"))
		}
	}
	for _, registry := range seal.ObjectList(b.Document, "signer_registries") {
		b.nameDigest(registry)
	}
	decisions := seal.Member(b.Document, "decisions")
	b.nameDigest(seal.Member(seal.Member(decisions, "customer"), "statement"))
	b.nameDigest(seal.Member(seal.Member(decisions, "service"), "statement"))
	for _, part := range []string{"signer_receipt", "revocation_receipt", "checkpoint"} {
		b.nameDigest(seal.Member(seal.Member(b.Document, part), "statement"))
	}
	b.nameDigest(seal.Member(b.Document, "manifest"))
	b.length = seal.Integer(seal.Member(seal.Member(b.Document, "checkpoint"), "statement"), "sequence")
	b.der = seal.Texts(b.Document, "certificates")
	for _, link := range seal.ObjectList(seal.Member(b.Document, "audit_path"), "links") {
		if event := seal.Member(link, "event"); event != nil {
			b.events[seal.Integer(seal.Member(event, "body"), "sequence")] = event
		}
	}
}

func (b *Bundle) nameDigest(document seal.Object) {
	if document != nil {
		b.was[documentIdentity(document)] = named{document, seal.Digest(document)}
	}
}

// renameCertificates renames the digests of exchanged certificates.
func (b *Bundle) renameCertificates() {
	for i, text := range seal.Texts(b.Document, "certificates") {
		if i < len(b.der) {
			b.renameDigest(derDigest(b.der[i]), derDigest(text))
		}
	}
}

// resealStatements re-seals the statements that the manifest commits to, and the manifest.
func (b *Bundle) resealStatements(keys harness.Keys) {
	b.resealList(keys, "capability_evidence")
	b.resealList(keys, "approvals")
	decisions := seal.Member(b.Document, "decisions")
	b.resealEnvelope(keys, seal.Member(decisions, "customer"))
	b.resealEnvelope(keys, seal.Member(decisions, "service"))
	for _, registry := range seal.ObjectList(b.Document, "signer_registries") {
		b.settleDigests(registry)
	}
	b.resealEnvelope(keys, seal.Member(b.Document, "signer_receipt"))
	b.settleDigests(seal.Member(b.Document, "manifest"))
	b.resealEnvelope(keys, seal.Member(b.Document, "revocation_receipt"))
}

// documentIdentity distinguishes documents that have the same content.
func documentIdentity(document seal.Object) uintptr {
	return reflect.ValueOf(document).Pointer()
}

func derDigest(text string) string {
	der, err := seal.Unbase64(text)
	if err != nil {
		return "" // a certificate that is not even base64url has no digest
	}
	return seal.SHA256(der)
}
