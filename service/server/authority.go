package server

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/server/revocation"
	"github.com/svc-edge/svc-verify/service/topic"
)

// authority is the protected signer, behind its keys of every generation, with the published
// status of its certificates.
type authority struct {
	*tenant
	signer      *signer.Signer
	publisher   *revocation.Publisher
	generations []signer.Generation
	registries  []seal.Object // by generation
	complaint   string        // why the lists could not be published last
}

// restore gives the signer its keys, registry and certificates, and the
// publisher the certificates and the lists.
func (a *authority) restore() error {
	if err := a.store.Each(kindRegistry, "", func(e durable.Entry) error {
		a.registries = append(a.registries, e.Document)
		return nil
	}); err != nil {
		return err
	}
	if err := a.readKeys(); err != nil {
		return err
	}
	var certificates []signer.Certificate
	if err := a.store.Each(kindCertificate, "", func(e durable.Entry) error {
		var c signer.Certificate
		err := form.Restore(e.Document, &c)
		certificates = append(certificates, c)
		return err
	}); err != nil {
		return err
	}
	if len(a.registries) > 0 {
		a.signer.Resume(a.registries[len(a.registries)-1], certificates)
	}
	var lists []revocation.List
	if err := a.store.Each(kindList, "", func(e durable.Entry) error {
		der, err := seal.Unbase64(seal.Text(e.Document, "der"))
		if err != nil {
			return err
		}
		list, err := revocation.ReadList(e.ID, der)
		lists = append(lists, list)
		return err
	}); err != nil {
		return err
	}
	a.publisher = revocation.New(revocation.Config{
		Authority: a.signer, ListLifetime: a.config.ListLifetime, AnswerLifetime: a.config.AnswerLifetime,
	}, lists)
	for _, c := range certificates {
		if err := a.publisher.Put(c); err != nil {
			return err
		}
	}
	return nil
}

// readKeys loads the signer's keys of every generation that has a registry. A generation
// without one was made and never used.
func (a *authority) readKeys() error {
	generations, err := signer.ReadKeys(filepath.Join(a.config.Dir, signerFile))
	if err != nil {
		return err
	}
	if len(generations) < len(a.registries) {
		return fmt.Errorf("%s: expected the keys of %d generations, found %d", signerFile, len(a.registries),
			len(generations))
	}
	a.generations = generations[:len(a.registries)]
	for _, g := range a.generations {
		a.roster.Signers[g.Key.ID] = g.Key.Public()
		a.signer.Use(g)
	}
	return nil
}

// keys answers with every key and registry pin of the past and of now, with the
// certificates of the issuers, and with the keys of all nodes that enrolled.
func (a *authority) keys(*call) (seal.Object, error) {
	return a.answerView(func() (seal.Object, error) {
		issuers := []any{}
		for _, certificate := range a.signer.Issuers() {
			issuers = append(issuers, seal.Base64(certificate.Raw))
		}
		return seal.Object{
			"audit_keys": seal.PublicKeys(a.roster.Audit), "policy_keys": seal.PublicKeys(a.roster.Policies),
			"protected_signer_keys": seal.PublicKeys(a.roster.Signers), "registries": seal.RegistryPins(a.registries),
			"issuers": issuers, "nodes": seal.PublicKeys(a.roster.Nodes),
		}, nil
	})
}

// rotateKeys gives the signer new keys.
func (a *authority) rotateKeys(c *call) (seal.Object, error) {
	return a.answerOrder(c, readFields(c.Body), func() (seal.Object, error) {
		if err := a.rotate(a.now()); err != nil {
			return nil, err
		}
		registry := a.registries[len(a.registries)-1]
		key := a.generations[len(a.generations)-1].Key
		return seal.Object{
			"generation": registry["generation"], "sha256": seal.Digest(registry),
			"key_id": key.ID, "public_key": seal.Base64(key.Public()),
		}, nil
	})
}

// rotate gives the signer the next generation of its keys and publishes
// the registry in which they stand. The keys are on disk before they are used.
func (a *authority) rotate(now time.Time) error {
	next := signer.NewGeneration(len(a.generations)+1, now, chance.Fresh())
	generations := append(slices.Clone(a.generations), next)
	if err := signer.WriteKeys(filepath.Join(a.config.Dir, signerFile), generations); err != nil {
		return err
	}
	a.generations = generations
	a.roster.Signers[next.Key.ID] = next.Key.Public()
	a.signer.Use(next)
	registry := a.signer.Publish(signer.Algorithms)
	a.registries = append(a.registries, registry)
	a.put(kindRegistry, ascendingID(seal.Integer(registry, "generation")), registry)
	a.cloud.KeyRotated("signer", next.Key)
	data := seal.Object{"generation": registry["generation"], "sha256": seal.Digest(registry)}
	a.cloud.Note(eventtype.RegistryPublished, data)
	a.notices.add(topic.TrustBundleUpdated, data)
	a.publishLists(now)
	return nil
}

// publish keeps the signer's record of a transaction's certificate, which must not be lost,
// and publishes it.
func (a *authority) publish(transactionID string) {
	c, _ := a.signer.Certificate(transactionID)
	a.put(kindCertificate, transactionID, form.Document(c))
	if err := a.publisher.Put(c); err != nil {
		a.config.Log.Error("a certificate cannot be published", "error", err.Error())
	}
}

// revoke has the signer revoke the certificate of a transaction, logs that, and
// publishes it. Who asked for it, and why, is in an event of its own, since
// the data of certificate.revoked is closed (SPEC 4.4).
func (a *authority) revoke(t *transaction, reason string) error {
	data := seal.Object{"reason": reason}
	if t.Code != "" {
		data["code"] = t.Code
	}
	a.cloud.NoteOf(t.id(), eventtype.RevocationRequested, data)
	receipt, registry, err := a.signer.Revoke(t.id(), reason)
	if err != nil {
		return err
	}
	if err := a.cloud.RecordRevocation(t.Transaction, receipt, registry); err != nil {
		return err
	}
	a.publish(t.id())
	a.save(kindTransaction, t.id(), t.document)
	a.publishLists(a.now())
	return nil
}

// discard revokes a certificate that no one was given (SPEC 8.21). The transaction
// is denied for this cause.
func (a *authority) discard(t *transaction, issued *signer.Issued, cause denial) error {
	receipt, _, err := a.signer.Revoke(t.id(), "cessationOfOperation")
	if err == nil {
		err = a.cloud.NeverReleased(t.Transaction, issued, receipt, cause.Code, cause.Detail)
	}
	if err != nil {
		return err
	}
	a.publish(t.id())
	a.publishLists(a.now())
	return nil
}

// reason is why the certificate of a transaction was revoked.
func (a *authority) reason(transactionID string) string {
	certificate, _ := a.signer.Certificate(transactionID)
	return certificate.Reason
}

// issued reports whether the signer issued for a transaction.
func (a *authority) issued(transactionID string) bool {
	_, issued := a.signer.Certificate(transactionID)
	return issued
}

// publishLists publishes the revocation lists that are due.
func (a *authority) publishLists(now time.Time) {
	lists, err := a.publisher.Publish(now)
	for _, list := range lists {
		a.put(kindList, list.IssuerKey, seal.Object{"der": seal.Base64(list.DER)})
	}
	complaint := ""
	if err != nil {
		complaint = err.Error()
	}
	if complaint != a.complaint && err != nil {
		a.config.Log.Error("a revocation list was not published", "error", complaint)
	}
	a.complaint = complaint
}
