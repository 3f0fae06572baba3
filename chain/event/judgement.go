package event

import "github.com/svc-edge/svc-verify/chain"

// Signed records for which of an event's two hashes its signature holds, under the pinned key
// of its log's owner that it names (SPEC 3.3, 4.2).
type Signed uint8

// The values of Signed.
const (
	Unjudged     Signed = iota // the event was not judged
	Neither                    // for neither, or there is no such key
	OverContent                // for the hash that the content gives
	OverRecorded               // only for the hash that is written in it
)

// Judgement is the result of examining an event by itself, under a trust file. A reader of a
// judged event relies on it: neither the hash is computed again nor the signature verified,
// and neither the digest of the body nor the signature need be there.
type Judgement struct {
	Computed chain.Hash // the hash that the content gives; zero if it is not known and nothing was judged
	Signed   Signed
}

// Judged reports whether there is a judgement.
func (j *Judgement) Judged() bool { return j.Signed != Unjudged }

// ContentHash returns the hash that the content of the event gives.
func (h *Header) ContentHash() chain.Hash {
	if h.Judged() || h.Computed != (chain.Hash{}) {
		return h.Computed
	}
	return h.Link.Hash()
}

// Intact reports whether the content gives the hash that is written in the event.
func (h *Header) Intact() bool { return h.ContentHash() == h.Recorded }

// Valid reports whether the event was judged, and nothing is wrong with it by itself:
// it is intact, and its log's owner signed it.
func (h *Header) Valid() bool { return h.Signed == OverContent && h.Computed == h.Recorded }
