// Package kv is an embedded secrets engine of the kind KV version 2
// (service/docs/secret-store.md). It is for demos and tests. Over HTTP it answers
// as Vault 1.14 does, in the part of its API that the adapter, its consumers and
// an administrator use; the tests compare both with one transcript. It protects
// nothing: secrets are unencrypted in its memory and its file.
//
// It refuses everything else: PATCH, lists, the settings of a record or a mount, and the
// making of tokens, which [Engine.Allow] does.
package kv

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/harness/pki"
)

// Config is what an engine works with.
type Config struct {
	// File keeps the secrets, whole and durable after each change, so that they
	// are there after a restart. Tokens are not kept. With "" memory alone does.
	File string
	// Mounts are the paths that secrets lie under, such as kv or team/kv.
	Mounts []string
	Log    *slog.Logger // nil for none; nothing of a token or secret is logged
}

// Engine is a secrets engine, an [http.Handler]. It may be used concurrently.
type Engine struct {
	file string
	log  *slog.Logger
	mux  *http.ServeMux

	mu     sync.Mutex // guards the fields below
	mounts map[string]mount
	tokens []bearer
	sealed bool
}

// mount is the records below a mount, by their paths. A record is never changed,
// but replaced by another one.
type mount map[string]*record

// bearer is what the holder of a token may do.
type bearer struct {
	digest [sha256.Size]byte
	rules  []Rule
}

// Open makes an engine, unsealed, with what its file keeps and no token. A file
// that is not there yet is an empty one.
func Open(c Config) (*Engine, error) {
	e := &Engine{file: c.File, log: c.Log, mounts: map[string]mount{}}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	for _, name := range c.Mounts {
		if err := e.addMount(name); err != nil {
			return nil, err
		}
	}
	if err := e.load(); err != nil {
		return nil, err
	}
	e.mux = http.NewServeMux()
	e.mux.HandleFunc("/v1/", e.serve)
	e.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { write(w, failure(http.StatusNotFound)) })
	return e, nil
}

// addMount adds an empty mount, which must be apart from all others and from
// what the engine serves itself.
func (e *Engine) addMount(name string) error {
	if !canonical(name) {
		return fmt.Errorf("mount %q: expected segments between single slashes", name)
	}
	for _, other := range append([]string{"sys", "auth"}, keys(e.mounts)...) {
		if strings.HasPrefix(name+"/", other+"/") || strings.HasPrefix(other+"/", name+"/") {
			return fmt.Errorf("mount %q: collides with %q", name, other)
		}
	}
	e.mounts[name] = mount{}
	return nil
}

// Allow binds a token to rules, and to no others that it was bound to before.
// Without a rule it may do nothing. Of the token only its SHA-256 is kept. The
// error says which rule is none.
func (e *Engine) Allow(token string, rules ...Rule) error {
	if token == "" {
		return errors.New("expected a token that is not empty")
	}
	for _, r := range rules {
		if err := r.check(); err != nil {
			return err
		}
	}
	given := bearer{sha256.Sum256([]byte(token)), rules}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.tokens {
		if e.tokens[i].digest == given.digest {
			e.tokens[i] = given
			return nil
		}
	}
	e.tokens = append(e.tokens, given)
	return nil
}

// rulesOf returns the rules of a token, and false if it is unknown. How long it
// takes says nothing of how near a guess is.
func (e *Engine) rulesOf(token string) ([]Rule, bool) {
	digest := sha256.Sum256([]byte(token))
	found := -1
	for i := range e.tokens {
		if subtle.ConstantTimeCompare(e.tokens[i].digest[:], digest[:]) == 1 {
			found = i
		}
	}
	if found < 0 {
		return nil, false
	}
	return e.tokens[found].rules, true
}

// Seal makes the engine refuse everything but questions after its state, as
// Vault does while it is sealed, or ends that.
func (e *Engine) Seal(sealed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sealed = sealed
}

// put replaces a record, or removes it with nil, on disk before in memory.
// After an error nothing has changed in memory, but the file may have.
func (e *Engine) put(m mount, key string, r *record) error {
	old, there := m[key]
	if r == nil {
		delete(m, key)
	} else {
		m[key] = r
	}
	err := e.save()
	if err == nil {
		return nil
	}
	delete(m, key)
	if there {
		m[key] = old
	}
	return err
}

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
