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
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/harness/pki"
)

// Config configures an engine.
type Config struct {
	// File keeps the secrets, whole and durable after each change, so that they
	// are there after a restart. Tokens are not kept. With "" memory alone does.
	File string
	// Mount is the path that secrets lie under, such as kv or team/kv.
	Mount string
	Log   *slog.Logger // may be nil; nothing of a token or secret is logged
}

// Engine is a secrets engine, an [http.Handler]. It may be used concurrently.
type Engine struct {
	file  string
	mount string
	log   *slog.Logger
	mux   *http.ServeMux

	mu      sync.Mutex // guards the fields below
	records records
	tokens  []bearer
	sealed  bool
}

// records are those below the mount, by their paths. A record is never changed,
// but replaced by another one.
type records map[string]*record

// bearer is a token's holder, with the rules for it.
type bearer struct {
	digest [sha256.Size]byte
	rules  []Rule
}

// Open makes an engine, unsealed, with the content of its file and no token. A file that is
// not there yet is an empty one.
func Open(c Config) (*Engine, error) {
	if first, _, _ := strings.Cut(c.Mount, "/"); !isCanonical(c.Mount) || first == "sys" || first == "auth" {
		return nil, fmt.Errorf("mount %q: expected segments between single slashes, not below sys or auth", c.Mount)
	}
	e := &Engine{file: c.File, mount: c.Mount, log: c.Log, records: records{}}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := e.load(); err != nil {
		return nil, err
	}
	e.mux = http.NewServeMux()
	e.mux.HandleFunc("/v1/", e.serve)
	e.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { writeAnswer(w, failWith(http.StatusNotFound)) })
	return e, nil
}

// Allow binds a token to rules, and to no others that it was bound to before. Without a rule
// it may do nothing. Of the token only its SHA-256 is kept. The error names the invalid rule.
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

// rulesOf returns the rules of a token, and false if it is unknown. Its duration does not
// reveal how near a guess is.
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
func (e *Engine) put(key string, r *record) error {
	before := e.records
	e.records = maps.Clone(before)
	if e.records[key] = r; r == nil {
		delete(e.records, key)
	}
	err := e.save()
	if err != nil {
		e.records = before
	}
	return err
}

// maxFile bounds the size of an engine's file, in bytes.
const maxFile = 64 << 20

// document is the file of an engine.
type document struct {
	Format string             `json:"format"`
	Mounts map[string]records `json:"mounts"` // one
}

const format = "svc.kv-engine.v1"

// load reads the content of the file. A mount that is not configured is an error, so that
// nothing is lost by a mistake in a setting.
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
	// The decoder's message may quote a secret.
	var d document
	if len(b) > maxFile || json.Unmarshal(b, &d) != nil || d.Format != format {
		return fmt.Errorf("%s: expected a file of this engine, %s, of at most %d bytes", e.file, format, maxFile)
	}
	for name, all := range d.Mounts {
		if name != e.mount {
			return fmt.Errorf("%s: it has a mount %q, which is not configured", e.file, name)
		}
		for path, r := range all {
			if r == nil || !isCanonical(path) {
				return fmt.Errorf("%s: mount %q: no record at %q", e.file, name, path)
			}
			if r.Versions == nil {
				r.Versions = map[int64]version{}
			}
			e.records[path] = r
		}
	}
	return nil
}

// save writes the file anew.
func (e *Engine) save() error {
	if e.file == "" {
		return nil
	}
	b, err := json.Marshal(document{format, map[string]records{e.mount: e.records}})
	if err != nil {
		return err
	}
	if len(b) > maxFile {
		return fmt.Errorf("expected at most %d bytes of secrets", maxFile)
	}
	return pki.WriteSecret(e.file, b)
}
