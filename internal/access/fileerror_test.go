package access_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/check"
)

func TestWithoutPath(t *testing.T) {
	at := &fs.PathError{Op: "open", Path: "evil\x1b[2J", Err: fs.ErrPermission}
	for _, err := range []error{at, fmt.Errorf("reading: %w", at)} {
		if got := access.WithoutPath(err); got != fs.ErrPermission {
			t.Errorf("%q is %q", err, got)
		}
	}
	other := errors.New("something else")
	if got := access.WithoutPath(other); got != other {
		t.Errorf("%q is %q", other, got)
	}
	check.That(t, access.WithoutPath(nil) == nil, "no error is one")
}
