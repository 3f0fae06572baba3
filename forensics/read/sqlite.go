package read

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/forensics/read/sqlitefile"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// sqliteFile is a stream that is an SQLite file.
type sqliteFile struct {
	*stream
	file    *sqlitefile.File
	table   *table // whose rows are read
	damaged bool
	names   [][]byte
}

// sqlite reads the rows of the ordinary tables of an SQLite file.
func (s *stream) sqlite() error {
	c, ok, err := s.spool()
	if !ok || err != nil {
		return err
	}
	file, err := sqlitefile.Open(c, c.size, s.limits.Unit)
	if err != nil {
		return s.noHeader(c)
	}
	f := &sqliteFile{stream: s, file: file}
	if file.Truncated() {
		f.damaged = true
		if err := s.note(c.size, finding.SourceTruncated,
			"the SQLite file has fewer pages than its header says"); err != nil {
			return err
		}
	}
	tables, err := file.Tables(f.damage)
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(tables))
	for _, t := range tables {
		step := "sqlite:" + strings.ToValidUTF8(t.Name, "\ufffd")
		if seen[step] {
			step = fmt.Sprintf("%s@%d", step, t.Root())
		}
		seen[step] = true
		if err := f.rows(step, t); err != nil {
			return err
		}
	}
	if !f.damaged {
		return nil
	}
	return file.Unread(f.orphan)
}

// noHeader skips a file that begins as an SQLite file, and no more.
func (s *stream) noHeader(c content) error {
	skip := Skip{Place: Place{Container: s.container, Length: c.size}, Code: finding.SourceUnknownFormat,
		Detail: "the header of an SQLite file with values that none can have"}
	if c.size < sqlitefile.HeaderSize {
		skip.Code, skip.Detail = finding.SourceTruncated, "the file ends within the header of an SQLite file"
	}
	return s.skip(skip)
}

// rows reads the rows of a table.
func (f *sqliteFile) rows(step string, t sqlitefile.Table) error {
	f.table = f.stream.table(step, SQLite)
	var names [][]byte
	for _, name := range t.Columns {
		names = append(names, []byte(name))
	}
	f.names = rows.Columns(names)
	return f.file.Rows(t, f.row, f.damage)
}

// row hands on a row.
func (f *sqliteFile) row(values []sqlitefile.Value) error {
	r := &f.table.row
	r.Open()
	for i, v := range values {
		if v.Kind == sqlitefile.Null {
			continue
		}
		if i < len(f.names) {
			r.Name(f.names[i])
		} else {
			r.Name(fmt.Appendf(nil, "column %d", i+1))
		}
		switch v.Kind {
		case sqlitefile.Int:
			r.Int(v.Int)
		case sqlitefile.Float:
			r.Float(v.Float)
		case sqlitefile.Blob:
			r.Octets(v.Bytes)
		default:
			r.String(v.Bytes)
		}
	}
	return f.table.add()
}

// damage reports damage of a page, at its place in the file.
func (f *sqliteFile) damage(page uint32, octets []byte, what string) error {
	f.damaged = true
	size := int64(f.file.PageSize())
	skip := Skip{Code: finding.SourceUnparseable, Detail: fmt.Sprintf("page %d of the SQLite file: %s", page, what),
		Excerpt: octets}
	skip.Place = Place{Container: f.container, Offset: (int64(page) - 1) * size, Length: size}
	if page == 0 {
		skip.Place.Offset = 0
	}
	return f.skip(skip)
}

// orphan looks at a page that no tree of a damaged file leads to.
func (f *sqliteFile) orphan(page uint32, octets []byte) error {
	if !unwrap.HasTraces(octets) {
		return nil
	}
	size := int64(f.file.PageSize())
	at := Place{Container: f.container, Offset: (int64(page) - 1) * size, Length: size}
	return f.loose(at, octets, "a page of a damaged SQLite file that no table leads to")
}
