package cliapp

import (
	"strings"
	"testing"
	"time"
)

// TestParseTime: a date is midnight UTC, and a zone is not lost.
func TestParseTime(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-02T09:00:00Z":           at,
		"2026-03-02T10:00:00+01:00":      at,
		"2026-03-01T23:30:00-09:30":      at,
		"2026-03-02":                     at.Add(-9 * time.Hour),
		"2026-03-02T09:00:00.123456789Z": at.Add(123456789),
	} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestWithoutZone(t *testing.T) {
	for text, want := range map[string]string{
		"2026-07-01T00:00:00":       "2026-07-01T00:00:00Z",
		"2026-07-01 23:59:59":       "2026-07-01T23:59:59Z",
		"2026-07-01T00:00:00.250":   "2026-07-01T00:00:00.25Z",
		"2026-07-01T12:30":          "2026-07-01T12:30:00Z",
		"2026-07-01 12:30":          "2026-07-01T12:30:00Z",
		"2026-07-01T00:00:00Z":      "",
		"2026-07-01T00:00:00+02:00": "",
		"2026-07-01":                "",
		"2026-02-30T00:00:00":       "",
		"2026-07-01T24:00:00":       "",
		"yesterday":                 "",
		"":                          "",
	} {
		if got := withoutZone(text); (got == "") != (want == "") || !strings.HasSuffix(got, " "+want) && want != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
