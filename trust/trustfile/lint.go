package trustfile

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// Notice is a probable mistake in a trust file that can be used: a code, the
// JSON pointer of the member, and a sentence. Path and Sentence contain names
// from the file, which are identifiers.
type Notice struct {
	Code     finding.Code     `json:"code"`
	Severity finding.Severity `json:"severity"`
	Path     string           `json:"path"`
	Sentence string           `json:"sentence"`
}

// linter collects notices about one file.
type linter struct {
	root    *trust.Root
	notices []Notice
}

// Lint reports settings that [trust.Parse] accepts but that are almost certainly
// mistakes. The known keys, whose private halves are public, have a description
// each; the keys of RFC 8032 and of trivial seeds need not be given.
func Lint(root *trust.Root, known map[trust.PublicKey]string) []Notice {
	l := &linter{root: root, notices: []Notice{}}
	l.knownKeys(known)
	l.checkQuorum()
	l.keysOfOne()
	l.checkPins()
	return l.notices
}

// LintBeside reports node keys that the trust file of another tenant has too. A
// node must have a key of its own for each tenant (SPEC 2.3), which one file
// cannot show.
func LintBeside(root, other *trust.Root) []Notice {
	l := &linter{root: root, notices: []Notice{}}
	theirs := map[trust.PublicKey]string{}
	for _, k := range other.Keys(trust.Node) {
		theirs[k.Public] = k.ID
	}
	for _, k := range root.Keys(trust.Node) {
		if id, ok := theirs[k.Public]; ok {
			l.addNote(KeyOfTwoTenants, pointerOfKey(k), "node "+id)
		}
	}
	return l.notices
}

func (l *linter) addNote(code finding.Code, path, found string) {
	entry, _ := finding.Lookup(code)
	l.notices = append(l.notices, Notice{code, entry.Severity, path, finding.Fill(entry.Text(), "{found}", found)})
}

// knownKeys looks for keys with which anyone can sign.
func (l *linter) knownKeys(known map[trust.PublicKey]string) {
	public := publicSeeds()
	for _, role := range trust.Roles {
		for _, k := range l.root.Keys(role) {
			what, ok := public[k.Public]
			if !ok {
				what, ok = known[k.Public]
			}
			if ok {
				l.addNote(KnownKey, pointerOfKey(k), what)
			}
		}
	}
}

// checkQuorum compares minimum_audit_witnesses with the number of nodes.
func (l *linter) checkQuorum() {
	const path = "/minimum_audit_witnesses"
	n, q := l.root.NodeCount(), l.root.MinimumWitnesses()
	found := fmt.Sprintf("%d of %d", q, n)
	if n == 1 {
		l.addNote(SingleNode, "/nodes", "the file has one node only, "+l.root.Nodes()[0])
	}
	switch {
	case q == 0:
		l.addNote(QuorumZero, path, found)
	case q > n:
		l.addNote(QuorumUnreachable, path, found)
	case 2*q <= n:
		l.addNote(SplitViewPossible, path, found)
	}
}

// keysOfOne looks for roles and nodes that have several keys, and for nodes
// without their first key.
func (l *linter) keysOfOne() {
	for _, role := range []trust.Role{trust.Audit, trust.Signer} {
		if keys := l.root.Keys(role); len(keys) > 1 {
			l.addNote(SeveralKeys, "/"+sectionOfRole(role),
				fmt.Sprintf("%d keys count for this role: %s", len(keys), idsOf(keys)))
		}
	}
	for _, node := range l.root.Nodes() {
		keys := l.root.NodeKeys(node)
		if len(keys) > 1 {
			l.addNote(SeveralKeys, "/nodes", fmt.Sprintf("%d keys count for node %s: %s", len(keys), node, idsOf(keys)))
		}
		if _, ok := l.root.Key(trust.Node, node); !ok {
			l.addNote(OlderMissing, pointerOfKey(keys[0]), "node "+node+" has no first key in the file")
		}
	}
}

// checkPins looks for placeholders and gaps among the registry pins.
func (l *linter) checkPins() {
	nothing := map[string]string{
		strings.Repeat("0", 64): "nothing: it is all zero",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855": "an empty file",
	}
	generations := l.root.Registries()
	for _, g := range generations {
		pin, _ := l.root.Registry(g)
		if what, ok := nothing[hex.EncodeToString(pin[:])]; ok {
			l.addNote(PinOfNothing, "/registries/"+strconv.FormatInt(g, 10), what)
		}
	}
	first, last := generations[0], generations[len(generations)-1]
	if last-first >= int64(len(generations)) {
		l.addNote(OlderMissing, "/registries", fmt.Sprintf("not every generation from %d to %d is pinned", first, last))
	}
}

// pointerOfKey returns the place of a key in the trust file.
func pointerOfKey(k trust.Key) string {
	return "/" + sectionOfRole(k.Role) + "/" + ijson.PointerToken(k.ID)
}

// sectionOfRole returns the member of the trust file that contains a role's keys.
func sectionOfRole(role trust.Role) string {
	switch role {
	case trust.Audit:
		return "audit_keys"
	case trust.Signer:
		return "protected_signer_keys"
	}
	return "nodes"
}

// mostIDs is how many key ids a sentence names.
const mostIDs = 16

func idsOf(keys []trust.Key) string {
	list := keyIDs(keys[:min(len(keys), mostIDs)])
	if more := len(keys) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

// publicSeeds returns the public keys of well-known seeds: the seeds of RFC 8032, section 7.1,
// and seeds of one repeated or counted-up byte.
func publicSeeds() map[trust.PublicKey]string {
	known := map[trust.PublicKey]string{}
	add := func(seed []byte, what string) {
		known[trust.PublicKey(ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey))] = what
	}
	for i, text := range rfc8032Seeds {
		seed, _ := hex.DecodeString(text)
		add(seed, "the test key "+strconv.Itoa(i+1)+" of RFC 8032")
	}
	counted := make([]byte, ed25519.SeedSize)
	for i := range counted {
		counted[i] = byte(i)
	}
	add(counted, "made from the seed 0, 1, 2, …")
	for b := range 256 {
		add(slices.Repeat([]byte{byte(b)}, ed25519.SeedSize), fmt.Sprintf("made from a seed of 32 bytes %#02x", b))
	}
	return known
}

// rfc8032Seeds are the secret keys of RFC 8032, section 7.1, in its order.
var rfc8032Seeds = []string{
	"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
	"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
	"f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
	"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
}
