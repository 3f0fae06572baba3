package part

import (
	"crypto/cipher"
	"io"

	"github.com/svc-edge/svc-verify/chain"
)

// File is a part that was opened. It is a [Content].
type File struct {
	from   io.ReaderAt
	close  func() error
	size   int64
	seal   cipher.AEAD // of which only the authentication is used
	digest chain.Hash
	mac    MAC

	header   Header
	x        known
	unread   []Unread
	frames   [ofBatches + 1][]frame // of rows that are of no log
	logs     []logFrames
	sequence uint32 // of the frame that was found last
}

// logFrames are the frames of a log.
type logFrames struct{ copies, statements []frame }

// frame is where the content of a frame stands, and what it was when the digest of the
// part was verified. Whatever is read later must be the same.
type frame struct {
	at     int64
	first  uint64 // the sequence of its first record, if it has those of a log
	last   uint64 // the sequence of its last copy, if it has those
	size   uint32
	number uint32
	tag    [16]byte
}
