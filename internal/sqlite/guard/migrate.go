package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Migrate brings an open file to the present schema.
func (k *Kind) Migrate(c *sqlite.Conn) error { return k.migrateTo(c, k.Steps) }

// migrateTo brings an open file to the schema that steps make.
func (k *Kind) migrateTo(c *sqlite.Conn, steps []string) error {
	version, err := c.Number("PRAGMA user_version")
	if err != nil {
		return err
	}
	latest := k.Earlier + len(steps)
	if int(version) > latest {
		return fmt.Errorf("the %s has schema version %d, and this program knows no later one than %d",
			k.Name, version, latest)
	}
	for i := max(int(version)-k.Earlier, 0); i < len(steps); i++ {
		number := k.Earlier + i + 1
		step := fmt.Sprintf("BEGIN IMMEDIATE;\n%s;\nPRAGMA user_version = %d;\nCOMMIT", steps[i], number)
		if err := c.Exec(step); err != nil {
			return errors.Join(fmt.Errorf("schema version %d: %w", number, err), c.Rollback())
		}
	}
	return nil
}

// Create makes an empty file under another name first, so that whatever has the
// file's own name is known by its header. The functions fill it first.
func (k *Kind) Create(path string, fill ...func(*sqlite.Conn) error) (err error) {
	f, err := Temporary(path)
	if err != nil {
		return err
	}
	name := f.Name()
	defer os.Remove(name)
	if err := f.Close(); err != nil {
		return err
	}
	c, err := sqlite.Open(name, sqlite.Create)
	if err != nil {
		return err
	}
	err = k.CreateIn(c)
	for i := 0; err == nil && i < len(fill); i++ { // after a fault it fails too, and hides the cause
		err = fill[i](c)
	}
	if err := errors.Join(err, c.Close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// CreateIn makes an empty file by a connection that is to a new one.
func (k *Kind) CreateIn(c *sqlite.Conn) error {
	settings := fmt.Sprintf("PRAGMA page_size=%d; PRAGMA application_id=%d", k.PageSize, k.ApplicationID)
	return errors.Join(c.Exec(settings), k.Migrate(c))
}

// temporarySuffix follows the file's name in the names of files that do not outlive their
// process.
const temporarySuffix = ".svc-verify-temporary-"

// Temporary creates a file next to another one. The caller removes it; Sweep does if the
// caller was killed.
func Temporary(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), filepath.Base(path)+temporarySuffix+"*")
}

// Sweep removes the temporary files of a process that was killed. The caller
// holds the lock, so that no one uses them.
func Sweep(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+temporarySuffix) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}
