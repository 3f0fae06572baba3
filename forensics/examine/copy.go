package examine

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/trust"
)

// Copy is a copy of a case of another person, for one check.
type Copy struct{ dir string }

// folder is the name of a private folder, with a unique part in place of the star.
const folder = "svc-verify-check-*"

// NewCopy makes a private folder for a case below a directory or, for "", below the
// directory for temporary files. The caller removes it.
func NewCopy(below string) (*Copy, error) {
	dir, err := os.MkdirTemp(below, folder) // only its owner can look into it
	return &Copy{dir}, err
}

// mostRemovals is how often files are removed while a check that was called off may
// still make some.
const mostRemovals = 3

// Remove removes the private folder with all that is in it. It may be called at any
// time, and more than once.
func (c *Copy) Remove() (err error) {
	for range mostRemovals {
		if err = os.RemoveAll(c.dir); err == nil {
			break
		}
	}
	return err
}

// Fill writes the bytes of a case into the copy. It is called once, and before Examine, which
// checks the copy like any case of another person, by its content alone: no file is opened
// that it names.
func (c *Copy) Fill(ctx context.Context, octets io.Reader) (err error) {
	defer func() { err = roomError(err) }()
	f, err := access.Create(c.casePath())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(f, octets, atOnce)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// atOnce is how many bytes of a case are copied at once.
const atOnce = 8 << 20

// Examine returns the verdict on the case under a trust file, as [Examine] does: when the
// context is done, the result lists the parts that were left out.
func (c *Copy) Examine(ctx context.Context, root *trust.Root, o Options) (*verdict.Result, error) {
	o.Case = []store.Option{store.Until(ctx), store.Alone()}
	result, err := Examine(ctx, c.casePath(), root, o)
	return result, roomError(err)
}

func (c *Copy) casePath() string { return filepath.Join(c.dir, "case.db") }
