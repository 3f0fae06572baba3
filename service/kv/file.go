package kv

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/harness/pki"
)

// maxFile bounds what an engine keeps in its file, in bytes.
const maxFile = 64 << 20

// document is the file of an engine.
type document struct {
	Format string           `json:"format"`
	Mounts map[string]mount `json:"mounts"`
}

const format = "svc.kv-engine.v1"

// load takes up what the file keeps. A mount that is not configured is an error,
// so that nothing is lost by a mistake in a setting.
func (e *Engine) load() error {
	if e.file == "" {
		return nil
	}
	f, err := os.Open(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return err
	}
	// What the decoder says may quote a secret.
	var d document
	if len(b) > maxFile || json.Unmarshal(b, &d) != nil || d.Format != format {
		return fmt.Errorf("%s: expected a file of this engine, %s, of at most %d bytes", e.file, format, maxFile)
	}
	for name, records := range d.Mounts {
		if e.mounts[name] == nil {
			return fmt.Errorf("%s: it has a mount %q, which is not configured", e.file, name)
		}
		for path, r := range records {
			if r == nil || !canonical(path) {
				return fmt.Errorf("%s: mount %q: no record at %q", e.file, name, path)
			}
			if r.Versions == nil {
				r.Versions = map[int64]version{}
			}
			e.mounts[name][path] = r
		}
	}
	return nil
}

// save writes the file anew.
func (e *Engine) save() error {
	if e.file == "" {
		return nil
	}
	b, err := json.Marshal(document{format, e.mounts})
	if err != nil {
		return err
	}
	if len(b) > maxFile {
		return fmt.Errorf("expected at most %d bytes of secrets", maxFile)
	}
	return pki.WriteSecret(e.file, b)
}

// keys are the keys of a map, in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
