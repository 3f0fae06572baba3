package walk

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/eddsa"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// validCopies are three copies as they are when all is well, under two keys.
func validCopies() []judged {
	keys := []trust.Key{{Public: trust.PublicKey{1}}, {Public: trust.PublicKey{2}}}
	copies := make([]judged, 3)
	for i := range copies {
		j := judged{owner: pinned, key: &keys[i/2]}
		j.Sequence, j.Previous, j.Skip, j.Body, j.Recorded = uint64(i+1), chain.Hash{2}, chain.Hash{3}, chain.Hash{4},
			chain.Hash{5}
		j.Signature[9] = 6
		copies[i] = j
	}
	return copies
}

// TestClaimsCoverEverything: whatever the verdict depends on, the digest does.
func TestClaimsCoverEverything(t *testing.T) {
	sound := claimsOf(validCopies())
	again := claimsOf(validCopies())
	must.That(t, again == sound && sound.Count == 3, "%+v, and again %+v", sound, again)
	changes := map[string]func([]judged) []judged{
		"sequence":      func(c []judged) []judged { c[1].Sequence++; return c },
		"previous link": func(c []judged) []judged { c[1].Previous[31]++; return c },
		"skip link":     func(c []judged) []judged { c[1].Skip[31]++; return c },
		"body":          func(c []judged) []judged { c[1].Body[31]++; return c },
		"recorded hash": func(c []judged) []judged { c[1].Recorded[31]++; return c },
		"signature":     func(c []judged) []judged { c[1].Signature[63]++; return c },
		"key":           func(c []judged) []judged { c[1].key = &trust.Key{Public: trust.PublicKey{1, 1}}; return c },
		"key of one":    func(c []judged) []judged { c[1].key = c[2].key; return c },
		"order":         func(c []judged) []judged { c[0], c[1] = c[1], c[0]; return c },
		"one fewer":     func(c []judged) []judged { return c[:2] },
		"one twice":     func(c []judged) []judged { return append(c, c[2]) },
	}
	seen := map[Claims]string{sound: "nothing"}
	for name, change := range changes {
		c := claimsOf(change(validCopies()))
		other, ok := seen[c]
		check.That(t, !ok, "a change of %s and one of %s have the same digest", name, other)
		seen[c] = name
	}
	unpinnedOne := validCopies()
	unpinnedOne[1].owner = ofOtherNode
	c := claimsOf(unpinnedOne)
	check.That(t, c == (Claims{}), "claims of a copy that no pinned key can have signed: %+v", c)
}

// TestClaimsTellListsApart: whatever copies have in common and is therefore not
// written, two lists give the same digest only if they are the same.
func TestClaimsTellListsApart(t *testing.T) {
	keys := []trust.Key{{Public: trust.PublicKey{1}}, {Public: trust.PublicKey{2}}, {Public: trust.PublicKey{1}}}
	few := rapid.IntRange(0, 1)
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) judged {
		hash := func(name string) chain.Hash { return chain.Hash{byte(few.Draw(t, name))} }
		j := judged{owner: pinned, key: &keys[rapid.IntRange(0, 2).Draw(t, "key")]}
		j.Sequence, j.Previous, j.Skip = uint64(rapid.IntRange(0, 2).Draw(t, "sequence")), hash("previous"), hash("skip")
		j.Body, j.Recorded, j.Signature[0] = hash("body"), hash("recorded"), hash("signature")[0]
		return j
	}), 0, 3)
	spelt := func(copies []judged) (all string) {
		for _, j := range copies {
			all += fmt.Sprintln(j.Sequence, j.Previous, j.Skip, j.Body, j.Recorded, j.Signature, j.key.Public)
		}
		return all
	}
	seen := map[chain.Hash]string{}
	rapid.Check(t, func(t *rapid.T) {
		copies := list.Draw(t, "copies")
		digest, says := claimsOf(copies).SHA256, spelt(copies)
		other, ok := seen[digest]
		must.That(t, !ok || other == says, "one digest of\n%s\nand\n%s", other, says)
		seen[digest] = says
		if len(copies) == 0 {
			return
		}
		at := rapid.IntRange(0, len(copies)-1).Draw(t, "at")
		for name, flip := range map[string]func(*judged){
			"sequence": func(j *judged) { j.Sequence ^= 1 }, "previous": func(j *judged) { j.Previous[0] ^= 1 },
			"skip": func(j *judged) { j.Skip[0] ^= 1 }, "body": func(j *judged) { j.Body[0] ^= 1 },
			"recorded": func(j *judged) { j.Recorded[0] ^= 1 }, "signature": func(j *judged) { j.Signature[0] ^= 1 },
			"key": func(j *judged) { j.key = &trust.Key{Public: trust.PublicKey{j.key.Public[0] ^ 3}} },
		} {
			changed := slices.Clone(copies)
			if flip(&changed[at]); claimsOf(changed).SHA256 == digest {
				t.Fatalf("another %s of copy %d makes no difference to\n%s", name, at, says)
			}
		}
	})
}

