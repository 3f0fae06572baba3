package answer

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// CSV writes rows as RFC 4180 defines them.
type CSV struct{ out *csv.Writer }

// NewCSV writes the header.
func NewCSV(w io.Writer, header []string) (CSV, error) {
	c := CSV{csv.NewWriter(w)}
	c.out.UseCRLF = true
	return c, c.out.Write(header)
}

// Add writes a row. A cell that a spreadsheet would read as a formula begins with an
// apostrophe.
func (c CSV) Add(row ...string) error {
	for i := range row {
		row[i] = safeCell(row[i])
	}
	return c.out.Write(row)
}

// Close writes the rest.
func (c CSV) Close() error {
	c.out.Flush()
	return c.out.Error()
}

// safeCell makes text safe in a spreadsheet. Spreadsheets in some countries also accept the
// wide forms of the signs, and all spreadsheets skip spaces.
func safeCell(s string) string {
	s = safetext.Line(s)
	if strings.IndexAny(strings.TrimLeft(s, " "), "=+-@\t\r\uff1d\uff0b\uff0d\uff20") == 0 {
		return "'" + s
	}
	return s
}
