package server

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/server/revocation"
	"github.com/svc-edge/svc-verify/service/topic"
)

// authority is the protected signer, behind its keys of every generation, with
// what is published of its certificates.
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
	if err := a.each(kindRegistry, func(e durable.Entry) error {
		a.registries = append(a.registries, e.Document)
		return nil
	}); err != nil {
		return err
	}
	if err := a.readKeys(); err != nil {
		return err
	}
	var certificates []signer.Certificate
	if err := a.each(kindCertificate, func(e durable.Entry) error {
		c, err := restoreCertificate(e.Document)
		certificates = append(certificates, c)
		return err
	}); err != nil {
		return err
	}
	if len(a.registries) > 0 {
		a.signer.Resume(a.registries[len(a.registries)-1], certificates)
	}
	var lists []revocation.List
	if err := a.each(kindList, func(e durable.Entry) error {
		list, err := restoreList(e.Document)
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

// readKeys takes over the signer's keys of every generation that has a
// registry. A generation without one was made and never used.
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
		keys := PublicKeys{
			Audit: a.roster.Audit, Policies: a.roster.Policies, Signers: a.roster.Signers,
			Registries: map[string][sha256.Size]byte{},
		}
		for _, registry := range a.registries {
			generation := strconv.FormatInt(seal.Integer(registry, "generation"), 10)
			keys.Registries[generation] = sha256.Sum256(seal.Canonical(registry))
		}
		o := keys.Document()
		issuers := []any{}
		for _, certificate := range a.signer.Issuers() {
			issuers = append(issuers, seal.Base64(certificate.Raw))
		}
		o["issuers"], o["nodes"] = issuers, keySection(a.roster.Nodes)
		return o, nil
	})
}

// rotateKeys gives the signer new keys.
func (a *authority) rotateKeys(c *call) (seal.Object, error) {
	return a.answerOrder(c, read(c.Body), func() (seal.Object, error) {
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
	next, err := signer.NewGeneration(len(a.generations)+1, now, chance.Fresh())
	if err != nil {
		return err
	}
	generations := append(slices.Clone(a.generations), next)
	if err := signer.WriteKeys(filepath.Join(a.config.Dir, signerFile), generations); err != nil {
		return err
	}
	a.generations = generations
	a.roster.Signers[next.Key.ID] = next.Key.Public()
	a.signer.Use(next)
	registry := a.signer.Publish(signer.Algorithms)
	a.registries = append(a.registries, registry)
	a.put(kindRegistry, ascending(seal.Integer(registry, "generation")), registry)
	a.cloud.KeyRotated("signer", next.Key)
	data := seal.Object{"generation": registry["generation"], "sha256": seal.Digest(registry)}
	a.cloud.Note(eventtype.RegistryPublished, data)
	a.notices.add(topic.TrustBundleUpdated, data)
	a.publishLists(now)
	return nil
}
