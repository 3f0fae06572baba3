package node

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// journal is the log of a node, and the key that signs it.
type journal struct {
	id     string
	key    seal.Key
	clock  chance.Clock
	stream *chance.Stream // salts
	keep   func(event seal.Object)
	log    *seal.Log
	head   seal.Object   // the newest event
	events []seal.Object // of a node that New made
}

// ID is the node's identifier.
func (j *journal) ID() string { return j.id }

// Key is the key that the node signs with now.
func (j *journal) Key() seal.Key { return j.key }

// Journal is every event of the node so far, from sequence 1, if New made it.
func (j *journal) Journal() []seal.Object { return j.events }

// Sequence is the sequence of the journal's newest event, 0 if there is none.
func (j *journal) Sequence() uint64 { return j.log.Sequence() }

// Head is the hash of the journal's newest event, or of its genesis.
func (j *journal) Head() seal.Hash { return j.log.Head() }

// Report is the link of the node's newest event and the node's own signature
// of it: the data of a node.reported event, SPEC 4.4. It fails while the journal
// is empty.
func (j *journal) Report() (seal.Object, error) {
	if j.head == nil {
		return nil, fmt.Errorf("node %s: the journal is empty", j.id)
	}
	link := j.log.Link(j.log.Sequence())
	return seal.Object{
		"node_id":        j.id,
		"audit_sequence": int64(link.Sequence),
		"audit_head":     link.Hash().String(),
		"previous_hash":  link.Previous.String(),
		"skip_hash":      link.Skip.String(),
		"body_sha256":    link.Body.String(),
		"key_id":         j.head["key_id"],
		"signature":      j.head["signature"],
	}, nil
}

// Note appends an event to the journal; the transaction's id is empty if it is
// about none.
func (j *journal) Note(eventType, transactionID string, data seal.Object) {
	j.head = j.log.Append(seal.Entry{
		Type:          eventType,
		TransactionID: transactionID,
		OccurredAt:    j.clock.Next(),
		Salt:          j.stream.Salt(),
		Data:          data,
	}, j.key)
	j.keep(j.head)
}
