package harness

import (
	"fmt"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// Tenant is the tenant of every scene.
const Tenant = "acme-corp"

// Settings is how a tenant is set up.
type Settings struct {
	Nodes            []string // node ids
	MinimumWitnesses int64    // of the trust file; 0 with RequiredWitnesses 0 only
	// RequiredWitnesses is the number of witnesses that checkpoints demand; 0 makes legacy
	// ones.
	RequiredWitnesses int64
	// Issuers are the algorithms of the issuers' keys, one of a family. A leaf is
	// issued by the one of its own family, or else by the first.
	Issuers []string
}

// World is a tenant with all who take part in it.
type World struct {
	Clock  *chance.Script
	Cloud  *cloud.Cloud
	Signer *signer.Signer
	Nodes  []*node.Node
	Keys   Keys

	settings    Settings
	generation  int // of audit, signer and issuer keys
	source      chance.Source
	chance      *chance.Stream
	roster      *consent.Roster
	registries  []seal.Object
	checkpoints []seal.Object
	exports     []Export
	others      int // transactions of the traffic
}

// NewWorld sets a tenant up: keys, nodes, a policy that every node has synced,
// and the first signer registry. Keep is given each event of the tenant log.
func NewWorld(number uint64, settings Settings, keep func(seal.Object)) (*World, error) {
	seal.MakeInBulk()
	source := chance.New(number)
	w := &World{
		Clock: source.Clock(), Keys: newKeys(), settings: settings, generation: 1,
		source: source, chance: source.Stream("chance"), roster: consent.NewRoster(Tenant),
	}
	w.Cloud = cloud.New(cloud.Config{
		Roster: w.roster, Clock: w.Clock, Salts: source.Stream("cloud salts"),
		Key: w.auditKey(), RequiredWitnesses: settings.RequiredWitnesses, Keep: keep,
	})
	w.Signer = signer.New(w.roster, w.Clock, source.Stream("serials"))
	for _, id := range settings.Nodes {
		n := node.New(id, w.roster, w.Clock, source)
		w.enterNode(n.Key())
		w.Nodes = append(w.Nodes, n)
		w.Cloud.Enrol(id, n.Key().Public())
	}
	w.newSigner()
	return w, w.PublishPolicy(firstPolicy, w.Nodes...)
}

// firstPolicy is the version of the policy that a world starts with.
const firstPolicy = 7

// PublishPolicy publishes a version of the policy and lets these nodes sync it.
// Versions after the first allow half the lifetime.
func (w *World) PublishPolicy(version int64, nodes ...*node.Node) error {
	lifetime := 30 * 24 * time.Hour
	if version > firstPolicy {
		lifetime /= 2
	}
	policy := consent.Policy(version,
		consent.Profile{Name: "payments-api", Algorithms: signer.Algorithms, MaximumLifetime: lifetime, RequiredApprovals: 2},
		consent.Profile{Name: "ledger-batch", Algorithms: []string{"ecdsa-p256"}, MaximumLifetime: lifetime,
			RequiredApprovals: 2},
		consent.Profile{Name: "edge-gateway", Algorithms: signer.Algorithms, MaximumLifetime: lifetime, RequiredApprovals: 2,
			Capability: "attested-boot"},
	)
	w.Cloud.PublishPolicy(policy)
	for _, n := range nodes {
		if err := n.SyncPolicy(policy); err != nil {
			return err
		}
	}
	return nil
}

// newSigner gives the signer the keys of the world's generation and publishes
// the registry in which they stand.
func (w *World) newSigner() {
	issuers := map[string]*pki.Issuer{}
	for _, algorithm := range w.settings.Issuers {
		name := fmt.Sprintf("svc issuing CA 2026-%d %s", w.generation, algorithm)
		issuer := pki.NewIssuer(name, algorithm, w.Clock.Next(), w.source.Stream(name))
		w.Keys.Issuer[name] = issuer
		for _, leaf := range signer.Algorithms {
			if issuers[leaf] == nil || familyOf(leaf) == familyOf(algorithm) {
				issuers[leaf] = issuer
			}
		}
	}
	w.Signer.Rotate(w.signerKey(), issuers)
	registry := w.Signer.Publish(signer.Algorithms)
	w.registries = append(w.registries, registry)
	w.Cloud.Note("registry.published", seal.Object{
		"generation": registry["generation"], "sha256": seal.Digest(registry),
	})
}

// familyOf is an algorithm without its size.
func familyOf(algorithm string) string {
	name, _, _ := strings.Cut(algorithm, "-")
	return name
}

// RotateKeys replaces every key, for audit, signer, issuers and nodes, and the registry.
func (w *World) RotateKeys() {
	w.generation++
	w.Cloud.Rotate(w.auditKey())
	w.newSigner()
	for _, n := range w.Nodes {
		key := n.Rotate(w.source)
		w.enterNode(key)
		w.Cloud.KeyRotated("node", key)
	}
}
