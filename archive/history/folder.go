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

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

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

// read reads at most limit+1 octets of a regular file.
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
