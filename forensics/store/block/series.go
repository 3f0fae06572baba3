package block

import (
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// Series is a run of consecutive events of a log, one copy of each sequence, that differ in
// nothing that a reader has to examine one by one:
//
//   - The hash of each matches its content, and its signature holds for it, or was not
//     judged. All are under one key id.
//   - Each names the one before it. A skip link that names one of them names its hash.
//   - They arrived in the same containers with the same fidelity, each behind the one
//     before, and at most once in each share.
//
// It is valid until the next one is read.
type Series struct {
	First, Last uint64
	KeyID       string
	Back, Ahead int64     // how far a time is before and behind the one ahead of it at most, in milliseconds
	Begins      []Arrival // of the first copy
	Ends        []Arrival // of the last copy
	Held        bool      // its signatures were unjudged, and were found to hold

	block *SeriesBlock
	at    int // the first copy in the block
	older []chain.Older
}

// Hash returns the hash of the event of a sequence.
func (s *Series) Hash(sequence uint64) chain.Hash { return s.block.hash(s.index(sequence)) }

func (s *Series) index(sequence uint64) int { return s.at + int(sequence-s.First) }

// OccurredAt returns the time of an event, in milliseconds since 1970.
func (s *Series) OccurredAt(sequence uint64) int64 { return s.block.times[s.index(sequence)] }

// Judged reports whether it is known that the signatures hold.
func (s *Series) Judged() bool { return s.Held || !s.block.unjudged }

// Signature returns the signature of the copy of a sequence, of a series that is not judged.
func (s *Series) Signature(sequence uint64) *[event.SignatureSize]byte {
	return (*[event.SignatureSize]byte)(s.block.reader.kept.signatures[s.index(sequence)*event.SignatureSize:])
}

// Digest returns the digest of the copy of a sequence.
func (s *Series) Digest(sequence uint64) [DigestSize]byte {
	return [DigestSize]byte(s.block.digests[s.index(sequence)*DigestSize:][:DigestSize])
}

// Older returns the skip links of the series that name events below it, ascending.
func (s *Series) Older() []chain.Older { return s.older }

// Typed returns the sequences of the events of a type, ascending.
func (s *Series) Typed(eventType string) (all []uint64) {
	wanted := slices.Index(s.block.reader.types.all, eventType)
	if wanted < 0 {
		return nil
	}
	for i, n := range s.block.types[s.at : s.index(s.Last)+1] {
		if n == uint64(wanted) {
			all = append(all, s.First+uint64(i))
		}
	}
	return all
}

// Copy sets c to the copy of a sequence, without its size and its arrivals.
func (s *Series) Copy(sequence uint64, c *Copy) {
	i, b := s.index(sequence), s.block
	h := b.hash(i)
	*c = Copy{Digest: s.Digest(sequence)}
	c.Link = chain.Link{Sequence: sequence, Previous: b.previous(i), Skip: b.skip(i)}
	c.Recorded, c.Computed, c.Signed = h, h, event.OverContent
	if !s.Judged() {
		c.Signed = event.Unjudged
	}
	if b.reader.kept != nil {
		c.Signature = *s.Signature(sequence)
	}
	c.KeyID, c.Type, c.OccurredAt = s.KeyID, b.reader.types.all[b.types[i]], b.times[i]
}

// Observed calls f with the time of each event in milliseconds, and the time of the
// observation of its first arrival in nanoseconds, until f returns false. It returns whether f
// never did.
func (s *Series) Observed(f func(occurred, observed int64) bool) bool {
	for i := s.at; i <= s.index(s.Last); i++ {
		if !f(s.block.times[i], s.block.observed[i]) {
			return false
		}
	}
	return true
}
