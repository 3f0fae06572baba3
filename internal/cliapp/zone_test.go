package cliapp

import "testing"

func TestWithoutZone(t *testing.T) {
	const says = ", which has no time zone; in UTC it is written "
	for text, want := range map[string]string{
		"2026-07-01T00:00:00":       says + "2026-07-01T00:00:00Z",
		"2026-07-01 23:59:59":       says + "2026-07-01T23:59:59Z",
		"2026-07-01T00:00:00.250":   says + "2026-07-01T00:00:00.25Z",
		"2026-07-01T12:30":          says + "2026-07-01T12:30:00Z",
		"2026-07-01 12:30":          says + "2026-07-01T12:30:00Z",
		"2026-07-01T00:00:00Z":      "",
		"2026-07-01T00:00:00+02:00": "",
		"2026-07-01":                "",
		"2026-02-30T00:00:00":       "",
		"2026-07-01T24:00:00":       "",
		"yesterday":                 "",
		"":                          "",
	} {
		if got := WithoutZone(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
