package confined

import (
	"errors"
	"io"
	"os"
)

// handsOver reports that a descriptor can be sent to a child.
const handsOver = false

// parentLink is the parent's end of the standard input of a child.
type parentLink struct{ *os.File }

// newLink makes a link, and returns the child's end of it.
func newLink() (ours parentLink, theirs *os.File, err error) {
	r, w, err := os.Pipe()
	return parentLink{w}, r, err
}

// nameOfPipe returns the name by which the child knows its end.
func nameOfPipe(*os.File) string { return "pipe" }

// isPipe reports whether standard input is a pipe.
func isPipe(string) bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// sendFile is not called.
func (parentLink) sendFile([]byte, *os.File) error { return errors.ErrUnsupported }

// receiveJob waits for the next request.
func receiveJob() (job, error) {
	b := make([]byte, requestSize)
	if _, err := io.ReadFull(os.Stdin, b); err != nil {
		return job{}, err
	}
	return receiveInline(decodeRequest(b), os.Stdin)
}
