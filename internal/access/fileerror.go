package access

import (
	"errors"
	"io/fs"
)

// WithoutPath takes the path off an error about a file. Whoever shows the error shows
// the path beside it, quoted.
func WithoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
