package walk

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"testing"

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

// TestClaimsOfCopies: copies have claims only if each gives its own hash under a pinned key.
func TestClaimsOfCopies(t *testing.T) {
	sound := func() []judged {
		copies := make([]judged, 3)
		for i := range copies {
			j := &copies[i]
			j.owner, j.key, j.Sequence = pinned, &trust.Key{Public: trust.PublicKey{byte(i)}}, uint64(i)
			j.Recorded = j.Link.Hash()
		}
		return copies
	}
	check.Equal(t, claimsOf(sound()).Count, 3, "claims of sound copies")
	for name, change := range map[string]func(*judged){
		"another node's key": func(j *judged) { j.owner = ofOtherNode },
		"another body":       func(j *judged) { j.Body[31]++ },
		"another hash":       func(j *judged) { j.Recorded[31]++ },
	} {
		copies := sound()
		change(&copies[1])
		check.Equal(t, claimsOf(copies), Claims{}, "claims of a copy with %s", name)
	}
}

// TestClaimsCoverEverything: each of the three parts counts, and so do order and number.
func TestClaimsCoverEverything(t *testing.T) {
	signature := [64]byte{7}
	one := claim{chain.Hash{1}, &trust.Key{Public: trust.PublicKey{2}}, &signature}
	otherHash, otherKey, otherSignature := one, one, one
	otherHash.hash[3]++
	otherKey.key = &trust.Key{Public: trust.PublicKey{3}}
	altered := signature
	altered[63]++
	otherSignature.signature = &altered
	seen := map[Claims]bool{}
	for _, list := range [][]claim{{}, {one}, {one, one}, {otherHash}, {otherKey}, {otherSignature},
		{one, otherHash}, {otherHash, one}} {
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
		merged := newNotes()
		merged.merge(n)
		check.That(t, merged.worst == n.worst && merged.blame == n.blame, "%s: %s of one of several", name, merged.worst)
		all := merged.allFindings(facts.Log{TenantID: "acme-corp", LogID: "node/berlin"})
		check.That(t, len(all) == mostFindings+1 && slices.ContainsFunc(all, func(f finding.Finding) bool {
			return f.Code == c.code && f.Sequence == 0 && f.Found == "50 more of this kind"
		}) && n.worst == c.worst, "%s: %d findings, %s", name, len(all), n.worst)
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
