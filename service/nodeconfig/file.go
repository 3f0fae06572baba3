package nodeconfig

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

const (
	// maxSecret is the size of a file with a key or a token in bytes.
	maxSecret = 64 << 10
	// maxPublic is the size of a file of certificates in bytes.
	maxPublic = 1 << 20
	// maxBinary is the size of the reload executable in bytes.
	maxBinary = 256 << 20
)

// errTooLarge reports that a file has more bytes than are read of it.
var errTooLarge = errors.New("more bytes than that")

// demand holds the requirements on an opened file.
type demand struct {
	expected string
	open     func(path string) (*os.File, error)
	itself   bool          // a link to it will not do
	others   access.Others // the access that others than the node may have
}

var (
	secretFile = demand{"a regular file, no symbolic link, for which neither group nor others have any permission",
		access.OpenUnlinked, true, access.Nothing}
	publicFile = demand{"a regular file that neither group nor others may write to", access.OpenRegular, false,
		access.Read}
	programFile = demand{"a regular file, no symbolic link, that neither group nor others may write to",
		access.OpenUnlinked, true, access.Read}
	privateDirectory = demand{"a directory, no symbolic link, for which neither group nor others have any permission",
		openFolder, true, access.Nothing}
	managedDirectory = demand{"a directory, no symbolic link, that neither group nor others may write to", openFolder,
		true, access.Read}
)

// openFolder opens a folder, and fails as [access.OpenUnlinked] does on anything else.
func openFolder(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &access.IrregularError{Mode: info.Mode()}
	}
	return access.OpenFolder(path)
}

// problem has the expected and the found state of a file.
type problem struct{ expected, found string }

// Error returns the problem in one sentence.
func (p *problem) Error() string { return fmt.Sprintf("expected %s, found %s", p.expected, p.found) }

// opened opens a file and judges the opened file: between a look at a path and its opening,
// another file could be put there.
func (d demand) opened(path string) (*os.File, fs.FileInfo, error) {
	f, err := d.open(path)
	if err != nil {
		return nil, nil, &problem{d.expected, whyNotOpened(err)}
	}
	info, err := f.Stat()
	if err == nil {
		err = access.Check(f, d.others)
	}
	if now, missing := os.Lstat(path); err == nil && d.itself && (missing != nil || !os.SameFile(now, info)) {
		err = errors.New("another one that took its place")
	}
	if err != nil {
		f.Close()
		return nil, nil, &problem{d.expected, access.WithoutPath(err).Error()}
	}
	return f, info, nil
}

// read returns the bytes of a file, at most limit.
func (d demand) read(path string, limit int64) ([]byte, error) {
	f, _, err := d.opened(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, &problem{"a file that can be read", access.WithoutPath(err).Error()}
	}
	if int64(len(doc)) > limit {
		return nil, &problem{fmt.Sprintf("at most %d bytes", limit), errTooLarge.Error()}
	}
	return doc, nil
}

// Open opens the reload executable and compares its digest with the pinned one, as must be
// done before every run. The file that was opened is the one to run: another one could be put
// at its path by then.
func (r *Reload) Open() (*os.File, error) {
	f, info, err := programFile.opened(r.Binary.Path)
	if err != nil {
		return nil, err
	}
	if err := r.judge(f, info); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// judge checks permissions and digest of the opened executable.
func (r *Reload) judge(f *os.File, info fs.FileInfo) error {
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 { // there its name decides
		return &problem{"a file that may be executed", "the permissions " + info.Mode().Perm().String()}
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(f, maxBinary+1))
	switch {
	case err != nil:
		return &problem{"a file that can be read", access.WithoutPath(err).Error()}
	case n > maxBinary:
		return &problem{fmt.Sprintf("at most %d bytes", maxBinary), errTooLarge.Error()}
	case [sha256.Size]byte(hash.Sum(nil)) != r.SHA256:
		return &problem{fmt.Sprintf("a file with the SHA-256 %x", r.SHA256), fmt.Sprintf("%x", hash.Sum(nil))}
	}
	return nil
}

// whyNotOpened puts the usual errors into words.
func whyNotOpened(err error) string {
	var irregular *access.IrregularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to open it"
	case errors.As(err, &irregular) && irregular.Mode.IsRegular():
		return "a regular file"
	case errors.As(err, &irregular):
		return access.KindOf(irregular.Mode)
	}
	return access.WithoutPath(err).Error()
}

// maxToken is the length of a token in characters.
const maxToken = 8192

// Token reads the token of the secret store, as must be done anew for every
// request. The file holds the token alone, and perhaps one newline behind it.
// The error holds nothing of the token.
func (s *SecretStore) Token() (string, error) {
	doc, err := secretFile.read(s.TokenFile.Path, maxSecret)
	if err != nil {
		return "", err
	}
	token := strings.TrimSuffix(string(doc), "\n")
	graphic := !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
	if token == "" || len(token) > maxToken || !graphic {
		return "", &problem{
			"a token of 1 to 8192 characters of printable ASCII without a space, and at most one newline behind it",
			safetext.Count(len(doc), "byte") + ", not shown",
		}
	}
	return token, nil
}
