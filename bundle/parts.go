package bundle

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// The closed lists of words (SPEC 7.2, 7.10), in ascending order.
var (
	algorithms = []string{"ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"}
	usages     = []string{"clientAuth", "codeSigning", "emailProtection", "serverAuth", "timeStamping"}
	reasons    = []string{"aACompromise", "affiliationChanged", "cACompromise", "cessationOfOperation",
		"keyCompromise", "privilegeWithdrawn", "superseded", "unspecified"}
)

func readSubject(o form.Object) Subject {
	return Subject{o.Subject("tenant_id"), o.Subject("transaction_id")}
}

// readTerms reads SPEC 7.2.
func (r reader) readTerms(v *ijson.Value) Terms {
	o := r.Object(v, "workload_profile", "algorithm", "lifetime_seconds", "policy_version", "policy_sha256",
		"required_approvals", "names", "extended_key_usages", "public_key_sha256")
	t := Terms{
		WorkloadProfile:   o.Identifier("workload_profile"),
		Algorithm:         o.OneOf("algorithm", algorithms...),
		LifetimeSeconds:   o.Counter("lifetime_seconds"),
		PolicyVersion:     o.Counter("policy_version"),
		PolicySHA256:      o.Digest("policy_sha256"),
		RequiredApprovals: o.Counter("required_approvals"),
		Names:             r.readWords(o, "names", wantName, validName),
		ExtendedKeyUsages: r.readWords(o, "extended_key_usages", "an extended key usage of SPEC 7.2", oneOf(usages)),
		PublicKeySHA256:   o.Digest("public_key_sha256"),
	}
	if v != nil {
		t.Canonical = v.Canonical()
	}
	return t
}

// readWords reads a list of at least one string in ascending order.
func (r reader) readWords(o form.Object, name, want string, ok func(string) bool) []string {
	return readAscending(r, o.List(name, 1, form.MaxList), func(v *ijson.Value) (word, key string) {
		word = r.Text(v, want, ok)
		return word, word
	})
}

// readAscending reads a list whose elements ascend by a key (SPEC 1.7).
func readAscending[T any](r reader, list []*ijson.Value, read func(*ijson.Value) (T, string)) []T {
	all, keys := make([]T, len(list)), make([]string, len(list))
	for i, v := range list {
		all[i], keys[i] = read(v)
	}
	r.Ascending(list, keys)
	return all
}

// readDigests reads a list of digests in ascending order.
func (r reader) readDigests(o form.Object, name string, least int) []Hash {
	return readAscending(r, o.List(name, least, form.MaxList), func(v *ijson.Value) (Hash, string) {
		h := Hash(r.Digest(v))
		return h, h.String()
	})
}

// readManifest reads SPEC 7.4.
func (r reader) readManifest(v *ijson.Value) Manifest {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "terms", "approvals", "decisions", "capability_evidence",
		"signer_registry", "signer_receipt_sha256", "certificate", "issuer_sha256")
	o.Protocol(ProtocolManifest)
	decisions := o.Object("decisions", "customer_sha256", "service_sha256")
	registry := o.Object("signer_registry", "generation", "sha256")
	certificate := o.Object("certificate", "sha256", "serial")
	m := Manifest{
		Subject:          readSubject(o),
		Terms:            r.readTerms(o.Get("terms")),
		Approvals:        r.manifestApprovals(o),
		CustomerDecision: decisions.Digest("customer_sha256"),
		ServiceDecision:  decisions.Digest("service_sha256"),
		Capability:       r.readDigests(o, "capability_evidence", 0),
		RegistryVersion:  registry.Counter("generation"),
		Registry:         registry.Digest("sha256"),
		Receipt:          o.Digest("signer_receipt_sha256"),
		Certificate:      certificate.Digest("sha256"),
		Serial:           readSerial(certificate, "serial"),
		Issuer:           o.Digest("issuer_sha256"),
	}
	if v != nil {
		m.Digest = sha256.Sum256(v.Canonical())
	}
	return m
}

func (r reader) manifestApprovals(o form.Object) []ManifestApproval {
	return readAscending(r, o.List("approvals", 1, form.MaxList), func(v *ijson.Value) (ManifestApproval, string) {
		o := r.Object(v, "node_id", "sha256")
		a := ManifestApproval{o.Subject("node_id"), o.Digest("sha256")}
		return a, a.NodeID
	})
}

func readSerial(o form.Object, name string) string {
	return o.Text(name, "a positive serial in lower-case hex without leading zeros", form.Serial)
}

// readApproval reads SPEC 7.5.
func (r reader) readApproval(v *ijson.Value) (string, Approval) {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "node_id", "decision", "terms",
		"capability_evidence", "decided_at", "expires_at")
	return o.Protocol(ProtocolApproval), Approval{
		Subject:    readSubject(o),
		NodeID:     o.Subject("node_id"),
		Decision:   o.OneOf("decision", Allow, Deny),
		Terms:      r.readTerms(o.Get("terms")),
		Capability: r.readDigests(o, "capability_evidence", 0),
		DecidedAt:  o.Time("decided_at"),
		ExpiresAt:  o.Time("expires_at"),
	}
}

// customerDecision reads SPEC 7.6 for the customer.
func (r reader) customerDecision(v *ijson.Value) (string, Decision) {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "trust_domain", "decision", "terms",
		"capability_evidence", "decided_at", "node_id", "approvals")
	protocol, d := r.readDecision(o, Customer)
	d.NodeID = o.Subject("node_id")
	d.Approvals = r.readDigests(o, "approvals", 1)
	return protocol, d
}

