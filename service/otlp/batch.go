package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Limits of a batch. One event may have as many octets (SPEC 1.6), so that each
// fits.
const (
	maxBatchEvents = 64
	maxBatchBytes  = 1 << 20 // of the events
)

// batch is a run of the journal, SPEC 9.2.
type batch struct {
	id          string
	first, last uint64
	lastHash    string // of the event at last
	records     []record
}

// newBatch makes a batch of the first of these lines, which are those of a log
// after a sequence: as many as fit, and at least one.
func newBatch(logID string, after uint64, lines [][]byte) (*batch, error) {
	b := &batch{first: after + 1, last: after}
	digest := sha256.New()
	digest.Write([]byte("svc.audit-batch.v1\x00" + logID + "\x00"))
	size := 0
	for _, line := range lines {
		if size += len(line); size > maxBatchBytes && len(b.records) > 0 {
			break
		}
		hash, err := b.add(logID, line)
		if err != nil {
			return nil, fmt.Errorf("the journal, event %d: %w", b.last+1, err)
		}
		digest.Write(hash[:])
	}
	b.id = hex.EncodeToString(digest.Sum(nil))
	return b, nil
}

// add adds the next event, and returns its hash.
func (b *batch) add(logID string, line []byte) (hash seal.Hash, err error) {
	event, err := seal.Parse(line)
	if err != nil {
		return hash, err
	}
	body := seal.Member(event, "body")
	if id, n := seal.Text(body, "log_id"), seal.Integer(body, "sequence"); id != logID ||
		n != int64(b.last+1) { //nolint:gosec // below 2^53
		return hash, fmt.Errorf("found event %d of %q", n, id)
	}
	at, err := seal.ParseTime(seal.Text(body, "occurred_at"))
	if err != nil {
		return hash, err
	}
	b.lastHash = seal.Text(event, "hash")
	b.last++
	b.records = append(b.records, record{line, seal.Text(body, "type"), at})
	return seal.ParseHash(b.lastHash)
}
