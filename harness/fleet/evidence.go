package fleet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness"
)

// Evidence contains the files that a fleet left, and the keys to forge them with:
//
//	trust.json                                the trust file
//	tenant.ndjson                             the tenant log
//	journals/<node id>.ndjson                 the nodes' journals
//	bundles/svc-evidence-<transaction>.json   the proofs that were handed out
//	certificates/<transaction>.pem            leaf and issuer of each proof
//	checkpoints.ndjson                        every checkpoint, one a line
//	cursors/<node id>.ndjson                  the nodes' export cursors
//	stores/<store>/…                          the dumps
type Evidence struct {
	Scene   *harness.Scene
	Batches []Batch         // of all nodes, in the order in which they were made
	Files   map[string]File // by path, with slashes
}

// File is one file of the evidence.
type File struct {
	Mode   fs.FileMode // of a regular file its permissions; else fs.ModeSymlink or fs.ModeNamedPipe
	Target string      // of a symbolic link

	content func(io.Writer) error
}

// Bytes is a regular file with this content, which must not be changed later.
func Bytes(content []byte) File {
	return File{Mode: 0o644, content: func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}}
}

// Clone returns a copy of the evidence whose files can be replaced.
func (e *Evidence) Clone() *Evidence {
	clone := *e
	clone.Files = maps.Clone(e.Files)
	return &clone
}

// Names returns the paths of the files that are one of these paths or below
// one, ascending; all of them if none is given.
func (e *Evidence) Names(paths ...string) []string {
	names := slices.Sorted(maps.Keys(e.Files))
	return slices.DeleteFunc(names, func(name string) bool {
		return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool {
			return name == path || strings.HasPrefix(name, path+"/")
		})
	})
}

// Content returns the content of a regular file.
func (e *Evidence) Content(name string) ([]byte, error) {
	file, ok := e.Files[name]
	if !ok || file.content == nil {
		return nil, fmt.Errorf("the evidence has no regular file %s", name)
	}
	return file.Bytes()
}

// Bytes returns the content of a regular file.
func (f File) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := f.content(&b)
	return b.Bytes(), err
}

// Write writes the files that [Evidence.Names] names below a directory. Files
// of the same names are replaced, others are left alone.
func (e *Evidence) Write(dir string, paths ...string) error {
	for _, name := range e.Names(paths...) {
		if err := e.Files[name].write(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

func (f File) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch {
	case f.Mode&fs.ModeSymlink != 0:
		return os.Symlink(filepath.FromSlash(f.Target), path)
	case f.Mode&fs.ModeNamedPipe != 0:
		return makePipe(path)
	}
	return f.writeRegular(path)
}

func (f File) writeRegular(path string) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.Mode.Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	return errors.Join(f.content(w), w.Flush())
}
