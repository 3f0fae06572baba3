package evidence

import (
	"errors"
	"os"

	"github.com/svc-edge/svc-verify/internal/access"
)

// OpenSource opens a source that a case names, and returns its size. A case can
// come from an attacker, so OpenSource opens only regular files, does not follow a
// link at the end of the path, and does not wait for a pipe.
func OpenSource(path string) (*os.File, int64, error) {
	f, err := access.OpenUnlinked(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}
