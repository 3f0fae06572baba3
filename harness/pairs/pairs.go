package pairs

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Pair is two bundles of one trust file.
type Pair struct {
	Name, Title string
	Code        string // of the contradiction; "" for a near miss
	Shows       string // what two hashes of one event show; "" for other codes
	Sequence    int64  // where the log's two sides part; 0 for a serial and a near miss
	Trust       seal.Object
	A, B        []byte
}

// All plants all pairs. They are always the same.
func All() []Pair {
	var p planter
	p.playScenes()
	p.plantHistories()
	p.plantRevocations()
	p.plantIssuances()
	p.plantSerials()
	p.plantTenants()
	p.plantLegacy()
	p.plantHonest()
	return p.pairs
}

// The places of the scene "revoked" that the pairs are made from: its first
// transaction is issued by event 28 and exported at 60, revoked by event 67 and
// exported at 99; its second is issued by event 66 and exported at 131. On the way
// from 60 to 28 the skip link of event 53 leads to event 40.
const (
	issuance, issuedAt    = 28, 60
	revocation, revokedAt = 67, 99
	skipping              = 53
)

// planter collects pairs.
type planter struct {
	pairs           []Pair
	scene, rotated  *harness.Scene
	log             *History
	issued, revoked seal.Object
}

func (p *planter) playScenes() {
	p.scene = seal.Must(harness.Build("revoked", 1, harness.Options{}))
	p.rotated = seal.Must(harness.Build("rotated-keys", 1, harness.Options{}))
	p.log = Honest(p.scene)
	p.issued, p.revoked = p.scene.Exports[0].Bundle, p.scene.Exports[1].Bundle
	for n, want := range map[uint64]string{issuance: "issuance.completed", revocation: "certificate.revoked"} {
		if found := seal.Text(seal.Member(p.log.Event(n), "body"), "type"); found != want {
			panic(fmt.Sprintf("the scene revoked has %s at %d, expected %s", found, n, want))
		}
	}
}

// found is the contradiction in a pair.
type found struct {
	code, shows string
	sequence    int64
}

// nothing is found in a near miss.
var nothing = found{}

// plant adds a pair of the scene "revoked".
func (p *planter) plant(what found, name, title string, a, b seal.Object) {
	p.addPair(p.scene, what, name, title, seal.Canonical(a), seal.Canonical(b))
}

func (p *planter) addPair(scene *harness.Scene, what found, name, title string, a, b []byte) {
	p.pairs = append(p.pairs, Pair{name, title, what.code, what.shows, what.sequence, scene.Trust, a, b})
}

// plantHistories plants logs of two histories, and links that lie.
func (p *planter) plantHistories() {
	other := p.log.Other(45)
	p.plant(found{"anchor.split-view", "two-histories", 60}, "two-heads", "two checkpoints of one sequence with two heads",
		p.issued, other.Export(p.issued, issuedAt, issuance))
	p.plant(found{"chain.contradiction", "two-histories", 60}, "head-and-previous-link",
		"the head of one checkpoint, and the previous link under the next one",
		p.issued, other.Export(p.issued, issuedAt+1, issuance))

	lying := p.log.Lying(skipping, p.log.Other(35))
	lied := lying.Export(p.issued, issuedAt, issuance)
	p.plant(found{"chain.contradiction", "false-link", 40}, "false-skip-link",
		"a skip link that names the event of another history, below an event that both bundles prove",
		lied, lying.Export(p.issued, skipping-1, issuance))
	p.plant(found{"chain.contradiction", "open", 40}, "false-skip-link-or-two-histories",
		"two hashes of one event, below no event that both bundles prove",
		lied, lying.Export(p.issued, skipping-2, issuance))
	p.plant(found{"chain.contradiction", "false-link", 40}, "false-skip-link-below-an-open-one",
		"two hashes of one event that leave it open, and below an event that both bundles prove a false skip link",
		p.issued, p.log.Other(skipping).Lying(skipping, p.log.Other(35)).Export(p.issued, revocation-1, issuance))
	p.plant(nothing, "near-miss-lying-log", "two bundles of a log with a false link that both follow", lied,
		lying.Export(p.issued, issuedAt+1, issuance))

	p.plantRotated()
}

