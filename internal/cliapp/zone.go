package cliapp

import "time"

// WithoutZone returns a clause that says that a time lacks its time zone, and how
// it is written in UTC, to be appended to a message about it; "" if that is not
// what is wrong with it. No zone is ever assumed: that of the machine would give
// the same command line two meanings.
func WithoutZone(text string) string {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return ", which has no time zone; in UTC it is written " + t.Format(time.RFC3339Nano)
		}
	}
	return ""
}
