package report

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// timelineColumns are the columns of a timeline as CSV.
var timelineColumns = []string{"time", "clock", "kind", "tenant_id", "log_id", "sequence", "last_sequence", "type",
	"transaction_id", "key_id", "hash", "copies", "deliveries", "witnessed_at", "severity", "code", "incident", "message",
	"tags", "data"}

// WriteCSV writes rows as CSV.
func (t Timeline) WriteCSV(w io.Writer, all iter.Seq2[query.Row, error]) (total int, err error) {
	out, err := answer.NewCSV(w, timelineColumns)
	if err != nil {
		return 0, err
	}
	for r, err := range t.Rows(all, &total) {
		if err == nil {
			err = out.Add(r.OccurredAt, string(r.Clock), string(r.Kind), r.TenantID, r.LogID, orNone(r.Sequence),
				orNone(r.LastSequence), r.Type, r.TransactionID, r.KeyID, r.Hash, orNone(uint64(r.Copies)),
				orNone(uint64(r.Deliveries)), r.WitnessedAt, string(r.Severity), string(r.Code), r.Incident, r.Message,
				strings.Join(r.Tags, " "), string(r.Data))
		}
		if err != nil {
			return total, err
		}
	}
	return total, out.Close()
}

// sketched is a row with the members that Timesketch reads.
type sketched struct {
	Message       string   `json:"message"`
	Datetime      string   `json:"datetime"`       // ISO 8601
	Timestamp     int64    `json:"timestamp"`      // microseconds since 1970
	TimestampDesc string   `json:"timestamp_desc"` // whose time it is
	Tag           []string `json:"tag"`
	Verdict       string   `json:"verdict"` // of the case
	query.Row
}

// clockTexts name the clocks.
var clockTexts = map[query.Clock]string{
	query.LogClock:     "the log's own clock",
	query.WitnessClock: "witnessed by others",
	query.BeforeClock:  "the log's own clock, at the event before",
	query.AfterClock:   "the log's own clock, at the event after",
}

// WriteTimesketch writes rows as Timesketch reads them, one JSON object a line. A row without a
// time is left out, and counted in untimed.
func (t Timeline) WriteTimesketch(w io.Writer, all iter.Seq2[query.Row, error]) (total, untimed int, err error) {
	for r, err := range t.Rows(all, &total) {
		if err != nil {
			return total, untimed, err
		}
		ms, known := form.Millis(r.OccurredAt)
		if !known {
			untimed++
			continue
		}
		data := r.Data
		r.Data, r.Message = nil, sketchMessage(r)
		line := sketched{Message: r.Message, Datetime: strings.Replace(r.OccurredAt, "Z", "+00:00", 1), Timestamp: ms * 1000,
			TimestampDesc: clockTexts[r.Clock], Tag: append([]string{}, r.Tags...), Row: r}
		if t.Result != nil {
			line.Verdict = string(t.Result.Verdict)
		}
		if err := query.WriteLine(w, line, "data", data); err != nil {
			return total, untimed, err
		}
	}
	return total, untimed, nil
}

// WriteLines writes rows as JSON, one a line.
func (t Timeline) WriteLines(w io.Writer, all iter.Seq2[query.Row, error]) (total int, err error) {
	for r, err := range t.Rows(all, &total) {
		if err == nil {
			data := r.Data
			r.Data = nil
			err = query.WriteLine(w, r, "data", data)
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// sketchMessage is a row in one line.
func sketchMessage(r query.Row) string {
	at := safetext.Quote(r.LogID) + " " + strconv.FormatUint(r.Sequence, 10) + ": "
	if r.Kind != query.EventRow {
		return safetext.Line(at + saidBy(r))
	}
	if r.TransactionID != "" {
		return safetext.Line(at + safetext.Quote(r.Type) + " of " + safetext.Quote(r.TransactionID))
	}
	return safetext.Line(at + safetext.Quote(r.Type))
}