// TestClaimsOfReports: each of the three parts counts, and a report is no event.
func TestClaimsOfReports(t *testing.T) {
	signature := [64]byte{7}
	one := claim{chain.Hash{1}, &trust.Key{Public: trust.PublicKey{2}}, &signature}
	otherHash, otherKey, otherSignature := one, one, one
	otherHash.hash[3]++
	otherKey.key = &trust.Key{Public: trust.PublicKey{3}}
	altered := signature
	altered[63]++
	otherSignature.signature = &altered
	seen := map[Claims]bool{claimsOf(nil): true}
	for _, list := range [][]claim{{}, {one}, {one, one}, {otherHash}, {otherKey}, {otherSignature}} {
		c := claimsTogether(list)
		check.That(t, !seen[c] && c.Count == len(list), "%+v: %+v", list, c)
		seen[c] = true
	}
}

// TestLostTables: a key that lost its tables is as good as before.
func TestLostTables(t *testing.T) {
	stream, keys := chance.New(9).Stream("keys"), map[string]ed25519.PrivateKey{}
	for _, id := range []string{"berlin", "oslo", "oslo/2"} {
		keys[id] = stream.Ed25519()
	}
	s := newSignatures(nil)
	s.keys = eddsa.NewKeys(1 << 20)
	for _, id := range []string{"berlin", "oslo", "oslo/2", "berlin"} {
		r := &scratch{}
		for i := range 200 {
			hash := chain.Hash{byte(i)}
			signature := [64]byte(ed25519.Sign(keys[id], seal.PAE(event.Protocol, hash[:])))
			key := &trust.Key{Public: trust.PublicKey(keys[id].Public().(ed25519.PublicKey))}
			r.claims = append(r.claims, claim{hash, key, &signature})
		}
		r.claims[77].hash[5]++
		if _, err := s.verifyClaims(r); err != nil { // the idle key gives way to the next call
			t.Fatal(err)
		}
		valid, err := s.verifyClaims(r)
		must.That(t, err == nil && !valid[77] && slices.Index(valid[78:], false) < 0 && slices.Index(valid, false) == 77,
			"under %s: %v, %v", id, valid, err)
	}
}

// TestFindingsAreBounded: findings beyond the bound are counted by their codes, and
// count for the verdict as the listed ones do: no more, and no less.
func TestFindingsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		code  finding.Code // of those beyond the bound
		worst finding.Effect
	}{
		"notes alone":                {finding.TimeRegression, finding.None},
		"what rejects is not listed": {finding.HashMismatch, finding.Rejects},
	} {
		n := newNotes()
		for i := range uint64(mostFindings) {
			n.addFault(finding.Finding{Code: finding.TimeRegression, Sequence: 2*i + 1, LastSequence: 2*i + 1})
		}
		for i := range uint64(50) {
			n.addFault(finding.Finding{Code: c.code, Sequence: 30_000 + 2*i, LastSequence: 30_000 + 2*i})
		}
		all := n.allFindings(facts.Log{TenantID: "acme-corp", LogID: "node/berlin"})
		if len(all) != mostFindings+1 || !slices.ContainsFunc(all, func(f finding.Finding) bool {
			return f.Code == c.code && f.Sequence == 0 && f.Found == "50 more of this kind"
		}) || n.worst != c.worst {
			t.Errorf("%s: %d findings, %s", name, len(all), n.worst)
		}
	}
}

// TestNotesOfOneKey: reports under a key that is not pinned are one finding for
// each key, however many and wherever they are; other defects are not drawn
// together across events that do not have them.
func TestNotesOfOneKey(t *testing.T) {
	n, log := newNotes(), facts.Log{TenantID: "acme-corp", LogID: "tenant/acme-corp"}
	add := func(code finding.Code, sequence uint64, found string) {
		f := n.addFault(finding.Finding{Code: code, Sequence: sequence, LastSequence: sequence, Found: found})
		if f != nil {
			f.Evidence = append(f.Evidence, finding.Evidence{})
		}
	}
	for i := uint64(1); i <= 40; i++ {
		add(finding.ReportKeyUnknown, 10*i, "key oslo/2")
		add(finding.SignatureInvalid, 10*i, "x")
	}
	add(finding.ReportKeyUnknown, 500, "key paris/2")
	var got []string
	for _, f := range n.allFindings(log) {
		if f.Code == finding.ReportKeyUnknown {
			got = append(got, fmt.Sprintf("%d-%d %s", f.Sequence, f.LastSequence, f.Found))
		}
		check.That(t, len(f.Evidence) <= mostEvidence, "%d places", len(f.Evidence))
	}
	want := []string{"10-400 key oslo/2, on 40 events of these", "500-500 key paris/2"}
	check.That(t, slices.Equal(got, want) && len(n.findings) == 42, "%d findings, %q", len(n.findings), got)
}
