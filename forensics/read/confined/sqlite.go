package confined

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"modernc.org/sqlite/vfs"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// decodeSQLite writes the rows of the ordinary tables of an SQLite file. No view, trigger or
// virtual table of it runs.
func decodeSQLite(r *io.SectionReader, o *output) (err error) {
	if r.Size() < sqlite.HeaderSize {
		return &Fault{Truncated, "it ends within the header of an SQLite file"}
	}
	pages := pagesOf(r)
	name, files, err := vfs.New(oneFile{io.NewSectionReader(padded{r}, 0, max(pages, r.Size()))})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	c, err := sqlite.Open("file:evidence?immutable=1&vfs="+name, sqlite.ReadOnly)
	if errors.Is(err, sqlite.ErrForeign) {
		return &Fault{Unknown, "its header has values that none of SQLite can have"}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.LimitValues(mostBlock)
	if pages > r.Size() {
		o.writeNote(&Fault{Truncated, "it has fewer pages than its header counts"})
	}
	tables, failed := tablesOf(c)
	for _, table := range tables {
		if err := o.writeNamed(Table, table); err != nil {
			return err
		}
		if err := writeRows(c, table, o); err != nil {
			o.writeNote(err)
		}
	}
	return failed
}

// tablesOf returns the names of the ordinary tables, as far as the schema can be read.
func tablesOf(c *sqlite.Conn) (names []string, err error) {
	err = c.Each("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0", nil, func(s *sqlite.Stmt) error {
		if name := s.Text(0); !strings.HasPrefix(name, "sqlite_") {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// writeRows writes the rows of a table.
func writeRows(c *sqlite.Conn, table string, o *output) error {
	s, err := c.Prepare(`SELECT * FROM "` + strings.ReplaceAll(table, `"`, `""`) + `"`)
	if err != nil {
		return err
	}
	defer s.Close()
	var names [][]byte
	for _, name := range s.Columns() {
		names = append(names, []byte(name))
	}
	names = rows.Columns(names)
	var row rows.Text
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		row.Open()
		for i, name := range names {
			if v := s.Value(i); v != nil {
				row.Name(name)
				appendValue(&row, v)
			}
		}
		o.writeRow(row.Close())
	}
}

// pagesOf returns how many bytes the pages have that the header counts, 0 if it does not.
func pagesOf(r io.ReaderAt) int64 {
	head := make([]byte, sqlite.HeaderSize)
	if _, err := r.ReadAt(head, 0); err != nil || !bytes.Equal(head[24:28], head[92:96]) {
		return 0 // older writers leave the count alone
	}
	size := int64(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 1 << 16
	}
	return size * int64(binary.BigEndian.Uint32(head[28:]))
}

// padded is a file that has zeros behind its end, since the engine opens none that was cut.
type padded struct{ *io.SectionReader }

// ReadAt implements io.ReaderAt.
func (p padded) ReadAt(b []byte, offset int64) (int, error) {
	n, err := p.SectionReader.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		return n, err
	}
	clear(b[n:])
	return len(b), nil
}

// oneFile is a file system with one file.
type oneFile struct{ *io.SectionReader }

// Open implements fs.FS.
func (f oneFile) Open(name string) (fs.File, error) {
	if name != "evidence" && name != "/evidence" {
		return nil, fs.ErrNotExist
	}
	return oneFile{io.NewSectionReader(f, 0, f.SectionReader.Size())}, nil
}

// Close implements fs.File.
func (oneFile) Close() error { return nil }

// Stat implements fs.File.
func (f oneFile) Stat() (fs.FileInfo, error) { return f, nil }

// The others implement fs.FileInfo.

// Name returns the name of the file.
func (oneFile) Name() string { return "evidence" }

// Mode returns the mode of the file.
func (oneFile) Mode() fs.FileMode { return 0o400 }

// ModTime returns no time.
func (oneFile) ModTime() time.Time { return time.Time{} }

// IsDir reports that it is a file.
func (oneFile) IsDir() bool { return false }

// Sys returns nothing.
func (oneFile) Sys() any { return nil }
