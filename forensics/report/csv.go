package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
)

// csvHeader are the columns of the findings. The place is the first of several, by its path;
// the verdict is the case's.
var csvHeader = []string{"severity", "code", "effect", "log_id", "sequence", "last_sequence", "events", "message",
	"expected", "found",
	"source", "container", "offset", "length", "places", "explanations", "next", "verdict"}

// writeCSV writes the findings, one a row.
func writeCSV(w io.Writer, r *Report) error {
	out, err := answer.NewCSV(w, csvHeader)
	if err != nil {
		return err
	}
	for _, f := range r.Findings {
		row := []string{string(f.Severity), string(f.Code), string(f.Effect()), f.LogID, orNone(f.Sequence),
			orNone(f.LastSequence), orNone(f.Count()),
			f.Message, f.Expected, f.Found, "", "", "", "", strconv.Itoa(len(f.Evidence)),
			strings.Join(f.Explanations, " "), f.Next, string(r.Verdict)}
		if len(f.Evidence) > 0 {
			e := slices.MinFunc(f.Evidence, finding.CompareEvidence)
			copy(row[10:], []string{e.Source, e.Container, strconv.FormatInt(e.Offset, 10),
				strconv.FormatInt(e.Length, 10)})
		}
		if err := out.Add(row...); err != nil {
			return err
		}
	}
	return out.Close()
}

// orNone writes a number; 0 is written as none.
func orNone(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}
