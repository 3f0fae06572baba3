package harness

import (
	"slices"
	"time"
)

// Description describes a scene.
type Description struct {
	Name, Summary string
	Fleet         bool // its nodes export their journals, which package fleet plays
}

// story is how a scene is played, after its [World.playOpening].
type story struct {
	Description
	settings Settings
	play     func(*World, Options) // panics if a step fails: the story is a mistake then
}

// ThreeNodes is the usual tenant: two of three nodes must approve, and two
// must witness, so that no two halves of the fleet can witness two histories.
func ThreeNodes() Settings {
	return Settings{
		Nodes:             []string{"mesh-berlin-1", "mesh-lisbon-1", "mesh-oslo-1"},
		MinimumWitnesses:  2,
		RequiredWitnesses: 2,
		Issuers:           []string{"ecdsa-p256"},
	}
}

// FiveNodes is a fleet in which three of five nodes must witness.
func FiveNodes() Settings {
	return Settings{
		Nodes:             []string{"mesh-berlin-1", "mesh-lisbon-1", "mesh-oslo-1", "mesh-paris-1", "mesh-vienna-1"},
		MinimumWitnesses:  3,
		RequiredWitnesses: 3,
		Issuers:           []string{"ecdsa-p256"},
	}
}

// allStories are all scenes, in the order in which they are listed.
func allStories() []story {
	usual := ThreeNodes()
	legacy := ThreeNodes()
	legacy.MinimumWitnesses, legacy.RequiredWitnesses = 0, 0
	families := ThreeNodes()
	families.Issuers = []string{"ecdsa-p384", "rsa-3072", "ed25519"}
	return slices.Concat([]story{
		{Description{Name: "issued", Summary: "one certificate, approved by two nodes of three, witnessed by two"},
			usual, playIssued},
		{Description{Name: "revoked", Summary: "two certificates, one of them revoked and exported before and after"},
			usual, playRevoked},
		{Description{Name: "capability", Summary: "an issuance that rests on capability evidence of two nodes"},
			usual, playCapability},
		{Description{Name: "rotated-keys", Summary: "every key replaced: transactions before, after and across"}, usual,
			playRotatedKeys},
		{Description{Name: "legacy", Summary: "a checkpoint from before witnessing, admitted by the trust file"},
			legacy, playLegacy},
		{Description{Name: "algorithms", Summary: "a certificate of each algorithm, with every kind of name and usage"},
			families, playAlgorithms},
		{Description{Name: "denied", Summary: "too few approvals: journals and a tenant log, but no certificate"},
			usual, playDenied},
		{Description{Name: "large", Summary: "a transaction early in a tenant log of a million events"}, usual, playLarge},
		{Description{Name: "fleet", Summary: "five nodes at work: what a tenant does, day in, day out", Fleet: true},
			FiveNodes(), playFleet},
	}, abuses())
}

// Scenes lists the scenes that [Build] can play.
func Scenes() []Description {
	var list []Description
	for _, s := range allStories() {
		list = append(list, s.Description)
	}
	return list
}

func findStory(name string) (story, bool) {
	for _, s := range allStories() {
		if s.Name == name {
			return s, true
		}
	}
	return story{}, false
}

// first is the transaction that most scenes are about.
const first = "tx-2026-0001"

// orderOf is the order of a scene's transaction.
func orderOf(transactionID string) Order {
	return Order{
		TransactionID: transactionID,
		Profile:       "payments-api",
		Algorithm:     "ecdsa-p256",
		Lifetime:      7 * 24 * time.Hour,
		Names:         []string{"dns:payments.acme.example", "uri:spiffe://acme.example/payments-api"},
		Usages:        []string{"clientAuth", "serverAuth"},
	}
}
