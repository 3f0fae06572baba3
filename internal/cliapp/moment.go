package cliapp

import (
	"errors"
	"time"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// moment is the spelling of a time: time.Parse also accepts hours of one digit, a comma, and zones of 24 hours.
var moment = safetext.Pattern(`^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$`)

// ParseTime reads the value of a Time flag, or a time within the value of another flag:
// a time of RFC 3339 with its zone, or a date, which is midnight UTC. It is in the years
// 1970 to 9999 UTC when it is rounded up to milliseconds, as the formats cannot write
// another.
func ParseTime(s string) (time.Time, error) {
	layout := time.RFC3339
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.Parse(layout, s)
	if err != nil || !moment().MatchString(s) {
		return t, errors.New("expected a time such as 2026-03-02T09:00:00Z or 2026-03-02T10:00:00+01:00, or a " +
			"date such as 2026-03-02" + withoutZone(s))
	}
	t = t.UTC()
	if year := t.Add(time.Millisecond - 1).Year(); t.Year() < 1970 || year > 9999 {
		return t, errors.New("expected a time in the years 1970 to 9999 UTC")
	}
	return t, nil
}

// withoutZone returns a clause that reports a missing time zone, with the time in UTC, or ""
// if the fault is another one. Where a time decides, no zone is assumed: the zone of the
// machine would give the same command line two meanings.
func withoutZone(text string) string {
	if t, ok := parseInUTC(text); ok {
		return "; this one has no time zone, and in UTC it is written " + t.Format(time.RFC3339Nano)
	}
	return ""
}

// parseInUTC reads a time without a zone.
func parseInUTC(text string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseMoment is [ParseTime] for a [Moment].
func parseMoment(s string) (at time.Time, inUTC bool, err error) {
	if t, ok := parseInUTC(s); ok {
		s, inUTC = t.Format(time.RFC3339Nano), true
	}
	at, err = ParseTime(s)
	return at, inUTC, err
}
