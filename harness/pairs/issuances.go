package pairs

import (
	"crypto/x509"
	"errors"
	"math/big"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// plantIssuances plants transactions that were issued twice, all in one history.
func (p *planter) plantIssuances() error {
	again := p.log.Event(issuance)
	seal.Member(again, "body")["salt"] = "AAAAAAAAAAAAAAAAAAAAAA"
	twice := p.log.With(again)
	p.plant(found{"transaction.issued-twice", "", 132}, "two-issuance-events", "two issuance events of one manifest",
		p.issued, twice.Export(p.issued, twice.Length(), twice.Length()))

	decided, err := p.reissued(p.scene, p.issued, func(b *forge.Bundle) error {
		statement := seal.Member(seal.Member(seal.Member(b.Document, "decisions"), "service"), "statement")
		statement["decided_at"] = momentLater(statement, "decided_at")
		return nil
	})
	p.plant(found{"transaction.issued-twice", "", 132}, "two-manifests",
		"two manifests of one transaction, for one certificate", p.issued, decided)
	serial, err2 := p.reissued(p.scene, p.issued, func(b *forge.Bundle) error {
		return p.adoptLeaf(b, func(leaf *x509.Certificate) { leaf.OCSPServer = []string{"http://ocsp.example"} })
	})
	p.plant(found{"transaction.issued-twice", "", 132}, "two-certificates-of-one-serial",
		"two manifests of one transaction, for two certificates with one serial: the transaction decides", p.issued, serial)
	return errors.Join(err, err2)
}

// plantSerials plants certificates with the serial of another one.
func (p *planter) plantSerials() error {
	serial, err := serialOf(p.issued)
	if err != nil {
		return err
	}
	second, err := p.reissued(p.scene, p.scene.Exports[2].Bundle, func(b *forge.Bundle) error {
		return p.adoptLeaf(b, func(leaf *x509.Certificate) { leaf.SerialNumber = serial })
	})
	if err != nil {
		return err
	}
	p.plant(found{"certificate.serial-reused", "", 0}, "serial-of-another-transaction",
		"two transactions, whose certificates have one serial", p.revoked, second)

	families, err := harness.Build("algorithms", 1, harness.Options{})
	if err != nil {
		return err
	}
	bundle := families.Exports[0].Bundle
	if serial, err = serialOf(bundle); err != nil {
		return err
	}
	// The last one has an Ed25519 key, and so another issuer than the first.
	last := families.Exports[len(families.Exports)-1].Bundle
	for _, e := range families.Exports {
		if terms := seal.Member(seal.Member(e.Bundle, "manifest"), "terms"); seal.Text(terms, "algorithm") == "ed25519" {
			last = e.Bundle
		}
	}
	other, err := p.reissued(families, last, func(b *forge.Bundle) error {
		return p.adoptLeaf(b, func(leaf *x509.Certificate) { leaf.SerialNumber = serial })
	})
	p.addPair(families, nothing, "near-miss-serial-of-another-issuer", "one serial, given by two issuers",
		seal.Canonical(bundle), seal.Canonical(other))
	return err
}

// plantTenants plants bundles of another tenant under the same keys.
func (p *planter) plantTenants() error {
	document, err := OtherTenant(p.scene, p.scene.Exports[2])
	if err != nil {
		return err
	}
	p.plant(nothing, "near-miss-other-tenant", "a bundle, and the same transaction of another tenant with another log",
		p.scene.Exports[2].Bundle, document)

	serial, err := serialOf(p.issued)
	if err != nil {
		return err
	}
	b, err := forge.Open(p.scene, "tx-2026-0002")
	if err != nil {
		return err
	}
	moveTenant(b.Document)
	err = errors.Join(p.adoptLeaf(b, func(leaf *x509.Certificate) { leaf.SerialNumber = serial }), b.Reseal(p.scene.Keys))
	p.plant(found{"certificate.serial-reused", "", 0}, "serial-of-another-tenant",
		"a transaction of another tenant, whose certificate has the serial", p.issued, b.Document)
	return err
}

// OtherTenant returns a bundle of a scene as one of another tenant, whose log has the
// same events under the same keys.
func OtherTenant(scene *harness.Scene, export harness.Export) (seal.Object, error) {
	b, err := openBundle(scene, export)
	if err != nil {
		return nil, err
	}
	moveTenant(b.Document)
	return b.Document, b.Reseal(scene.Keys)
}

// openBundle opens one bundle of several of a transaction.
func openBundle(scene *harness.Scene, export harness.Export) (*forge.Bundle, error) {
	copied := *scene
	copied.Exports = []harness.Export{export}
	return forge.Open(&copied, export.TransactionID)
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
func (p *planter) reissued(scene *harness.Scene, bundle seal.Object, change func(*forge.Bundle) error) (seal.Object,
	error) {
	id := seal.Text(seal.Member(bundle, "manifest"), "transaction_id")
	b, err := openBundle(scene, harness.Export{TransactionID: id, Bundle: bundle})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(change(b), b.Reseal(scene.Keys)); err != nil {
		return nil, err
	}
	links := seal.List(seal.Member(b.Document, "audit_path"), "links")
	event := seal.CloneObject(seal.Member(links[len(links)-1].(seal.Object), "event"))
	log := Honest(scene).With(event)
	return log.Export(b.Document, log.Length(), log.Length()), nil
}

// adoptLeaf gives a bundle another leaf of its own issuer.
func (p *planter) adoptLeaf(b *forge.Bundle, change func(*x509.Certificate)) error {
	issuer, err := b.Issuer()
	if err != nil {
		return err
	}
	der, err := b.Leaf(issuer, change)
	if err != nil {
		return err
	}
	return b.Adopt(der)
}

// serialOf returns the serial of a bundle's certificate.
func serialOf(bundle seal.Object) (*big.Int, error) {
	leaf, err := (&forge.Bundle{Document: bundle}).Certificate(forge.LeafIndex)
	if err != nil {
		return nil, err
	}
	return leaf.SerialNumber, nil
}

// momentLater is the time of a statement and a millisecond.
func momentLater(statement seal.Object, name string) string {
	at, err := time.Parse(time.RFC3339Nano, seal.Text(statement, name))
	if err != nil {
		panic(err) // the harness wrote it
	}
	return seal.Time(at.Add(time.Millisecond))
}
