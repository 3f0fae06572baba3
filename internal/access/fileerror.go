package access

import (
	"errors"
	"io/fs"
)

// WithoutPath removes the path from an error about a file. The caller shows the path next to
// the error, quoted.
func WithoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
