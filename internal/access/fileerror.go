package access

import (
	"errors"
	"io/fs"
)

// WithoutPath takes the path off an error about a file. The caller shows the path beside the
// error, quoted.
func WithoutPath(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
