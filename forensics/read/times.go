package read

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// nanoseconds reads a time that is a count of nanoseconds, as a JSON number or
// string. It returns 0 for anything else.
func nanoseconds(literal []byte) int64 {
	n, err := strconv.ParseInt(string(bare(literal)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// elasticTime reads a time as the exporter sends it, which is
// "<milliseconds>.<nanoseconds>" with the nanoseconds not padded, or as a date.
func elasticTime(literal []byte) int64 {
	text := string(bare(literal))
	millis, nanos, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(millis, 10, 64)
	if err != nil || ms > math.MaxInt64/1_000_000 {
		return date(text)
	}
	n, err := strconv.ParseInt(nanos, 10, 64)
	if err != nil || n < 0 || n >= 1_000_000 {
		n = 0
	}
	return ms*1_000_000 + n
}

// seconds reads a time in seconds with any fraction, or a date.
func seconds(literal []byte) int64 {
	text := string(bare(literal))
	whole, fraction, _ := strings.Cut(text, ".")
	s, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || s < 0 || s > math.MaxInt64/1_000_000_000-1 {
		return date(text)
	}
	const digits = 9
	fraction = (fraction + "000000000")[:digits]
	ns, err := strconv.ParseUint(fraction, 10, 64)
	if err != nil {
		return date(text)
	}
	return s*1_000_000_000 + int64(ns)
}

// date reads a date and time. One without an offset is taken as UTC, as
// ClickHouse writes it if the server's zone is UTC.
func date(text string) int64 {
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
