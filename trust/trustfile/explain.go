package trustfile

import (
	"fmt"
	"math/big"

	"github.com/svc-edge/svc-verify/trust"
)

// Threat is one way to forge a proof, for an issuance that never happened, that
// the trust file accepts. Every way needs one audit key, one protected signer
// key, and the key of an issuing CA that a pinned registry gives that signer.
// The ways differ in the number of nodes that must take part.
type Threat struct {
	Name  string `json:"name"`
	Needs string `json:"needs"` // in words, the nodes only
	// Nodes is the number of nodes that must take part, or -1 if no number is
	// enough.
	Nodes int `json:"nodes"`
	// Combinations is the number of ways to choose one audit key, one signer key
	// and Nodes nodes. It is in decimal, since it can exceed every integer of the
	// formats.
	Combinations string `json:"combinations"`
	Shows        string `json:"shows"` // where the forgery would be noticed
}

// Power describes how much the holder of one kind of key can do alone.
type Power struct {
	Holder string `json:"holder"`
	Can    string `json:"can"`
	Cannot string `json:"cannot"`
}

// Exposure describes how much the holders of the pinned keys could do, together and alone.
type Exposure struct {
	MinimumWitnesses int       `json:"minimum_audit_witnesses"`
	MinimumApprovals int       `json:"minimum_approvals"`
	Nodes            []Holding `json:"nodes"`
	Threats          []Threat  `json:"threats"`
	Powers           []Power   `json:"powers"`
}

// Holding is a node with the ids of its keys in the file.
type Holding struct {
	Node string   `json:"node"`
	Keys []string `json:"keys"`
}

// The names of the threats.
const (
	ThroughTheLog = "through-the-log"
	SplitView     = "split-view"
	InSecret      = "in-secret"
)

// Explain lists who could together forge a proof that the trust file accepts, if
// the caller demands so many approvals. A number below 1 counts as 1 (SPEC 2.4).
func Explain(root *trust.Root, minimumApprovals int) Exposure {
	e := Exposure{
		MinimumWitnesses: root.MinimumWitnesses(),
		MinimumApprovals: max(minimumApprovals, 1),
		Powers:           powersOf(),
	}
	for _, node := range root.Nodes() {
		e.Nodes = append(e.Nodes, Holding{node, keyIDs(root.NodeKeys(node))})
	}
	for _, t := range threatList(root, e.MinimumApprovals) {
		e.Threats = append(e.Threats, countWays(root, t))
	}
	return e
}

func keyIDs(keys []trust.Key) []string {
	list := make([]string, len(keys))
	for i, k := range keys {
		list[i] = k.ID
	}
	return list
}

// threatList returns the ways and the number of nodes that each needs. A witness
// sees digests of events only (SPEC 5.2), so an honest one witnesses any log
// that only grows. With n nodes and a quorum of q, two histories need q
// witnesses each, so at least 2q-n nodes must witness both.
func threatList(root *trust.Root, approvals int) []Threat {
	n, q := root.NodeCount(), root.MinimumWitnesses()
	throughTheLog := Threat{Name: ThroughTheLog, Nodes: approvals,
		Needs: "to approve; honest nodes witness it, as they see digests of events and not the events",
		Shows: "in the tenant log, to everyone who walks it"}
	if q == 0 {
		return []Threat{throughTheLog, {Name: InSecret, Nodes: approvals,
			Needs: "to approve; a legacy checkpoint needs no witness, and its maker chooses its date",
			Shows: "where the proof's checkpoint is compared with the real log"}}
	}
	return []Threat{throughTheLog,
		{Name: SplitView, Nodes: max(approvals, 2*q-n),
			Needs: "to approve, and to witness two histories; the service shows each honest node only one of them",
			Shows: "where witnessed checkpoints of two nodes are compared"},
		{Name: InSecret, Nodes: max(approvals, q),
			Needs: "to approve and to witness; no honest party takes part",
			Shows: "where the proof's checkpoint is compared with the real log"}}
}

// countWays computes the number of ways to choose the holders.
func countWays(root *trust.Root, t Threat) Threat {
	n := root.NodeCount()
	if t.Nodes > n || root.MinimumWitnesses() > n {
		return Threat{Name: t.Name, Nodes: -1, Combinations: "0",
			Needs: fmt.Sprintf("no number of nodes is enough: the file has %d, so no bundle verifies at all", n)}
	}
	ways := new(big.Int).Binomial(int64(n), int64(t.Nodes))
	for _, role := range []trust.Role{trust.Audit, trust.Signer} {
		ways.Mul(ways, big.NewInt(int64(len(root.Keys(role)))))
	}
	t.Combinations = ways.String()
	return t
}

// powersOf returns the powers of each kind of holder alone (SPEC 11.3).
func powersOf() []Power {
	return []Power{
		{"an audit key",
			"say that a revoked certificate is issued, at a genuinely witnessed checkpoint; " +
				"leave a revocation out of the log; refuse to log or to export",
			"make a proof for a certificate that the signer, the CA and enough nodes did not agree to"},
		{"a protected signer key",
			"sign receipts for issuances and revocations",
			"get one accepted: the log must commit to it, a CA must have signed, and nodes must have approved"},
		{"an issuing CA key",
			"issue certificates that are accepted by relying parties that do not ask for a proof",
			"get a proof for one: that needs a receipt, the log and approvals"},
		{"a node's key",
			"approve, refuse or witness in that node's name, and invent its capability evidence",
			"count as more than one node, or make up for any other role"},
		{"this trust file",
			"decide everything: anyone who can change the file chooses the keys that count",
			""},
	}
}
