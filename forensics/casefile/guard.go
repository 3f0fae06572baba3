package casefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

func foreign(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrForeign, fmt.Sprintf(format, args...))
}

// identify reads the header of an SQLite file without opening it as a
// database, which could change it.
func identify(path string) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := make(sqlite.Header, sqlite.HeaderSize)
	switch _, err := io.ReadFull(f, h); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %w: shorter than the header of one", safetext.Quote(path), ErrNotCase)
	case err != nil:
		return err
	case !h.IsSQLite():
		return fmt.Errorf("%s: %w: not even an SQLite file", safetext.Quote(path), ErrNotCase)
	case h.ApplicationID() != applicationID:
		return fmt.Errorf("%s: %w: an SQLite file of another program", safetext.Quote(path), ErrNotCase)
	}
	return companions(path)
}

// openRegular opens a file for reading, and nothing that would wait or act.
func openRegular(path string) (*os.File, error) {
	f, err := openPatiently(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: expected a regular file", safetext.Quote(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// companions looks at the files that SQLite opens beside a case. Whoever hands
// on a case can hand on them too. The pages in them are the case's own, and are
// checked with it. But a link leads elsewhere, a pipe waits, and a rollback
// journal can name another file, which SQLite then deletes.
func companions(path string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal", lockSuffix} {
		info, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return foreign("%s beside it is no regular file", safetext.Quote(path+suffix))
		}
	}
	names, err := namesAnother(path + "-journal")
	if err == nil && names {
		err = foreign("%s beside it names another file", safetext.Quote(path+"-journal"))
	}
	return err
}

// namesAnother reports whether a rollback journal is there and is one of
// several files that are rolled back together.
func namesAnother(path string) (bool, error) {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return sqlite.JournalOfSeveral(f)
}

// schemas returns what the first steps of the migrations make, and the indexes
// that an ingest adds, each made once.
var schemas = func() func(version int) ([]sqlite.Object, error) {
	var mu sync.Mutex
	made := map[int][]sqlite.Object{}
	return func(version int) ([]sqlite.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		if all, ok := made[version]; ok {
			return all, nil
		}
		c, err := sqlite.Open(":memory:", sqlite.Create)
		if err != nil {
			return nil, err
		}
		all, err := []sqlite.Object(nil), errors.Join(migrate(c, migrations()[:version]), c.Exec(transactionIndex))
		if err == nil {
			all, err = c.Objects()
		}
		made[version] = all
		return all, errors.Join(err, c.Close())
	}
}()

// settings checks the header as the engine reads it, from the write-ahead log
// too.
func settings(c *sqlite.Conn) error {
	h, err := sqlite.ReadHeader(c)
	switch {
	case err != nil:
		return err
	case h.ApplicationID() != applicationID:
		return fmt.Errorf("%w: an SQLite file of another program", ErrNotCase)
	case h.Reserved() != 0:
		return foreign("%d octets of each page are reserved", h.Reserved())
	case h.AutoVacuum():
		return foreign("it has pages that map others (auto_vacuum)")
	case !h.IsUTF8():
		return foreign("its text is not UTF-8")
	}
	return nil
}
