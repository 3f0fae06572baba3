package form

import (
	"time"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The form of times for people, to the second.
const (
	dayForm  = "2 Jan 2006 "
	timeForm = "15:04:05"
)

// Clock writes a time for people.
func Clock(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return safetext.Line(at)
	}
	return t.UTC().Format(dayForm + timeForm + " UTC")
}

// ClockRange writes two times for people, the day once if it is the same.
func ClockRange(from, to string) string {
	a, err := time.Parse(time.RFC3339, from)
	b, err2 := time.Parse(time.RFC3339, to)
	if err != nil || err2 != nil || a.UTC().Format(dayForm) != b.UTC().Format(dayForm) {
		return Clock(from) + " to " + Clock(to)
	}
	return a.UTC().Format(dayForm+timeForm) + " to " + b.UTC().Format(timeForm+" UTC")
}
