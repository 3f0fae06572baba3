package verify

import (
	"crypto/ed25519"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
)

// TestWords: a report's words for nodes, for a status and for keys and registries that the
// trust file lacks.
func TestWords(t *testing.T) {
	must.Equal(t, nodesOfKeys([]trust.Key{{Node: "b"}, {Node: "a"}})[0], "a", "the first node")
	about := About{Status: "revoked"}
	must.Equal(t, about.Outcome(), "revoked", "a status without a time")
	about.RevokedAt = "2026"
	must.Equal(t, about.Outcome(), "revoked at 2026", "a status with its time")
	must.Equal(t, quoteKey(registryName(7)), ofRegistry+safetext.Quote("7"), "a generation")
	must.Equal(t, quoteKey("key\n"), safetext.Quote("key\n"), "a key")
	names := []string{"1", "2", "3", "4", "5", "6"}
	must.Equal(t, slices.Equal(firstNames(names[:mostNames]), names[:mostNames]), true, "as many names as are listed")
	must.Equal(t, strings.Join(firstNames(names), " "), "1 2 3 4 5 and 1 more", "one name more")
}

// TestSplitView: two histories are possible unless each two quorums have a node in common.
func TestSplitView(t *testing.T) {
	key := func(n int) trust.PublicKey {
		return trust.PublicKey(ed25519.NewKeyFromSeed(slices.Repeat([]byte{byte(n)}, 32)).Public().(ed25519.PublicKey))
	}
	for _, tt := range []struct {
		nodes, quorum int
		possible      bool
	}{{3, 2, false}, {4, 2, true}, {4, 3, false}, {2, 0, true}} {
		draft := trustfile.Draft{Audit: map[string]trust.PublicKey{"a": key(1)},
			Signer: map[string]trust.PublicKey{"s": key(2)}, Nodes: map[string]trust.PublicKey{},
			Registries: map[int64][32]byte{1: {}}, MinimumWitnesses: tt.quorum}
		for n := range tt.nodes {
			draft.Nodes[strconv.Itoa(n)] = key(3 + n)
		}
		_, root := must.Two(trustfile.Assemble(draft))(t)
		limits := (&run{root: root}).limitations(nil)
		possible := slices.ContainsFunc(limits, func(l Limitation) bool { return l.Code == splitViewPossible })
		must.Equal(t, possible, tt.possible, "%d of %d", tt.quorum, tt.nodes)
	}
}

// TestKeyTally: the sentence and the list for one key, and at the bounds of both.
func TestKeyTally(t *testing.T) {
	for _, tt := range []struct {
		keys, good, bad, listed int
		want                    string
	}{
		{1, 1, 0, 1, `: 0 (1 of 1 proof); it may be good: the`},
		{1, 2, 3, 1, `: 0 (1 of 1 proof); it may be good, except 3 with other defects: the`},
		{1, 0, 1, 1, `: 0 (1 of 1 proof); the trust file may be out of date, but other defects were found in it too`},
		{mostNamedKeys, 1, 0, mostNamedKeys, `, 7 (1 of 8 proofs); it`},
		{mostNamedKeys + 1, 1, 0, mostNamedKeys + 1, `, 7 (1 of 9 proofs), and 1 more; it`},
		{MostUnknownKeys, 1, 0, MostUnknownKeys, `, and 992 more; it`},
		{MostUnknownKeys + 1, 1, 0, MostUnknownKeys, `, and 993 more; it`},
		{mostTallied, 1, 0, MostUnknownKeys, `, and 9992 more; it`},
		{mostTallied + 1, 1, 0, MostUnknownKeys, `, and more than 9992 more; it`},
	} {
		var tally KeyTally
		for i := range tt.keys {
			tally.Total(RestingProof, 1)
			tally.Add(strconv.Itoa(i), RestingProof, 1)
		}
		for i := range tt.good + tt.bad {
			tally.Good(i < tt.good)
		}
		u := tally.Unknown("it")
		must.That(t, strings.Contains(u.Sentence, tt.want) && len(u.Keys) == tt.listed && u.MayBeGood == (tt.good > 0),
			"%d keys: %d listed, %s", tt.keys, len(u.Keys), u.Sentence)
	}
}
