package bundle

import (
	"bytes"
	"crypto/sha256"
	"strings"

	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// Bundle is a proof bundle, read into its parts.
type Bundle struct {
	Manifest   Manifest
	Leaf       *certificate.Certificate
	Issuer     *certificate.Certificate
	Status     trust.Sealed[Status]
	Approvals  []trust.Sealed[Approval]
	Customer   trust.Sealed[Decision]
	Service    trust.Sealed[Decision]
	Capability []trust.Sealed[CapabilityEvidence]
	Registries []Registry
	Receipt    trust.Sealed[SignerReceipt]
	Revocation *trust.Sealed[RevocationReceipt]
	Path       []PathLink
	Checkpoint trust.Sealed[Checkpoint]
	Witnesses  []trust.Sealed[WitnessReceipt]
}

// Input is the outcome of [Open]: the digest of the document, the faults of its
// form, and its parts. Bundle is nil if a fault left a part unreadable. It is
// set if the only faults are unknown members, lists in wrong order or repeated
// entries.
type Input struct {
	SHA256 [sha256.Size]byte
	Bundle *Bundle
	Faults []ijson.Fault
	Values int // number of JSON values in the document

	// Foreign is set if the document does not claim to be a bundle: it does not
	// begin as an object does, or is a whole object of another kind. A bundle
	// that was cut or altered still claims to be one.
	Foreign bool
}

// Empty reports whether the document has no bytes, or only white space.
func (in *Input) Empty() bool {
	return len(in.Faults) == 1 && in.Faults[0].Code == ijson.CodeEmpty
}

// Open reads a bundle (SPEC 7, 8.1). It returns no error: a fault of the
// document is a finding about the evidence, and is listed in Faults.
func Open(doc []byte) *Input { return openEnvelope(doc, true) }

// OpenClaimed is [Open] for a document that can be anything. Of one that is foreign
// it reads no parts and lists no faults, so that it costs little.
func OpenClaimed(doc []byte) *Input { return openEnvelope(doc, false) }

func openEnvelope(doc []byte, foreignToo bool) *Input {
	in := &Input{SHA256: sha256.Sum256(doc)}
	in.Foreign = !beginsAsObject(doc)
	v, fault := form.Parse(doc, form.MaxBundle, "bytes")
	if fault != nil {
		in.Faults = []ijson.Fault{*fault}
		return in
	}
	in.Values, in.Foreign = v.Count(), !claimsBundle(v)
	if in.Foreign && !foreignToo {
		return in
	}
	r := reader{Reader: &form.Reader{}}
	b := r.readBundle(v)
	in.Faults = r.Faults()
	for _, f := range in.Faults {
		if form.Hinders(f.Code) {
			return in
		}
	}
	in.Bundle = b
	return in
}

// beginsAsObject reports whether the first byte begins an object, or there is none, white
// space and a byte order mark aside.
func beginsAsObject(doc []byte) bool {
	doc = bytes.TrimLeft(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")), " \t\n\r")
	return len(doc) == 0 || doc[0] == '{'
}

// claimsBundle reports whether a document claims to be a bundle, of whatever version, or has
// the parts that no other document has.
func claimsBundle(v *ijson.Value) bool {
	if protocol, _ := ProtocolOf(v); strings.HasPrefix(protocol, "svc.evidence-bundle") {
		return true
	}
	_, manifest := v.Member("manifest")
	_, path := v.Member("audit_path")
	return manifest || path
}

// reader reads the parts of a bundle.
type reader struct{ *form.Reader }

func (r reader) readBundle(v *ijson.Value) *Bundle {
	o := r.Object(v, "protocol", "manifest", "certificates", "status", "approvals", "decisions", "capability_evidence",
		"signer_registries", "signer_receipt", "revocation_receipt?", "audit_path", "checkpoint", "witness_receipts")
	o.Protocol(ProtocolBundle)
	decisions := o.Object("decisions", "customer", "service")
	b := &Bundle{
		Manifest:   r.readManifest(o.Get("manifest")),
		Status:     readSealed(r, o.Get("status"), reader.readStatus),
		Approvals:  sealedList(r, o.List("approvals", 1, form.MaxList), reader.readApproval),
		Customer:   readSealed(r, decisions.Get("customer"), reader.customerDecision),
		Service:    readSealed(r, decisions.Get("service"), reader.serviceDecision),
		Capability: sealedList(r, o.List("capability_evidence", 0, form.MaxList), reader.readCapability),
		Registries: r.readRegistries(o.List("signer_registries", 1, form.MaxList)),
		Receipt:    readSealed(r, o.Get("signer_receipt"), reader.readReceipt),
		Path:       r.readPath(o.Object("audit_path", "links")),
		Checkpoint: readSealed(r, o.Get("checkpoint"), reader.readCheckpoint),
		Witnesses:  sealedList(r, o.List("witness_receipts", 0, form.MaxList), reader.readWitness),
	}
	b.Leaf, b.Issuer = r.readCertificates(o.List("certificates", 2, 2))
	if o.Has("revocation_receipt") {
		s := readSealed(r, o.Get("revocation_receipt"), reader.readRevocation)
		b.Revocation = &s
	}
	r.checkOrders(o, b)
	return b
}

// checkOrders checks the order of the lists of envelopes (SPEC 1.7).
func (r reader) checkOrders(o form.Object, b *Bundle) {
	byNode(r, o, "approvals", b.Approvals)
	byNode(r, o, "witness_receipts", b.Witnesses)
	digests := make([]string, len(b.Capability))
	for i, c := range b.Capability {
		digests[i] = Hash(c.Digest()).String()
	}
	r.Ascending(listElements(o, "capability_evidence"), digests)
}

// byNode checks that a list has at most one statement of each node, in the order
// of the node ids.
func byNode[T trust.Statement](r reader, o form.Object, name string, list []trust.Sealed[T]) {
	nodes := make([]string, len(list))
	for i, s := range list {
		nodes[i] = s.Unverified().Signatory().Node
	}
	r.Ascending(listElements(o, name), nodes)
}

// listElements returns the elements of a list, or nil if it is not a list or too
// long.
func listElements(o form.Object, name string) []*ijson.Value {
	if v := o.Get(name); v != nil && v.Kind() == ijson.Array && v.Len() <= form.MaxList {
		return v.Elements()
	}
	return nil
}

// readCertificates reads the leaf and its issuer.
func (r reader) readCertificates(list []*ijson.Value) (leaf, issuer *certificate.Certificate) {
	if len(list) != 2 {
		return nil, nil
	}
	return r.readCertificate(list[0]), r.readCertificate(list[1])
}

// readCertificate reads one DER certificate (SPEC 7.12).
func (r reader) readCertificate(v *ijson.Value) *certificate.Certificate {
	der := r.Bytes(v, 1, form.MaxCertificate)
	if der == nil {
		return nil
	}
	c, err := certificate.Parse(der)
	if err != nil {
		r.Fault(v, form.BadValue, "one X.509 certificate of SPEC 7.12", err.Error())
		return nil
	}
	return c
}
