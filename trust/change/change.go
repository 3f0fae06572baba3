package change

import (
	"cmp"
	"encoding/hex"
	"slices"

	"github.com/svc-edge/svc-verify/trust"
)

// Difference is the difference between an old and a new trust file. Its lists are sorted, and
// never nil.
type Difference struct {
	Old        File        `json:"old"`
	New        File        `json:"new"`
	Same       bool        `json:"same"` // nothing differs that a verdict can depend on
	Keys       []Key       `json:"keys"`
	Nodes      []Node      `json:"nodes"`
	Registries []Registry  `json:"registries"`
	Quorum     *Quorum     `json:"minimum_audit_witnesses,omitempty"` // nil if it is the same
	Approvals  int         `json:"minimum_approvals"`                 // that the coalitions are counted for
	Coalitions []Coalition `json:"coalitions"`
	Sentences  []string    `json:"sentences"` // its meaning, in words
}

// File is one of the two files.
type File struct {
	SHA256           string `json:"sha256"`
	AuditKeys        int    `json:"audit_keys"`
	SignerKeys       int    `json:"protected_signer_keys"`
	NodeKeys         int    `json:"node_keys"`
	Nodes            int    `json:"nodes"`
	Registries       int    `json:"registries"`
	MinimumWitnesses int    `json:"minimum_audit_witnesses"`
}

// Changes of a key, a node or a registry pin.
const (
	Added    = "added"
	Removed  = "removed"
	Replaced = "replaced" // another one under the same id or generation
	Moved    = "moved"    // the same public key, under another id or in another role
)

// Key is a key that differs. Of an added key Before is nil, of a removed one
// After.
type Key struct {
	Change string `json:"change"`
	Before *Place `json:"before,omitempty"`
	After  *Place `json:"after,omitempty"`
}

// Place is where a file has a public key.
type Place struct {
	Role   trust.Role `json:"role"`
	ID     string     `json:"key_id"`
	Node   string     `json:"node,omitempty"`
	SHA256 string     `json:"sha256"` // its fingerprint
}

// Node is a node that only one of the files has.
type Node struct {
	Change string `json:"change"`
	Node   string `json:"node"`
	Keys   int    `json:"keys"`
}

// Registry is a generation whose pin differs.
type Registry struct {
	Change     string `json:"change"`
	Generation int64  `json:"generation"`
	Before     string `json:"before,omitempty"`
	After      string `json:"after,omitempty"`
}

// Quorum is the number of witnesses that the files demand.
type Quorum struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Between compares two trust files. The coalitions are counted for so many
// approvals as the caller of a verification demands; a number below 1 counts as 1.
func Between(from, to *trust.Root, approvals int) Difference {
	d := Difference{Old: fileOf(from), New: fileOf(to), Keys: changedKeys(from, to), Nodes: changedNodes(from, to),
		Registries: changedRegistries(from, to), Approvals: max(approvals, 1)}
	if b, a := from.MinimumWitnesses(), to.MinimumWitnesses(); a != b {
		d.Quorum = &Quorum{b, a}
	}
	d.Same = len(d.Keys) == 0 && len(d.Registries) == 0 && d.Quorum == nil
	common := commonHolders(from, to)
	d.Coalitions = changedCoalitions(from, to, approvals, common)
	d.Sentences = sentencesOf(d, common.nodes)
	return d
}

func fileOf(r *trust.Root) File {
	sum := r.SHA256()
	return File{SHA256: hex.EncodeToString(sum[:]), AuditKeys: len(r.Keys(trust.Audit)),
		SignerKeys: len(r.Keys(trust.Signer)), NodeKeys: len(r.Keys(trust.Node)), Nodes: r.NodeCount(),
		Registries: len(r.Registries()), MinimumWitnesses: r.MinimumWitnesses()}
}

// keysByPublic returns the keys of a file by their public key, which a file has once.
func keysByPublic(r *trust.Root) map[trust.PublicKey]trust.Key {
	keys := map[trust.PublicKey]trust.Key{}
	for _, role := range trust.Roles {
		for _, k := range r.Keys(role) {
			keys[k.Public] = k
		}
	}
	return keys
}

// changedKeys lists the keys that differ, by role, id and change. A public key that both files have
// is the same key, wherever it is. Of the others, two under one id in one role are one that
// was replaced.
func changedKeys(from, to *trust.Root) []Key {
	list := []Key{}
	before, after := keysByPublic(from), keysByPublic(to)
	for _, old := range before {
		now, kept := after[old.Public]
		switch successor, ok := to.Key(old.Role, old.ID); {
		case now.Role == old.Role && now.ID == old.ID:
		case kept:
			list = append(list, Key{Moved, placeOfKey(old), placeOfKey(now)})
		case ok && !hasKey(before, successor):
			list = append(list, Key{Replaced, placeOfKey(old), placeOfKey(successor)})
		default:
			list = append(list, Key{Removed, placeOfKey(old), nil})
		}
	}
	for _, now := range after {
		predecessor, ok := from.Key(now.Role, now.ID)
		if !hasKey(before, now) && !(ok && !hasKey(after, predecessor)) {
			list = append(list, Key{Added, nil, placeOfKey(now)})
		}
	}
	slices.SortFunc(list, func(a, b Key) int {
		x, y := cmp.Or(a.Before, a.After), cmp.Or(b.Before, b.After)
		return cmp.Or(cmp.Compare(rankOf(x.Role), rankOf(y.Role)), cmp.Compare(x.ID, y.ID), cmp.Compare(a.Change, b.Change))
	})
	return list
}

func hasKey(keys map[trust.PublicKey]trust.Key, k trust.Key) bool {
	_, ok := keys[k.Public]
	return ok
}

func rankOf(r trust.Role) int { return slices.Index(trust.Roles, r) }

func placeOfKey(k trust.Key) *Place { return &Place{k.Role, k.ID, k.Node, k.Public.Fingerprint()} }

func changedNodes(from, to *trust.Root) []Node {
	list := []Node{}
	for _, side := range []struct {
		of, other *trust.Root
		change    string
	}{{from, to, Removed}, {to, from, Added}} {
		for _, node := range side.of.Nodes() {
			if len(side.other.NodeKeys(node)) == 0 {
				list = append(list, Node{side.change, node, len(side.of.NodeKeys(node))})
			}
		}
	}
	slices.SortFunc(list, func(a, b Node) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

func changedRegistries(from, to *trust.Root) []Registry {
	list := []Registry{}
	both := slices.Concat(from.Registries(), to.Registries())
	slices.Sort(both)
	for _, g := range slices.Compact(both) {
		before, was := from.Registry(g)
		after, is := to.Registry(g)
		switch {
		case !was:
			list = append(list, Registry{Added, g, "", hex.EncodeToString(after[:])})
		case !is:
			list = append(list, Registry{Removed, g, hex.EncodeToString(before[:]), ""})
		case before != after:
			list = append(list, Registry{Replaced, g, hex.EncodeToString(before[:]), hex.EncodeToString(after[:])})
		}
	}
	return list
}
