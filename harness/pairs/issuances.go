package pairs

import (
	"crypto/x509"
	"math/big"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// plantIssuances plants transactions that were issued twice, all in one history.
func (p *planter) plantIssuances() {
	again := p.log.Event(issuance)
	seal.Member(again, "body")["salt"] = "AAAAAAAAAAAAAAAAAAAAAA"
	twice := p.log.With(again)
	p.plant(found{"transaction.issued-twice", "", 132}, "two-issuance-events", "two issuance events of one manifest",
		p.issued, twice.Export(p.issued, twice.Length(), twice.Length()))

	decided := reissued(p.scene, p.issued, func(b *forge.Bundle) {
		statement := seal.Member(seal.Member(seal.Member(b.Document, "decisions"), "service"), "statement")
		statement["decided_at"] = momentLater(statement, "decided_at")
	})
	p.plant(found{"transaction.issued-twice", "", 132}, "two-manifests",
		"two manifests of one transaction, for one certificate", p.issued, decided)
	serial := reissued(p.scene, p.issued, func(b *forge.Bundle) {
		adoptLeaf(b, func(leaf *x509.Certificate) { leaf.OCSPServer = []string{"http://ocsp.example"} })
	})
	p.plant(found{"transaction.issued-twice", "", 132}, "two-certificates-of-one-serial",
		"two manifests of one transaction, for two certificates with one serial: the transaction decides", p.issued, serial)
}

// plantSerials plants certificates with the serial of another one.
func (p *planter) plantSerials() {
	second := reissued(p.scene, p.scene.Exports[2].Bundle, withSerialOf(p.issued))
	p.plant(found{"certificate.serial-reused", "", 0}, "serial-of-another-transaction",
		"two transactions, whose certificates have one serial", p.revoked, second)

	families := seal.Must(harness.Build("algorithms", 1, harness.Options{}))
	bundle := families.Exports[0].Bundle
	// The last one has an Ed25519 key, and so another issuer than the first.
	last := families.Exports[len(families.Exports)-1].Bundle
	for _, e := range families.Exports {
		if terms := seal.Member(seal.Member(e.Bundle, "manifest"), "terms"); seal.Text(terms, "algorithm") == "ed25519" {
			last = e.Bundle
		}
	}
	other := reissued(families, last, withSerialOf(bundle))
	p.addPair(families, nothing, "near-miss-serial-of-another-issuer", "one serial, given by two issuers",
		seal.Canonical(bundle), seal.Canonical(other))
}

// plantTenants plants bundles of another tenant under the same keys.
func (p *planter) plantTenants() {
	p.plant(nothing, "near-miss-other-tenant", "a bundle, and the same transaction of another tenant with another log",
		p.scene.Exports[2].Bundle, OtherTenant(p.scene, p.scene.Exports[2]))

	b := seal.Must(forge.Open(p.scene, "tx-2026-0002"))
	moveTenant(b.Document)
	withSerialOf(p.issued)(b)
	seal.Do(b.Reseal(p.scene.Keys))
	p.plant(found{"certificate.serial-reused", "", 0}, "serial-of-another-tenant",
		"a transaction of another tenant, whose certificate has the serial", p.issued, b.Document)
}

// OtherTenant returns a bundle of a scene as one of another tenant, whose log has the
// same events under the same keys.
func OtherTenant(scene *harness.Scene, export harness.Export) seal.Object {
	b := openBundle(scene, export)
	moveTenant(b.Document)
	seal.Do(b.Reseal(scene.Keys))
	return b.Document
}

// openBundle opens one bundle of several of a transaction.
func openBundle(scene *harness.Scene, export harness.Export) *forge.Bundle {
	copied := *scene
	copied.Exports = []harness.Export{export}
	return seal.Must(forge.Open(&copied, export.TransactionID))
}

// moveTenant makes everything in a document that is the tenant's another tenant's, in
// place.
func moveTenant(value any) {
	const other = "globex-corp"
	names := map[string]string{harness.Tenant: other, "tenant/" + harness.Tenant: "tenant/" + other}
	switch v := value.(type) {
	case seal.Object:
		for name, member := range v {
			if s, ok := member.(string); ok && names[s] != "" {
				v[name] = names[s]
			}
			moveTenant(member)
		}
	case []any:
		for _, element := range v {
			moveTenant(element)
		}
	}
}

// reissued returns a bundle that was changed and sealed again, as if it had been
// issued by a further event at the end of the honest log.
func reissued(scene *harness.Scene, bundle seal.Object, change func(*forge.Bundle)) seal.Object {
	id := seal.Text(seal.Member(bundle, "manifest"), "transaction_id")
	b := openBundle(scene, harness.Export{TransactionID: id, Bundle: bundle})
	change(b)
	seal.Do(b.Reseal(scene.Keys))
	links := seal.List(seal.Member(b.Document, "audit_path"), "links")
	event := seal.CloneObject(seal.Member(links[len(links)-1].(seal.Object), "event"))
	log := Honest(scene).With(event)
	return log.Export(b.Document, log.Length(), log.Length())
}

// adoptLeaf gives a bundle another leaf of its own issuer.
func adoptLeaf(b *forge.Bundle, change func(*x509.Certificate)) {
	b.Adopt(seal.Must(b.Leaf(b.Issuer(), change)))
}

// withSerialOf gives a bundle a leaf with the serial of another bundle's.
func withSerialOf(other seal.Object) func(*forge.Bundle) {
	serial := serialOf(other)
	return func(b *forge.Bundle) {
		adoptLeaf(b, func(leaf *x509.Certificate) { leaf.SerialNumber = serial })
	}
}

// serialOf returns the serial of a bundle's certificate.
func serialOf(bundle seal.Object) *big.Int {
	return (&forge.Bundle{Document: bundle}).Certificate(forge.LeafIndex).SerialNumber
}

// momentLater is the time of a statement and a millisecond.
func momentLater(statement seal.Object, name string) string {
	return seal.Time(seal.Must(time.Parse(time.RFC3339Nano, seal.Text(statement, name))).Add(time.Millisecond))
}
