package read

import (
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/parquetfile"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// parquet reads the rows of a Parquet file. Its footer, which stands at its end, says
// where they are.
func (s *stream) parquet() error {
	c, ok, err := s.spool()
	if !ok || err != nil {
		return err
	}
	f, err := parquetfile.Open(c, c.size, parquetfile.Limits{Memory: s.limits.Unit, Grow: s.growing})
	if err != nil {
		return s.noFooter(c, err)
	}
	defer f.Close()
	t := s.table("parquet", Parquet)
	for group := range f.Groups() {
		if err := f.Rows(group, &t.row, t.add, func(column, what string) error {
			if column != "" {
				what = "the column " + safetext.Excerpt(column, safetext.Value) + ": " + what
			}
			at := Place{Container: t.container, Offset: t.n}
			return t.skip(Skip{Place: at, Code: finding.SourceUnparseable,
				Detail: fmt.Sprintf("damage in the group %d of rows, which ends here: %s", group, what)})
		}); err != nil {
			return err
		}
	}
	if f.Declared() != t.n {
		return t.lost(finding.SourceUnparseable, fmt.Sprintf("the Parquet file has %d rows, and says %d", t.n, f.Declared()))
	}
	return nil
}

// growing counts what is decompressed, before it is.
func (s *stream) growing(octets int) error {
	if s.expanded(octets); s.tooLarge() {
		return errExpansion
	}
	return s.ctx.Err()
}

// noFooter skips a file whose rows cannot be found, or not be read. Its pages may be
// readable: an event in them is not lost without a word.
func (s *stream) noFooter(c content, wrong error) error {
	skip := Skip{Place: Place{Container: s.container, Offset: c.size}}
	switch {
	case errors.Is(wrong, parquetfile.ErrNoFooter):
		skip.Code, skip.Detail = finding.SourceTruncated, "a Parquet file without its footer: it was cut, or is still written"
	case errors.Is(wrong, parquetfile.ErrEncrypted):
		skip.Code = finding.SourceUnknownFormat
		skip.Detail = "an encrypted Parquet file; have who has its keys write it without encryption"
	case errors.Is(wrong, parquetfile.ErrFooter):
		skip.Code, skip.Detail = finding.SourceUnparseable, "a Parquet file with "+wrong.Error()
	default:
		return wrong
	}
	if err := s.skip(skip); err != nil {
		return err
	}
	pages := *s
	pages.in = s.borrow(io.NewSectionReader(c, 0, c.size), 0)
	defer s.giveBack(pages.in)
	return pages.octets("pages of a Parquet file whose rows are not known")
}
