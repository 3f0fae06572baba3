package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// csvHeader are the columns of the findings. The place is the first of several,
// by its path; the verdict is that of the case.
var csvHeader = []string{"severity", "code", "effect", "log_id", "sequence", "last_sequence", "events", "message",
	"expected", "found",
	"source", "container", "offset", "length", "places", "explanations", "next", "verdict"}

// CSV writes the findings as RFC 4180 has it. A cell that a spreadsheet would
// take for a formula begins with an apostrophe.
func CSV(w io.Writer, r *Report) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(csvHeader); err != nil {
		return err
	}
	for _, f := range r.Findings {
		row := []string{string(f.Severity), string(f.Code), string(f.Effect()), f.LogID, whole(f.Sequence),
			whole(f.LastSequence), whole(f.Count()),
			f.Message, f.Expected, f.Found, "", "", "", "", strconv.Itoa(len(f.Evidence)),
			strings.Join(f.Explanations, " "), f.Next, string(r.Verdict)}
		if len(f.Evidence) > 0 {
			e := slices.MinFunc(f.Evidence, finding.CompareEvidence)
			copy(row[10:], []string{e.Source, e.Container, strconv.FormatInt(e.Offset, 10),
				strconv.FormatInt(e.Length, 10)})
		}
		for i := range row {
			row[i] = cell(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// whole writes a number of which 0 stands for none.
func whole(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// cell makes text safe in a spreadsheet. Those of some countries take the wide
// forms of the signs for the signs, and all of them skip spaces.
func cell(s string) string {
	s = safetext.Line(s)
	if strings.IndexAny(strings.TrimLeft(s, " "), "=+-@\t\r\uff1d\uff0b\uff0d\uff20") == 0 {
		return "'" + s
	}
	return s
}
