package confined

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// Kind is the kind of a message of a child, or of the item that it is.
type Kind byte

// The kinds. A member's content is read from the job, and End has its status; a lost one has
// none.
const (
	isReady Kind = 'c' // the child is ready; the text is its wall
	Member  Kind = 'm' // a member begins; the text is its name
	isData  Kind = 'd' // content of the member
	End     Kind = 'e' // the member ends, with a status and the library's message
	Lost    Kind = 'x' // a member that cannot be read at all; the text is its name, and End follows
	Link    Kind = 'l' // a member that is a link or device; the text is its name
	Table   Kind = 't' // a table begins; the text is its name
	Row     Kind = 'r' // a row, as the text of a JSON object
	Note    Kind = 'n' // a status of the table, and the library's message
	Final   Kind = 'f' // the file ends, with a status and the library's message
)

// Status describes how a file, a member or a table ended.
type Status byte

// The statuses.
const (
	Whole     Status = 'w'
	Damaged   Status = 'd'
	Truncated Status = 't'
	Unknown   Status = 'u' // a method that the library does not have, or encryption
	TooLarge  Status = 'l'
	Behind    Status = 'b' // of a note: data follows the end of the archive; the text is where
)

// Fault is an error with a status other than Whole.
type Fault struct {
	Status Status
	Text   string // in the words of a library; hostile
}

func (f *Fault) Error() string { return f.Text }

// statusOf returns the status of an error of a library, and its text.
func statusOf(err error) (Status, string) {
	fault := (*Fault)(nil)
	switch {
	case err == nil:
		return Whole, ""
	case errors.As(err, &fault):
		return fault.Status, fault.Text
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Truncated, err.Error()
	}
	return Damaged, err.Error()
}

// headSize is the size of the head of a message: its kind, and the length of its text.
const headSize = 5

// appendHead appends the head of a message with a text of so many bytes.
func appendHead(b []byte, k Kind, size int) []byte {
	return binary.LittleEndian.AppendUint32(append(b, byte(k)), uint32(min(size, math.MaxInt32)))
}

// request describes the data that a child must decode.
type request struct {
	format byte // the place in decoders
	inline bool // the bytes follow, and no descriptor comes along
	size   int64
	most   int64 // members
}

const requestSize = 24

func (r request) encode() []byte {
	b := make([]byte, requestSize)
	b[0] = r.format
	if r.inline {
		b[1] = 1
	}
	binary.LittleEndian.PutUint64(b[8:], uint64(r.size))
	binary.LittleEndian.PutUint64(b[16:], uint64(r.most))
	return b
}

func decodeRequest(b []byte) request {
	return request{format: b[0], inline: b[1] == 1, size: int64(binary.LittleEndian.Uint64(b[8:])),
		most: int64(binary.LittleEndian.Uint64(b[16:]))}
}
