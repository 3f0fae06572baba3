package part

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// magic begins each part (SPEC 19.3).
const magic = "svc-verify/part/v1\n"

// ending ends each part, behind the digest and the MAC.
const ending = "\nsvc-part\n"

// trailerSize is the size of the bytes after the digested ones.
const trailerSize = 2*sha256.Size + len(ending)

// kind describes the content of a frame. Frames are in the order of their kinds, except that
// frames of copies and statements follow their log.
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
	maxText  = block.MaxText
	maxFacts = 64 << 20 // of the texts of a document or a statement
	maxFrame = block.MaxContent

	// rowBlock is with how many bytes a block of rows is full. The row that fills
	// it is its last one.
	rowBlock = 32 << 10
)
