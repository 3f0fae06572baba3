package contradiction

import (
	"crypto/sha256"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/verify"
)

// Facts is everything that a proven bundle commits to and that another bundle
// can contradict. It keeps nothing of the document alive.
type Facts struct {
	SHA256      chain.Hash // of the document
	Tenant      string     // its log is "tenant/" and this
	Transaction string

	Checkpoint chain.Hash // digest of the statement
	Legacy     bool       // no one witnessed the checkpoint
	Way        []Event    // every event whose hash is proven, the newest first: the checkpoint's head

	Issuance   uint64     // sequence of the issuance event, which is on the way
	Revocation uint64     // sequence of the revocation event; 0 if the status is issued
	Manifest   chain.Hash // digest

	Issuer      chain.Hash // SHA-256 of the issuer's SubjectPublicKeyInfo
	Serial      string     // of the certificate, as in SPEC 1.5
	Certificate chain.Hash // SHA-256 of the DER

	Keys Keys
}

// Event is an event of the log whose hash the bundle proves.
type Event struct {
	Sequence uint64 // at least 1
	Hash     chain.Hash
	Link     bool // the path has a link of this event, and so proves the events that it names
}

// Keys are the ids of the pinned keys whose signatures the bundle rests on.
type Keys struct {
	Checkpoint string // audit key
	Status     string // audit key
	Service    string // audit key of the service's decision
	Issuance   string // audit key of the event
	Revocation string // audit key of the event; "" if there is none
	Receipt    string // signer key of the signer receipt
	Witnesses  []Witness
}

// Witness is a node that witnessed the checkpoint, and the key it signed with.
type Witness struct{ Node, Key string }

// Of returns the facts of a bundle, and whether it has any: only a bundle that
// passed all of the checks 8.1 to 8.21 proves something, and does so at any age.
func Of(in *bundle.Input, report *verify.Report) (Facts, bool) {
	if in.Bundle == nil || !report.Proven() || report.BundleSHA256 != chain.Hash(in.SHA256).String() {
		return Facts{}, false
	}
	b := in.Bundle
	f := Facts{
		SHA256:      in.SHA256,
		Tenant:      strings.Clone(b.Manifest.TenantID),
		Transaction: strings.Clone(b.Manifest.TransactionID),
		Checkpoint:  b.Checkpoint.Digest(),
		Legacy:      b.Checkpoint.Unverified().Legacy(),
		Manifest:    b.Manifest.Digest,
		Issuer:      sha256.Sum256(b.Issuer.KeyInfo),
		Serial:      strings.Clone(b.Manifest.Serial),
		Certificate: sha256.Sum256(b.Leaf.Raw),
		Keys: Keys{
			Checkpoint: strings.Clone(b.Checkpoint.KeyID),
			Status:     strings.Clone(b.Status.KeyID),
			Service:    strings.Clone(b.Service.KeyID),
			Receipt:    strings.Clone(b.Receipt.KeyID),
		},
	}
	for _, w := range b.Witnesses {
		f.Keys.Witnesses = append(f.Keys.Witnesses,
			Witness{strings.Clone(w.Unverified().NodeID), strings.Clone(w.KeyID)})
	}
	f.readPath(b)
	return f, true
}

// readPath records the events of the path. The path was checked (SPEC 6.2), so that no
// sequence has two hashes.
func (f *Facts) readPath(b *bundle.Bundle) {
	head := b.Checkpoint.Unverified()
	w := way{events: []Event{{Sequence: head.Sequence, Hash: head.Head}}}
	for _, l := range b.Path {
		w.addLink(l.Link)
		if l.Event == nil {
			continue
		}
		switch e := l.Event.Unverified(); e.Type {
		case bundle.IssuanceCompleted:
			f.Issuance, f.Keys.Issuance = e.Link.Sequence, strings.Clone(e.KeyID)
		case bundle.CertificateRevoked:
			f.Revocation, f.Keys.Revocation = e.Link.Sequence, strings.Clone(e.KeyID)
		}
	}
	f.Way = w.sortedEvents()
}

// Sequence returns the sequence of the checkpoint.
func (f *Facts) Sequence() uint64 { return f.Way[0].Sequence }

// Head returns the hash that the checkpoint names.
func (f *Facts) Head() chain.Hash { return f.Way[0].Hash }

// IssuanceHash returns the hash of the issuance event.
func (f *Facts) IssuanceHash() chain.Hash {
	h, _ := f.provenHash(f.Issuance)
	return h
}

// Revoked reports whether the status is "revoked" and not "issued".
func (f *Facts) Revoked() bool { return f.Revocation != 0 }
