// Package forge re-seals evidence after it was changed, as an attacker would
// who holds every private key of a scene.
//
// A change in one part of a bundle makes every digest wrong that commits to
// it, and every signature over those digests. [Reseal] sets them right, from
// the innermost part to the witnesses, so that only the change itself is left
// to be found. For an attacker of fewer means, alter what Reseal returns: a
// signature that is put back, or a link that is taken out.
package forge

import (
	"fmt"
	"reflect"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Reseal changes a copy of the transaction's bundle, and makes all digests and
// signatures that depend on the change anew. It signs with the key that the
// envelope names, for the role that the statement needs; if the scene has none
// the signature stays as it is. Without a change the bundle comes out as it
// went in.
//
// The bodies of the disclosed events may be changed; one that is taken out of
// the path stays in the log, undisclosed. The tenant log is written anew up to
// the checkpoint, and the audit path is the way through that log, whatever else
// the change did to the links.
func Reseal(scene *harness.Scene, transactionID string, change func(bundle seal.Object)) (seal.Object, error) {
	bundle := scene.Bundle(transactionID)
	if bundle == nil {
		return nil, fmt.Errorf("scene %s has no bundle of %s", scene.Name, transactionID)
	}
	f := &forger{
		keys: scene.Keys, bundle: bundle,
		events: map[int64]seal.Object{}, was: map[uintptr]named{}, renamed: map[string]string{},
	}
	f.remember()
	change(bundle)
	f.certificates()
	f.statements()
	if err := f.rewriteLog(scene.Tenant); err != nil {
		return nil, fmt.Errorf("bundle %s of scene %s: %w", transactionID, scene.Name, err)
	}
	f.reseal(seal.Member(bundle, "checkpoint"))
	f.reseal(seal.Member(bundle, "status"))
	f.resealList("witness_receipts")
	return bundle, nil
}

// forger re-seals one bundle.
type forger struct {
	keys    harness.Keys
	bundle  seal.Object
	der     []string              // the certificates before the change
	events  map[int64]seal.Object // the events that the path disclosed before, by place
	length  int64                 // of the tenant log at the checkpoint
	was     map[uintptr]named     // documents by identity
	renamed map[string]string     // digests and hashes, from before to after
}

// named is a document and its digest before the change. The document is held
// so that its identity is not given to another.
type named struct {
	document seal.Object
	digest   string
}

// remember notes the digests that other parts may refer to.
func (f *forger) remember() {
	for _, list := range []string{"capability_evidence", "approvals"} {
		for _, envelope := range objects(f.bundle, list) {
			f.name(seal.Member(envelope, "statement"))
		}
	}
	for _, registry := range objects(f.bundle, "signer_registries") {
		f.name(registry)
	}
	decisions := seal.Member(f.bundle, "decisions")
	f.name(seal.Member(seal.Member(decisions, "customer"), "statement"))
	f.name(seal.Member(seal.Member(decisions, "service"), "statement"))
	for _, part := range []string{"signer_receipt", "revocation_receipt", "checkpoint"} {
		f.name(seal.Member(seal.Member(f.bundle, part), "statement"))
	}
	f.name(seal.Member(f.bundle, "manifest"))
	f.length = seal.Integer(seal.Member(seal.Member(f.bundle, "checkpoint"), "statement"), "sequence")
	f.der = seal.Texts(f.bundle, "certificates")
	for _, link := range objects(seal.Member(f.bundle, "audit_path"), "links") {
		if event := seal.Member(link, "event"); event != nil {
			f.events[seal.Integer(seal.Member(event, "body"), "sequence")] = event
		}
	}
}

func (f *forger) name(document seal.Object) {
	if document != nil {
		f.was[identity(document)] = named{document, seal.Digest(document)}
	}
}

// certificates renames the digests of exchanged certificates.
func (f *forger) certificates() {
	for i, text := range seal.Texts(f.bundle, "certificates") {
		if i < len(f.der) {
			f.rename(derDigest(f.der[i]), derDigest(text))
		}
	}
}

// statements re-seals what the manifest commits to, and the manifest.
func (f *forger) statements() {
	f.resealList("capability_evidence")
	f.resealList("approvals")
	decisions := seal.Member(f.bundle, "decisions")
	f.reseal(seal.Member(decisions, "customer"))
	f.reseal(seal.Member(decisions, "service"))
	for _, registry := range objects(f.bundle, "signer_registries") {
		f.settle(registry)
	}
	f.reseal(seal.Member(f.bundle, "signer_receipt"))
	f.settle(seal.Member(f.bundle, "manifest"))
	f.reseal(seal.Member(f.bundle, "revocation_receipt"))
}

// identity tells documents apart that have the same content.
func identity(document seal.Object) uintptr {
	return reflect.ValueOf(document).Pointer()
}

func objects(o seal.Object, name string) []seal.Object {
	var list []seal.Object
	for _, element := range seal.List(o, name) {
		if object, ok := element.(seal.Object); ok {
			list = append(list, object)
		}
	}
	return list
}

func derDigest(text string) string {
	der, err := seal.Unbase64(text)
	if err != nil {
		return "" // a certificate that is not even base64url has no digest
	}
	return seal.SHA256(der)
}
