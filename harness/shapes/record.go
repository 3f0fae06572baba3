package shapes

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// records are the lines of a log, the dot of a template.
type records []record

// record is one line of a log, or a part of one, with the fields that a store keeps alongside.
type record struct {
	N     int // from 1
	Line  string
	At    time.Time
	Batch string
	More  bool // the next record is the rest of the line
	last  bool
}

// logRecords returns the records of a log, in its order.
func (l Log) logRecords() records {
	all := make(records, len(l.Lines))
	for i, line := range l.Lines {
		all[i] = record{N: i + 1, Line: string(line), At: l.At(i).UTC(), Batch: l.Batch, last: i == len(all)-1}
	}
	return all
}

// Text is the log as it is: each line with its line feed.
func (all records) Text() string {
	var out strings.Builder
	for _, r := range all {
		out.WriteString(r.Line + "\n")
	}
	return out.String()
}

// Newest has the lines from the newest to the oldest.
func (all records) Newest() records {
	turned := slices.Clone(all)
	for i := range all {
		turned[i].Line = all[len(all)-1-i].Line
	}
	return turned
}

// Pairs has two lines in each record, with a text between them.
func (all records) Pairs(between string) (pairs records) {
	for pair := range slices.Chunk(all, 2) {
		r := pair[0]
		if len(pair) > 1 {
			r.Line += between + pair[1].Line
		}
		pairs = append(pairs, r)
	}
	return pairs
}

// Parts has each line in parts of at most so many bytes, and breaks no character.
func (all records) Parts(size int) records { return all.parts(size, utf8.RuneStart) }

// Cuts is Parts, but breaks characters.
func (all records) Cuts(size int) records { return all.parts(size, func(byte) bool { return true }) }

// parts breaks lines before bytes that may begin a part.
func (all records) parts(size int, may func(byte) bool) (parts records) {
	for _, r := range all {
		for rest := r.Line; ; parts = append(parts, r) {
			end := min(size, len(rest))
			for end < len(rest) && !may(rest[end]) {
				end--
			}
			r.Line, rest = rest[:end], rest[end:]
			if r.More = rest != ""; !r.More {
				break
			}
		}
		parts = append(parts, r)
	}
	return parts
}

// Widest is the width of the widest line, at least and at most so many characters;
// most is 0 for no limit.
func (all records) Widest(least, most int) int {
	for _, r := range all {
		n := utf8.RuneCountInString(r.Line)
		if most > 0 {
			n = min(n, most)
		}
		least = max(least, n)
	}
	return least
}

// Then returns a text if another line follows.
func (r record) Then(text string) string {
	if r.last {
		return ""
	}
	return text
}

// Ended is the line with its line feed, unless more of it follows.
func (r record) Ended() string {
	if r.More {
		return r.Line
	}
	return r.Line + "\n"
}

// Stamp is the record's time as most databases write it.
func (r record) Stamp() string { return r.At.Format("2006-01-02 15:04:05.000") }

// ISO is the record's time as most services write it.
func (r record) ISO() string { return r.At.Format("2006-01-02T15:04:05.000Z") }

// Nano is the record's time in RFC 3339 with nine digits.
func (r record) Nano() string { return r.At.Format("2006-01-02T15:04:05.000000000Z") }

// Zoned is the record's time in RFC 3339 in a zone other than UTC.
func (r record) Zoned() string { return r.At.Format("2006-01-02T15:04:05.000000+00:00") }

// Epoch is the record's time in seconds since 1970, with so many digits of a fraction.
func (r record) Epoch(digits int) string {
	return fmt.Sprintf("%d.%s", r.At.Unix(), fmt.Sprintf("%09d", r.At.Nanosecond())[:digits])
}
