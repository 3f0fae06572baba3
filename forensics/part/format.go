package part

import (
	"crypto/sha256"
)

// magic begins each part (SPEC 19.3).
const magic = "svc-verify/part/v1\n"

// ending ends each part, behind the digest and the MAC.
const ending = "\nsvc-part\n"

// trailerSize is how much stands behind what the digest is over.
const trailerSize = 2*sha256.Size + len(ending)

// kind says what a frame holds. Frames are in the order of their kinds, but that
// those of copies and statements follow the log that they are of.
type kind uint8

const (
	ofHeader kind = 1 + iota
	ofShares
	ofUnread
	ofSkips
	ofDocuments
	ofLog
	ofCopies
	ofStatements
	ofBatches
)

func (k kind) String() string {
	return [...]string{"nothing", "the header", "shares", "unread paths", "skips", "documents", "a log", "copies",
		"statements", "batches"}[k]
}

// Limits of a part.
const (
	maxText     = 1 << 20   // of any text
	maxFacts    = 64 << 20  // of what a document or a statement says
	maxFrame    = 128 << 20 // of the content of a frame
	maxArrivals = 1 << 20   // of one copy

	// rowBlock is with how many octets a block of rows is full. The row that fills
	// it is its last one.
	rowBlock = 32 << 10

	// copyBlock is with what weight a block of copies is full.
	copyBlock = 128 << 10
)

// weight is how much a copy fills a block: about what it takes when little of it
// repeats.
func weight(c *Copy) int {
	w := 64 + len(c.KeyID) + len(c.Type)
	for i := range c.Arrivals {
		w += 16 + len(c.Arrivals[i].Batch)
	}
	return w
}
