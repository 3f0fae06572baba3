package trust

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// WithinEvidence is the warning about a trust file among the evidence.
const WithinEvidence = "The trust file lies within the evidence: one person can have made both."

// Root is a parsed trust file. It does not change, and is safe for concurrent
// use.
type Root struct {
	digest           [sha256.Size]byte
	keys             map[Role]map[string]Key
	nodes            []string         // ascending
	nodeKeys         map[string][]Key // by node, in ascending order of their ids
	registries       map[int64][sha256.Size]byte
	minimumWitnesses int

	// verify is PublicKey.holds, or a session's way to find that out.
	verify func(key PublicKey, message, signature []byte) bool
}

// Faults lists all faults of a trust file. They are errors of the operator, not
// findings about evidence.
type Faults []ijson.Fault

// Error returns the faults, one per line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return "the trust file cannot be used:\n  " + strings.Join(lines, "\n  ")
}

// Parse reads a trust file (SPEC 2). An error is always of type [Faults], and
// lists every fault of the file.
func Parse(doc []byte) (*Root, error) {
	v, fault := form.Parse(doc, form.MaxTrust, "bytes")
	if fault != nil {
		return nil, Faults{*fault}
	}
	p := parser{
		root: &Root{digest: sha256.Sum256(doc), keys: map[Role]map[string]Key{}, registries: map[int64][sha256.Size]byte{},
			verify: PublicKey.isSignedBy},
		seen: map[PublicKey]string{},
	}
	p.parseFile(v)
	if f := p.Faults(); len(f) > 0 {
		return nil, Faults(f)
	}
	return p.root, nil
}

// parser reads one trust file. The place of each public key is in seen.
type parser struct {
	form.Reader
	root *Root
	seen map[PublicKey]string
}

func (p *parser) parseFile(v *ijson.Value) {
	o := p.Object(v, "audit_keys", "protected_signer_keys", "registries", "nodes", "minimum_audit_witnesses?")
	p.parseSection(Audit, o.Get("audit_keys"), form.MaxList)
	p.parseSection(Signer, o.Get("protected_signer_keys"), form.MaxList)
	p.parseSection(Node, o.Get("nodes"), form.MaxNodeKeys)
	p.parseRegistries(o.Get("registries"))
	p.root.minimumWitnesses = 1
	if o.Has("minimum_audit_witnesses") {
		p.root.minimumWitnesses = int(o.Int("minimum_audit_witnesses", 0, form.MaxList))
	}
	p.root.nodeKeys = map[string][]Key{}
	for _, k := range p.root.Keys(Node) {
		p.root.nodeKeys[k.Node] = append(p.root.nodeKeys[k.Node], k)
	}
	p.root.nodes = slices.Sorted(maps.Keys(p.root.nodeKeys))
}

// parseSection reads the keys of one role, 1 to most.
func (p *parser) parseSection(role Role, v *ijson.Value, most int) {
	p.root.keys[role] = map[string]Key{}
	for _, m := range p.Map(v, most) {
		if p.Full() {
			return // no more faults are recorded: the rest need not be looked at
		}
		node, ok := nodeOfKey(role, m.Name)
		if !ok {
			p.Fault(m.Value, form.BadValue, keyIDForm(role), safetext.Excerpt(m.Name, safetext.Value))
			continue
		}
		raw := p.Bytes(m.Value, len(PublicKey{}), len(PublicKey{}))
		if raw == nil {
			continue
		}
		k := Key{ID: m.Name, Role: role, Node: node, Public: PublicKey(raw)}
		p.pinKey(k, m.Value)
	}
}

// pinKey adds a key to the root, unless it is weak or already there under any name
// in any role (SPEC 2.2).
func (p *parser) pinKey(k Key, v *ijson.Value) {
	if w := eddsa.Weakness(k.Public); w != "" {
		p.Fault(v, WeakKey, "a canonical Ed25519 public key of large order", w)
		return
	}
	if first, ok := p.seen[k.Public]; ok {
		p.Fault(v, DuplicateKey, "each public key once in the whole file", "the key of "+first)
		return
	}
	p.seen[k.Public] = v.Pointer()
	p.root.keys[k.Role][k.ID] = k
}

// nodeOfKey returns the node of a key id, and reports whether the id has the form
// for the role (SPEC 2.3).
func nodeOfKey(role Role, id string) (string, bool) {
	if role != Node {
		return "", form.Identifier(id)
	}
	node, generation, rotated := strings.Cut(id, "/")
	if !form.Subject(node) {
		return "", false
	}
	if rotated {
		n, _ := form.Generation(generation)
		return node, n >= 2
	}
	return node, true
}

func keyIDForm(role Role) string {
	if role == Node {
		return `a node id, or a node id, "/" and a generation from 2`
	}
	return "an identifier: 1 to 128 of A-Z a-z 0-9 . _ : @ / -"
}

func (p *parser) parseRegistries(v *ijson.Value) {
	for _, m := range p.Map(v, form.MaxList) {
		generation, ok := form.Generation(m.Name)
		if !ok {
			p.Fault(m.Value, form.BadValue, "a generation: a decimal number from 1 without leading zeros",
				safetext.Excerpt(m.Name, safetext.Value))
			continue
		}
		if d := p.Bytes(m.Value, sha256.Size, sha256.Size); d != nil {
			p.root.registries[generation] = [sha256.Size]byte(d)
		}
	}
}

// SHA256 returns the digest of the trust file as it was read.
func (r *Root) SHA256() [sha256.Size]byte { return r.digest }

// MinimumWitnesses returns minimum_audit_witnesses, or 1 if the file has none.
func (r *Root) MinimumWitnesses() int { return r.minimumWitnesses }

// Registry returns the pin of a generation: the SHA-256 of the canonical
// registry.
func (r *Root) Registry(generation int64) ([sha256.Size]byte, bool) {
	d, ok := r.registries[generation]
	return d, ok
}

// Registries returns the pinned generations in ascending order.
func (r *Root) Registries() []int64 { return slices.Sorted(maps.Keys(r.registries)) }

// Key returns the pinned key with an id in a role.
func (r *Root) Key(role Role, id string) (Key, bool) {
	k, ok := r.keys[role][id]
	return k, ok
}

// Lacks reports whether no role has a key of an id. A key that is pinned for another role is
// known, and anything that it signs out of its role is bad evidence.
func (r *Root) Lacks(id string) bool {
	_, known := r.roleOf(id)
	return !known
}

// roleOf returns the first role that has a key of an id.
func (r *Root) roleOf(id string) (Role, bool) {
	for _, role := range Roles {
		if _, ok := r.Key(role, id); ok {
			return role, true
		}
	}
	return "", false
}

// Keys returns the pinned keys of a role in ascending order of their ids.
func (r *Root) Keys(role Role) []Key {
	return slices.SortedFunc(maps.Values(r.keys[role]), func(a, b Key) int { return cmp.Compare(a.ID, b.ID) })
}

// Nodes returns the pinned nodes in ascending order. A node with several keys
// occurs once.
func (r *Root) Nodes() []string { return slices.Clone(r.nodes) }

// NodeCount returns the number of pinned nodes.
func (r *Root) NodeCount() int { return len(r.nodes) }

// NodeKeys returns the pinned keys of a node in ascending order of their ids.
func (r *Root) NodeKeys(node string) []Key { return slices.Clone(r.nodeKeys[node]) }
