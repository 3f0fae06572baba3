package walk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/svc-edge/svc-verify/chain"
)

// judgeKnown judges copies, unless the very same ones, under the same keys, were
// found to be valid earlier: then they are known to be.
func (w *walker) judgeKnown(ctx context.Context, log Log, copies []judged) error {
	w.identifyAll(log, copies)
	claims := claimsOf(copies)
	known, err := w.signatures.known(ctx, claims)
	if err != nil {
		return err
	}
	if known {
		for i := range copies {
			copies[i].computed, copies[i].signed = copies[i].Recorded, overContent
		}
		return nil
	}
	if err := w.verify(copies); err != nil {
		return err
	}
	for i := range copies {
		if !copies[i].valid() {
			return nil
		}
	}
	return w.signatures.keep(ctx, claims)
}

// claimsDomain begins what the digest of events' claims is of.
const claimsDomain = "svc-verify: events and keys\n"

// claimsOf returns the claims that all copies are valid. There are none if one
// copy is not of a pinned key, since it cannot be. The digest is over sequence,
// links, body digest, recorded hash and signature of every copy, and over the
// key wherever it is another than before.
func claimsOf(copies []judged) Claims {
	h := sha256.New()
	h.Write([]byte(claimsDomain))
	b := make([]byte, 0, 512)
	for i := range copies {
		j := &copies[i]
		if j.owner != pinned {
			return Claims{}
		}
		if b = append(b[:0], 0); i == 0 || j.key.Public != copies[i-1].key.Public {
			b = append(append(b[:0], 1), j.key.Public[:]...)
		}
		h.Write(j.append(b))
	}
	return Claims{sum(h), len(copies)}
}

// append appends everything that decides whether a copy is valid, but the key.
func (j *judged) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, j.Sequence)
	b = append(append(append(append(b, j.Previous[:]...), j.Skip[:]...), j.Body[:]...), j.Recorded[:]...)
	return append(b, j.Signature[:]...)
}

func sum(h hash.Hash) (d chain.Hash) {
	h.Sum(d[:0])
	return d
}

// identifyAll looks up the keys of copies, which are seldom other ones than
// before.
func (w *walker) identifyAll(log Log, copies []judged) {
	for i := range copies {
		if i > 0 && copies[i].KeyID == copies[i-1].KeyID {
			copies[i].owner, copies[i].key = copies[i-1].owner, copies[i-1].key
			continue
		}
		w.identify(log, &copies[i])
	}
}

// verify holds every copy against its own hash and its key: against the hash
// that the content gives, and else the one that is written in it.
func (w *walker) verify(copies []judged) error {
	for i := range copies {
		copies[i].computed = copies[i].Link.Hash()
	}
	content := func(j *judged) (chain.Hash, bool) { return j.computed, true }
	if err := w.verifySignatures(copies, overContent, content); err != nil {
		return err
	}
	recorded := func(j *judged) (chain.Hash, bool) { return j.Recorded, !j.intact() && j.signed == neither }
	return w.verifySignatures(copies, overRecorded, recorded)
}

// verifySignatures marks the copies whose signature holds for the hash that is
// asked for.
func (w *walker) verifySignatures(copies []judged, mark signedHash, asked func(*judged) (chain.Hash, bool)) error {
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	r.claims, r.at = r.claims[:0], r.at[:0]
	for i := range copies {
		j := &copies[i]
		if hash, ok := asked(j); ok && j.owner == pinned {
			r.claims = append(r.claims, claim{hash, j.key, &j.Signature})
			r.at = append(r.at, i)
		}
	}
	if len(r.claims) == 0 {
		return nil
	}
	valid, err := w.signatures.verify(r)
	if err != nil {
		return err
	}
	for i, ok := range valid {
		if ok {
			copies[r.at[i]].signed = mark
		}
	}
	return nil
}
