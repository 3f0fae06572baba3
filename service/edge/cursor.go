package edge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxCursor bounds a cursor file in bytes: a node id, a dot, a sequence and a
// newline.
const maxCursor = 128

// Cursor is how far a subscriber has come: the node, and the sequence of the
// last event that was looked at. The zero Cursor is before the oldest event
// that any node still keeps.
type Cursor struct {
	Node     string
	Sequence int64
}

// String writes the cursor as the node reads it: <node id>.<sequence>.
func (c Cursor) String() string { return c.Node + "." + strconv.FormatInt(c.Sequence, 10) }

// ParseCursor reads a cursor in the one form that String writes.
func ParseCursor(s string) (Cursor, error) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 || !form.Subject(s[:i]) {
		return Cursor{}, fmt.Errorf("expected a cursor such as mesh-oslo-1.42, found %s", safetext.Quote(s))
	}
	n, err := strconv.ParseInt(s[i+1:], 10, 64)
	if err != nil || n < 0 || n > form.MaxInt || strconv.FormatInt(n, 10) != s[i+1:] {
		return Cursor{}, fmt.Errorf("expected a cursor such as mesh-oslo-1.42, found %s", safetext.Quote(s))
	}
	return Cursor{s[:i], n}, nil
}

// ReadCursor reads a cursor file. A file that is not there holds the zero
// Cursor. Anything else is an error: it is unknown which events it stands
// for.
func ReadCursor(path string) (Cursor, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Cursor{}, nil
	}
	if err != nil {
		return Cursor{}, plain(path, err)
	}
	if !info.Mode().IsRegular() { // a link would be replaced, and not what it names
		return Cursor{}, fmt.Errorf("%s: expected a regular file, found %s", safetext.Quote(path), info.Mode().Type())
	}
	b, err := readFile(path, maxCursor)
	if err != nil {
		return Cursor{}, err
	}
	c, err := ParseCursor(strings.TrimSuffix(string(b), "\n"))
	if err != nil {
		return Cursor{}, fmt.Errorf("%s: %w", safetext.Quote(path), err)
	}
	return c, nil
}

// CheckCursorFile checks that a cursor can be put into a file, before an event is
// shown that could not be remembered.
func CheckCursorFile(path string) error {
	if err := access.Writable(path); err != nil {
		return plain(path, errors.Unwrap(err))
	}
	return nil
}

// WriteFile puts the cursor into a file: after a crash at any moment the file
// holds either the cursor before or this one, whole.
func (c Cursor) WriteFile(path string) error {
	f, err := access.OpenAside(path)
	if err == nil {
		defer f.Discard()
		_, err = io.WriteString(f, c.String()+"\n")
	}
	if err == nil {
		err = f.Commit()
	}
	if err == nil {
		err = access.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("moving the cursor: %w", plain(path, errors.Unwrap(err)))
	}
	return nil
}
