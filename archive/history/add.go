package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
	"github.com/svc-edge/svc-verify/trust"
)

// ErrBusy reports that another process adds to the history.
var ErrBusy = errors.New("another process is adding to the history")

// lock excludes two processes that add.
var lock = guard.Kind{Name: "trust history", ErrBusy: ErrBusy}

// Version is a version to be added.
type Version struct {
	Trust      []byte // the trust file
	From       time.Time
	By, Reason string
}

// Add adds a version to a history, and makes the folder if there is none. The earlier
// entries must be a history that verifies under the file of --seal-trust or, if that is
// nil, under the key that signs: who signs an entry vouches for those before it. The
// trust file is on the disk before the entry that names it.
func (f Folder) Add(v Version, k *sealkey.Key, trusted *sealkey.Trust) (_ *Entry, err error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(string(f), 0o755); err != nil { // #nosec G301 -- it has no secrets
		return nil, fmt.Errorf("making the history %s: %w", safetext.Quote(string(f)), access.WithoutPath(err))
	}
	held, err := lock.Lock(filepath.Join(string(f), EntriesFile))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	doc, err := f.Entries()
	if err != nil {
		return nil, err
	}
	e, line, err := next(doc, v, k, trusted)
	if err != nil {
		return nil, err
	}
	if err := f.keep(e.Trust, v.Trust); err != nil {
		return nil, err
	}
	return e, f.write(EntriesFile, append(doc, line...))
}

func (v Version) check() error {
	if _, err := trust.Parse(v.Trust); err != nil {
		return err
	}
	if !run.IsText(v.By) || !run.IsText(v.Reason) {
		return fmt.Errorf("who and why: expected 1 to %d octets of text each, without control characters", run.MaxText)
	}
	if year := v.From.UTC().Year(); year < 0 || year > 9999 {
		return errors.New("expected a time in the years 0000 to 9999")
	}
	return nil
}

// next makes the entry that follows some others.
func next(doc []byte, v Version, k *sealkey.Key, trusted *sealkey.Trust) (*Entry, []byte, error) {
	own, err := ownTrust(k, trusted)
	if err != nil {
		return nil, nil, err
	}
	entries, f := chain(doc, own)
	if f != nil {
		return nil, nil, fmt.Errorf("the history does not verify, so nothing is added: %s: expected %s, found %s",
			f.Code, safetext.Line(f.Expected), safetext.Line(f.Found))
	}
	e := &Entry{Number: int64(len(entries)) + 1, Trust: sha256.Sum256(v.Trust), Size: int64(len(v.Trust)),
		From: v.From.Truncate(time.Millisecond), By: v.By, Reason: v.Reason}
	if n := len(entries); n > 0 {
		last := &entries[n-1]
		e.Previous = last.Digest
		if !e.From.After(last.From) {
			return nil, nil, fmt.Errorf("the version before is in force from %s on: expected a later time, found %s",
				form.FormatTime(last.From), form.FormatTime(e.From))
		}
	}
	line, err := e.Sign(k)
	if err != nil {
		return nil, nil, err
	}
	if _, f := chain(append(doc[:len(doc):len(doc)], line...), own); f != nil {
		return nil, nil, fmt.Errorf("the entry would not verify: %s: expected %s, found %s", f.Code,
			safetext.Line(f.Expected), safetext.Line(f.Found))
	}
	return e, line, nil
}

// ownTrust is the file of --seal-trust, or one that pins the key alone.
func ownTrust(k *sealkey.Key, trusted *sealkey.Trust) (*sealkey.Trust, error) {
	if trusted != nil {
		return trusted, nil
	}
	always, _ := form.Time("0000-01-01T00:00:00.000Z")
	doc, err := sealkey.PinFile(k.Name(), k.Public(), always, time.Time{})
	if err != nil {
		return nil, err
	}
	return sealkey.ParseTrust(doc)
}

// keep writes a trust file, unless the same is there.
func (f Folder) keep(digest [sha256.Size]byte, doc []byte) error {
	old, err := f.Trust(digest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case sha256.Sum256(old) == digest:
		return nil
	}
	return f.write(TrustFile(digest), doc)
}

func (f Folder) write(name string, doc []byte) error {
	file, err := access.OpenAside(filepath.Join(string(f), name))
	if err != nil {
		return err
	}
	defer file.Discard()
	if _, err := file.Write(doc); err != nil {
		return err
	}
	return file.Commit()
}

// EntriesFile is the name of the file with the entries (SPEC 18.1).
const EntriesFile = "history.ndjson"

// TrustFile returns the name of the trust file with a digest.
func TrustFile(digest [sha256.Size]byte) string {
	return "trust-" + hex.EncodeToString(digest[:]) + ".json"
}

// Folder is a history as it is kept. No file in it is believed.
type Folder string

// Entries reads the file of the entries. A folder without one has no entries.
func (f Folder) Entries() ([]byte, error) {
	info, err := os.Stat(string(f))
	if err != nil {
		return nil, fmt.Errorf("reading the history %s: %w", safetext.Quote(string(f)), access.WithoutPath(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("reading the history %s: expected a folder", safetext.Quote(string(f)))
	}
	doc, err := f.read(EntriesFile, MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return doc, err
}

// Trust reads the trust file with a digest. The error is fs.ErrNotExist if the folder
// has none.
func (f Folder) Trust(digest [sha256.Size]byte) ([]byte, error) {
	return f.read(TrustFile(digest), form.MaxTrust)
}

// read reads at most limit+1 bytes of a regular file.
func (f Folder) read(name string, limit int64) ([]byte, error) {
	fault := func(err error) error {
		return fmt.Errorf("reading %s in the history %s: %w", name, safetext.Quote(string(f)), access.WithoutPath(err))
	}
	path := filepath.Join(string(f), name)
	file, err := access.OpenUnlinked(path)
	if err != nil {
		return nil, fault(err)
	}
	defer file.Close()
	doc, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fault(err)
	}
	return doc, nil
}
