package edge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxFile bounds a file of keys or certificates in bytes.
const maxFile = 1 << 20

// readFile reads a regular file of at most limit bytes. What is opened is what
// is judged.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, limit)
}

// readPrivate reads a file that only its owner may use.
func readPrivate(name string) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := access.Check(f, access.Nothing); err != nil {
		return nil, fmt.Errorf("%s: expected a key that its owner alone may read, found %w", safetext.Quote(name),
			plain(name, err))
	}
	return readAll(f, maxFile)
}

// openRegular opens a regular file to read it.
func openRegular(name string) (*os.File, error) {
	f, err := access.OpenRegular(name)
	if err != nil {
		return nil, plain(name, err)
	}
	return f, nil
}

func readAll(f *os.File, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, plain(f.Name(), err)
	case int64(len(b)) > limit:
		return nil, fmt.Errorf("%s: expected at most %d bytes, found more", safetext.Quote(f.Name()), limit)
	}
	return b, nil
}

// plain returns the error of a file with its name quoted.
func plain(name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", safetext.Quote(name), err)
}
