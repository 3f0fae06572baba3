package inspect

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/bundle/certificate"
	"github.com/svc-edge/svc-verify/internal/form"
)

// Parts is the content of the parts of a readable bundle.
type Parts struct {
	TenantID      string        `json:"tenant_id"`
	TransactionID string        `json:"transaction_id"`
	Manifest      string        `json:"manifest_sha256"`
	Status        string        `json:"status"`
	Terms         Terms         `json:"terms"`
	Certificates  []Certificate `json:"certificates"` // the leaf, then its issuer
	Checkpoint    Checkpoint    `json:"checkpoint"`
	Path          []uint64      `json:"path_sequences"` // as the links stand
	Registries    []Registry    `json:"signer_registries"`
}

// Terms is the agreement.
type Terms struct {
	WorkloadProfile   string   `json:"workload_profile"`
	Algorithm         string   `json:"algorithm"`
	LifetimeSeconds   int64    `json:"lifetime_seconds"`
	PolicyVersion     int64    `json:"policy_version"`
	PolicySHA256      string   `json:"policy_sha256"`
	RequiredApprovals int64    `json:"required_approvals"`
	Names             []string `json:"names"`
	ExtendedKeyUsages []string `json:"extended_key_usages"`
	PublicKeySHA256   string   `json:"public_key_sha256"`
}

// Certificate is the content of a certificate.
type Certificate struct {
	Subject   string   `json:"subject"`
	Issuer    string   `json:"issuer"`
	Serial    string   `json:"serial"`
	NotBefore string   `json:"not_before"`
	NotAfter  string   `json:"not_after"`
	Names     []string `json:"names"`
	Key       string   `json:"public_key_algorithm"`
	SHA256    string   `json:"sha256"`
}

// Checkpoint is the signed head of the log.
type Checkpoint struct {
	Protocol          string `json:"protocol"`
	LogID             string `json:"log_id"`
	Sequence          uint64 `json:"sequence"`
	Head              string `json:"head_hash"`
	RequiredWitnesses int64  `json:"required_witnesses"` // 0 for the legacy protocol
	CreatedAt         string `json:"created_at"`
}

// Registry is one generation of the signer registry.
type Registry struct {
	Generation int64    `json:"generation"`
	SHA256     string   `json:"sha256"`
	CreatedAt  string   `json:"created_at"`
	Signers    []string `json:"signers"`
}

func partsOf(b *bundle.Bundle) *Parts {
	m, c := b.Manifest, b.Checkpoint.Unverified()
	p := &Parts{
		TenantID:      m.TenantID,
		TransactionID: m.TransactionID,
		Manifest:      m.Digest.String(),
		Status:        b.Status.Unverified().Status,
		Terms:         termsOf(m.Terms),
		Certificates:  []Certificate{certificateOf(b.Leaf), certificateOf(b.Issuer)},
		Checkpoint: Checkpoint{c.Protocol, c.LogID, c.Sequence, c.Head.String(), c.RequiredWitnesses,
			form.FormatTime(c.CreatedAt)},
	}
	for _, l := range b.Path {
		p.Path = append(p.Path, l.Link.Sequence)
	}
	for _, r := range b.Registries {
		g := Registry{Generation: r.Generation, SHA256: r.Digest.String(), CreatedAt: form.FormatTime(r.CreatedAt)}
		for _, s := range r.Signers {
			g.Signers = append(g.Signers, s.KeyID)
		}
		p.Registries = append(p.Registries, g)
	}
	return p
}

func termsOf(t bundle.Terms) Terms {
	return Terms{t.WorkloadProfile, t.Algorithm, t.LifetimeSeconds, t.PolicyVersion, t.PolicySHA256.String(),
		t.RequiredApprovals, t.Names, t.ExtendedKeyUsages, t.PublicKeySHA256.String()}
}

func certificateOf(c *certificate.Certificate) Certificate {
	names := []string{}
	for _, alt := range c.AltNames {
		if name := alt.Text(); name != "" {
			names = append(names, name)
		}
	}
	return Certificate{
		Subject:   certificate.NameText(c.Subject),
		Issuer:    certificate.NameText(c.Issuer),
		Serial:    c.Serial.Text(16),
		NotBefore: form.FormatTime(c.NotBefore),
		NotAfter:  form.FormatTime(c.NotAfter),
		Names:     names,
		Key:       c.Algorithm(),
		SHA256:    bundle.Hash(sha256.Sum256(c.Raw)).String(),
	}
}