// serviceDecision reads SPEC 7.6 for the service.
func (r reader) serviceDecision(v *ijson.Value) (string, Decision) {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "trust_domain", "decision", "terms",
		"capability_evidence", "decided_at")
	return r.readDecision(o, Service)
}

func (r reader) readDecision(o form.Object, domain string) (string, Decision) {
	return o.Protocol(ProtocolDecision), Decision{
		Subject:     readSubject(o),
		TrustDomain: o.OneOf("trust_domain", domain),
		Decision:    o.OneOf("decision", Allow, Deny),
		Terms:       r.readTerms(o.Get("terms")),
		Capability:  r.readDigests(o, "capability_evidence", 0),
		DecidedAt:   o.Time("decided_at"),
	}
}

// readCapability reads SPEC 7.7.
func (r reader) readCapability(v *ijson.Value) (string, CapabilityEvidence) {
	o := r.Object(v, "protocol", "tenant_id", "node_id", "workload_profile", "capability", "observed_at", "expires_at")
	return o.Protocol(ProtocolCapability), CapabilityEvidence{
		TenantID:        o.Subject("tenant_id"),
		NodeID:          o.Subject("node_id"),
		WorkloadProfile: o.Identifier("workload_profile"),
		Capability:      o.Identifier("capability"),
		ObservedAt:      o.Time("observed_at"),
		ExpiresAt:       o.Time("expires_at"),
	}
}

// readReceipt reads SPEC 7.9.
func (r reader) readReceipt(v *ijson.Value) (string, SignerReceipt) {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "terms", "customer_decision_sha256",
		"service_decision_sha256",
		"registry_generation", "certificate_sha256", "certificate_serial", "not_before", "not_after", "issued_at")
	return o.Protocol(ProtocolReceipt), SignerReceipt{
		Subject:            readSubject(o),
		Terms:              r.readTerms(o.Get("terms")),
		CustomerDecision:   o.Digest("customer_decision_sha256"),
		ServiceDecision:    o.Digest("service_decision_sha256"),
		RegistryGeneration: o.Counter("registry_generation"),
		Certificate:        o.Digest("certificate_sha256"),
		Serial:             readSerial(o, "certificate_serial"),
		NotBefore:          o.Time("not_before"),
		NotAfter:           o.Time("not_after"),
		IssuedAt:           o.Time("issued_at"),
	}
}

// readRevocation reads SPEC 7.10.
func (r reader) readRevocation(v *ijson.Value) (string, RevocationReceipt) {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "certificate_sha256", "certificate_serial",
		"registry_generation", "revoked_at", "reason")
	return o.Protocol(ProtocolRevocation), RevocationReceipt{
		Subject:            readSubject(o),
		Certificate:        o.Digest("certificate_sha256"),
		Serial:             readSerial(o, "certificate_serial"),
		RegistryGeneration: o.Counter("registry_generation"),
		RevokedAt:          o.Time("revoked_at"),
		Reason:             o.OneOf("reason", reasons...),
	}
}

// readStatus reads SPEC 7.11.
func (r reader) readStatus(v *ijson.Value) (string, Status) {
	o := r.Object(v, "protocol", "tenant_id", "transaction_id", "manifest_sha256", "checkpoint_sha256", "status",
		"revocation_receipt_sha256?")
	s := Status{
		Subject:    readSubject(o),
		Manifest:   o.Digest("manifest_sha256"),
		Checkpoint: o.Digest("checkpoint_sha256"),
		Status:     o.OneOf("status", Issued, Revoked),
	}
	if o.Has("revocation_receipt_sha256") {
		h := Hash(o.Digest("revocation_receipt_sha256"))
		s.RevocationReceipt = &h
	}
	return o.Protocol(ProtocolStatus), s
}

// readCheckpoint reads SPEC 5.1, both versions.
func (r reader) readCheckpoint(v *ijson.Value) (string, Checkpoint) {
	names := []string{"protocol", "tenant_id", "log_id", "sequence", "head_hash", "required_witnesses", "created_at"}
	legacy := isProtocol(v, ProtocolCheckpointV0)
	if legacy {
		names = []string{"protocol", "tenant_id", "log_id", "sequence", "head_hash", "created_at"}
	}
	o := r.Object(v, names...)
	c := Checkpoint{
		Protocol:  o.Protocol(ProtocolCheckpoint, ProtocolCheckpointV0),
		TenantID:  o.Subject("tenant_id"),
		LogID:     o.LogID("log_id"),
		Sequence:  uint64(o.Counter("sequence")),
		Head:      o.Digest("head_hash"),
		CreatedAt: o.Time("created_at"),
	}
	if !legacy {
		c.RequiredWitnesses = o.Counter("required_witnesses")
	}
	return c.Protocol, c
}

func isProtocol(v *ijson.Value, protocol string) bool {
	if v == nil {
		return false
	}
	p, ok := v.Member("protocol")
	return ok && p.Text() == protocol
}

// readWitness reads SPEC 5.1.
func (r reader) readWitness(v *ijson.Value) (string, WitnessReceipt) {
	o := r.Object(v, "protocol", "tenant_id", "log_id", "node_id", "checkpoint_sha256", "sequence", "head_hash",
		"witnessed_at")
	return o.Protocol(ProtocolWitness), WitnessReceipt{
		TenantID:    o.Subject("tenant_id"),
		LogID:       o.LogID("log_id"),
		NodeID:      o.Subject("node_id"),
		Checkpoint:  o.Digest("checkpoint_sha256"),
		Sequence:    uint64(o.Counter("sequence")),
		Head:        o.Digest("head_hash"),
		WitnessedAt: o.Time("witnessed_at"),
	}
}
