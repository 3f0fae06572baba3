package guard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Identify reads the header of an SQLite file without opening it as a
// database, which could change it.
func (k *Kind) Identify(path string) error {
	f, err := access.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := make(sqlite.Header, sqlite.HeaderSize)
	switch _, err := io.ReadFull(f, h); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %w: shorter than the header of one", safetext.Quote(path), k.ErrNot)
	case err != nil:
		return err
	case !h.IsSQLite():
		return fmt.Errorf("%s: %w: not even an SQLite file", safetext.Quote(path), k.ErrNot)
	case h.ApplicationID() != k.ApplicationID:
		return fmt.Errorf("%s: %w: an SQLite file of another program", safetext.Quote(path), k.ErrNot)
	}
	return k.Companions(path)
}

// Is reports whether a file begins as one of this kind does. Whether it is one that may be
// opened is not looked at.
func (k *Kind) Is(f io.ReaderAt) (bool, error) {
	h := make(sqlite.Header, sqlite.HeaderSize)
	n, err := f.ReadAt(h, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n == len(h) && h.IsSQLite() && h.ApplicationID() == k.ApplicationID, err
}

// beside contains the suffixes of the files that belong to a file.
var beside = []string{"-wal", "-shm", "-journal", LockSuffix}

// Companions examines the files that SQLite opens alongside a file. Anyone who hands on the
// one can hand on the others too. The pages in them are the file's own, and are checked with
// it. But a link leads elsewhere, a pipe waits, SQLite empties and overwrites files of these
// names, so that a hard link changes another file, and a rollback journal can name another
// file, which SQLite then deletes.
func (k *Kind) Companions(path string) error {
	for _, suffix := range beside {
		if err := ownFile(path + suffix); err != nil {
			return k.isForeign("%w", err)
		}
	}
	names, err := namesAnother(path + "-journal")
	if err == nil && names {
		err = k.isForeign("%s next to it names another file", safetext.Quote(path+"-journal"))
	}
	return err
}

// ownFile returns an error if a file next to another cannot belong to it.
func ownFile(path string) error {
	err := access.SoleName(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s next to it cannot belong to it: %w; move it away", safetext.Quote(path),
			access.WithoutPath(err))
	}
	return nil
}

// namesAnother reports whether a rollback journal is there and is one of
// several files that are rolled back together.
func namesAnother(path string) (bool, error) {
	f, err := access.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return sqlite.JournalOfSeveral(f)
}

// schemaOf returns the objects that the first steps of the migrations make, and the late
// objects.
func (k *Kind) schemaOf(version int) ([]sqlite.Object, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if all, ok := k.made[version]; ok {
		return all, nil
	}
	c, err := sqlite.Open(":memory:", sqlite.Create)
	if err != nil {
		return nil, err
	}
	all, err := []sqlite.Object(nil), k.migrateTo(c, k.Steps[:version-k.Earlier])
	for _, late := range k.Late {
		err = errors.Join(err, c.Exec(late.SQL))
	}
	if err == nil {
		all, err = c.Objects()
	}
	if err := errors.Join(err, c.Close()); err != nil {
		return nil, err
	}
	if k.made == nil {
		k.made = map[int][]sqlite.Object{}
	}
	k.made[version] = all
	return all, nil
}

// Shape checks a file before anything is asked of it: its settings, and its
// schema, object by object and text by text. It returns the schema's version.
func (k *Kind) Shape(c *sqlite.Conn) (version int, err error) {
	n, err := c.Number("PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	switch latest := k.Earlier + len(k.Steps); {
	case n < 1:
		return 0, k.isForeign("its schema has version %d", n)
	case n <= int64(k.Earlier):
		return 0, k.ErrEarlier
	case n > int64(latest):
		return 0, fmt.Errorf("it has schema version %d, and this program knows no later one than %d: "+
			"use the svc-verify that made it, or a later one", n, latest)
	}
	if err := k.checkSettings(c); err != nil {
		return 0, err
	}
	want, err := k.schemaOf(int(n))
	if err != nil {
		return 0, err
	}
	got, err := c.Objects()
	if err != nil {
		return 0, err
	}
	return int(n), k.compareSchemas(got, want)
}

// checkSettings checks the header as the engine reads it, from the write-ahead log
// too.
func (k *Kind) checkSettings(c *sqlite.Conn) error {
	h, err := sqlite.ReadHeader(c)
	switch {
	case err != nil:
		return err
	case h.ApplicationID() != k.ApplicationID:
		return fmt.Errorf("%w: an SQLite file of another program", k.ErrNot)
	case h.Reserved() != 0:
		return k.isForeign("%d octets of each page are reserved", h.Reserved())
	case h.AutoVacuum():
		return k.isForeign("it has pages that map others (auto_vacuum)")
	case !h.IsUTF8():
		return k.isForeign("its text is not UTF-8")
	}
	return nil
}

// compareSchemas names the first object that is too many, missing or different.
func (k *Kind) compareSchemas(got, want []sqlite.Object) error {
	wanted := map[string]sqlite.Object{}
	for _, o := range want {
		wanted[o.Name] = o
	}
	for _, o := range got {
		w, ok := wanted[o.Name]
		switch {
		case !ok:
			return k.isForeign("it has the %s %s", safetext.Line(o.Kind), safetext.Quote(o.Name))
		case w != o:
			return k.isForeign("its %s %s is declared in another way", safetext.Line(o.Kind), safetext.Quote(o.Name))
		}
		delete(wanted, o.Name)
	}
	for _, late := range k.Late {
		delete(wanted, late.Name)
	}
	for _, o := range want {
		if _, missing := wanted[o.Name]; missing {
			return k.isForeign("it lacks the %s %s", o.Kind, o.Name)
		}
	}
	return nil
}
