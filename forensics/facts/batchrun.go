package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/svc-edge/svc-verify/chain"
)

const (
	// mostBatched is how many events a batch has at most (SPEC 9.2).
	mostBatched = 64

	// mostSearched bounds the search for a batch within a longer run, as there is one
	// where a collector wrote an id onto everything.
	mostSearched = 4096
)

// BatchRun is neighbouring events of one log that came under one batch id.
type BatchRun struct {
	logID  string
	all    hash.Hash
	size   int64
	hashes []chain.Hash // of the first of the events
}

// NewBatchRun returns a run without events.
func NewBatchRun(logID string) *BatchRun { return &BatchRun{logID: logID, all: beginBatch(logID)} }

// Add adds the recorded hash of the next event.
func (r *BatchRun) Add(recorded chain.Hash) {
	r.all.Write(recorded[:])
	r.size++
	if len(r.hashes) < mostSearched {
		r.hashes = append(r.hashes, recorded)
	}
}

// Genuine returns how many events of the run are the batch of an id (SPEC 9.2), 0 if none
// are, and whether they are the whole run. Later events may have come under
// the id of a batch too.
func (r *BatchRun) Genuine(id string) (events int64, whole bool) {
	if hex.EncodeToString(r.all.Sum(nil)) == id {
		return r.size, true
	}
	want, err := hex.DecodeString(id)
	if err != nil || len(want) != sha256.Size {
		return 0, false
	}
	var sum [sha256.Size]byte
	for first := range r.hashes {
		h := beginBatch(r.logID)
		for n, one := range r.hashes[first:min(len(r.hashes), first+mostBatched)] {
			h.Write(one[:])
			if bytes.Equal(h.Sum(sum[:0]), want) {
				return int64(n) + 1, false
			}
		}
	}
	return 0, false
}

// beginBatch begins the digest that is the id of a batch.
func beginBatch(logID string) hash.Hash {
	h := sha256.New()
	h.Write([]byte("svc.audit-batch.v1\x00" + logID + "\x00"))
	return h
}
