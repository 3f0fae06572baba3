package walk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// judgeKnown judges copies, unless the very same ones, under the same keys, were
// found to be valid earlier: then they are known to be.
func (g *judge) judgeKnown(ctx context.Context, copies []judged) error {
	g.identifyAll(g.log, copies)
	if countJudged(copies) > 0 {
		return g.verifyCopies(copies)
	}
	claims := claimsOf(copies)
	known, err := g.signatures.areKnown(ctx, claims)
	if err != nil {
		return err
	}
	if known {
		for i := range copies {
			copies[i].Judgement = event.Judgement{Computed: copies[i].Recorded, Signed: event.OverContent}
		}
		return nil
	}
	if err := g.verifyCopies(copies); err != nil {
		return err
	}
	for i := range copies {
		if !copies[i].Valid() {
			return nil
		}
	}
	return g.signatures.keepClaims(ctx, claims)
}

// countJudged returns how many of the copies were judged.
func countJudged(copies []judged) (n int) {
	for i := range copies {
		if copies[i].Judged() {
			n++
		}
	}
	return n
}

// claimsDomain begins the input of the digest of events' claims.
const claimsDomain = "svc-verify: runs of events and keys\n"

// claimsOf returns the claims that all copies are valid. There are none if one
// copy is not of a pinned key, since it cannot be. The digest is over sequence,
// links, body digest or hash of the content, recorded hash, signature and key of every
// copy.
func claimsOf(copies []judged) Claims {
	const size = 4 << 10 // enough that digesting it goes at full speed
	h := sha256.New()
	b := append(make([]byte, 0, size+512), claimsDomain...)
	for i := range copies {
		if copies[i].owner != pinned {
			return Claims{}
		}
		if b = appendClaim(b, copies[:i+1]); len(b) >= size {
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(b)
	return Claims{chain.Hash(h.Sum(nil)), len(copies)}
}

// What a copy has in common with the one ahead of it, or within itself, in
// which case it is not written: in a sound log that is a third of all.
const (
	nextSequence  = 1 << iota // the sequence is one more
	linksRecorded             // the previous link is the hash recorded there
	sameKey                   // the key is the same
	skipsOne                  // the skip link is the previous link
	computed                  // the hash of the content is there in place of the digest of the body
)

// appendClaim appends everything that decides whether the last of the copies is
// valid. No two lists of copies give the same bytes.
func appendClaim(b []byte, copies []judged) []byte {
	at := len(b)
	b = append(b, 0)
	j, common := &copies[len(copies)-1], byte(0)
	if n := len(copies); n > 1 {
		common = j.common(&copies[n-2])
	}
	if common&nextSequence == 0 {
		b = binary.BigEndian.AppendUint64(b, j.Sequence)
	}
	if common&linksRecorded == 0 {
		b = append(b, j.Previous[:]...)
	}
	if common&sameKey == 0 {
		b = append(b, j.key.Public[:]...)
	}
	if j.Skip == j.Previous {
		common |= skipsOne
	} else {
		b = append(b, j.Skip[:]...)
	}
	if j.Computed == (chain.Hash{}) {
		b = append(b, j.Body[:]...)
	} else {
		common |= computed
		b = append(b, j.Computed[:]...)
	}
	b[at] = common
	b = append(b, j.Recorded[:]...)
	return append(b, j.Signature[:]...)
}

// common returns what a copy has in common with the one ahead of it.
func (j *judged) common(ahead *judged) (common byte) {
	if j.Sequence == ahead.Sequence+1 {
		common |= nextSequence
	}
	if j.Previous == ahead.Recorded {
		common |= linksRecorded
	}
	if j.key == ahead.key || j.key.Public == ahead.key.Public {
		common |= sameKey
	}
	return common
}
