package read

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// parseNanoseconds reads a time that is a count of nanoseconds, as a JSON number or
// string. It returns 0 for anything else, and for a time that no int64 holds.
func parseNanoseconds(literal []byte) int64 {
	n, err := strconv.ParseUint(string(bareNumber(literal)), 10, 63)
	if err != nil {
		return 0
	}
	return int64(n)
}

// fixedTime returns a time of OTLP protobuf as parseNanoseconds does.
func fixedTime(n uint64) int64 {
	if n > math.MaxInt64 {
		return 0
	}
	return int64(n)
}

// parseCount reads a count of units, which are so many nanoseconds, or a date. Seconds can have
// a fraction. Milliseconds can have nanoseconds behind a point, as a collector writes them for
// Elasticsearch, which are not padded. If the unit is 0, the number counts seconds,
// milliseconds, microseconds or nanoseconds since 1970, by its size.
func parseCount(literal []byte, unit int64) int64 {
	const mostSeconds = 1e11 // and still seconds
	text := string(bareNumber(literal))
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if unit == 0 {
		for unit = 1e9; unit > 1 && n > mostSeconds*(1e9/unit); unit /= 1000 {
			fraction = ""
		}
	}
	if err != nil || n < 0 || n > math.MaxInt64/unit-1 {
		return parseDate(text)
	}
	const digits = 9
	if unit == 1e9 {
		fraction = (fraction + "000000000")[:digits]
	}
	rest, err := strconv.ParseUint(fraction, 10, 32)
	switch {
	case err != nil && fraction != "":
		return parseDate(text)
	case int64(rest) >= unit:
		rest = 0
	}
	return n*unit + int64(rest)
}

// parseDate reads a date and time. One without an offset is taken as UTC, as
// ClickHouse writes it if the server's zone is UTC.
func parseDate(text string) int64 {
	if len(text) > 64 {
		return 0
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05",
		"2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05 MST"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1677 && t.Year() < 2262 {
			return t.UnixNano()
		}
	}
	return 0
}