// plantRotated plants a split view in which another audit key signed each side, and
// two statements of one head.
func (p *planter) plantRotated() {
	bundle := p.rotated.Exports[0].Bundle
	second := func(b seal.Object) seal.Object {
		checkpoint, status := seal.Member(b, "checkpoint"), seal.Member(b, "status")
		checkpoint["key_id"], status["key_id"] = "audit-2026-2", "audit-2026-2"
		return stampBundle(b, p.rotated.Keys)
	}
	at := uint64(seal.Integer(seal.Member(seal.Member(bundle, "checkpoint"), "statement"), "sequence"))
	forked := Honest(p.rotated).Other(45).Export(bundle, at, issuance)
	p.addPair(p.rotated, found{"anchor.split-view", "two-histories", 69}, "two-heads-by-two-audit-keys",
		"two checkpoints of one sequence with two heads, each signed by another audit key",
		seal.Canonical(bundle), seal.Canonical(second(forked)))
	p.addPair(p.rotated, found{"chain.contradiction", "open", 40}, "two-hashes-before-and-after-rotation",
		"two hashes of one event, under keys of before and after a rotation", seal.Canonical(bundle),
		seal.Canonical(Honest(p.rotated).Other(36).Export(p.rotated.Exports[1].Bundle, 129, 88, 34)))
	again := seal.CloneObject(bundle)
	statement := seal.Member(seal.Member(again, "checkpoint"), "statement")
	statement["created_at"] = momentLater(statement, "created_at")
	p.addPair(p.rotated, nothing, "near-miss-two-statements-of-one-head",
		"two checkpoints of one sequence and head, made at two times and by two audit keys",
		seal.Canonical(bundle), seal.Canonical(second(again)))
}

// plantLegacy plants a split view that no one witnessed.
func (p *planter) plantLegacy() {
	scene := seal.Must(harness.Build("legacy", 1, harness.Options{}))
	bundle := scene.Exports[0].Bundle
	p.addPair(scene, found{"anchor.split-view", "two-histories", 60}, "two-heads-unwitnessed",
		"two legacy checkpoints of one sequence with two heads", seal.Canonical(bundle),
		seal.Canonical(Honest(scene).Other(45).Export(bundle, 60, issuance)))
}

// plantRevocations plants statuses that hide a revocation.
func (p *planter) plantRevocations() {
	issuedAt := func(n uint64) seal.Object { return p.log.Export(p.issued, n, issuance) }
	p.plant(found{"revocation.withheld", "", 67}, "issued-after-revoked",
		"issued at a checkpoint above that of the bundle that shows the revocation", issuedAt(120), p.revoked)
	p.plant(found{"revocation.withheld", "", 67}, "revoked-after-issued",
		"issued at a checkpoint above the revocation event, and below that of the bundle that shows it",
		issuedAt(revocation+3), p.revoked)
	p.plant(found{"revocation.withheld", "", 67}, "issued-at-the-revocation", "issued at the very revocation event",
		p.revoked, issuedAt(revocation))
	p.plant(nothing, "near-miss-issued-before-revocation", "issued at the event before the revocation",
		p.revoked, issuedAt(revocation-1))
	p.plant(found{"revocation.withheld", "", 67}, "withheld-in-another-history",
		"issued at a checkpoint of another history, in which other events are: the status decides",
		p.revoked, p.log.Other(45).Export(p.issued, revokedAt, issuance))
}

// plantHonest plants the near misses of honest parties.
func (p *planter) plantHonest() {
	p.plant(nothing, "near-miss-newer-export", "a transaction, exported before and after its revocation",
		p.issued, p.revoked)
	p.plant(nothing, "near-miss-two-transactions", "two transactions of one log", p.revoked, p.scene.Exports[2].Bundle)
	doc := seal.Canonical(p.issued)
	p.addPair(p.scene, nothing, "near-miss-written-again", "one bundle, written with other white space", doc,
		append([]byte(" "), doc...))
}
