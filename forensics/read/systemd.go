package read

import (
	"fmt"
	"strconv"
)

// The fields of an entry of a systemd journal that matter here.
const (
	entryMessage = iota
	entryTime
	entryStream
	entryBreak
	entryContainer
	entryPriority
	entryPartial
	entryPartialID
	entryPartialOrdinal
	entryPartialLast
	entryCount
)

var entryMembers = []string{"MESSAGE", "__REALTIME_TIMESTAMP", "_STREAM_ID", "_LINE_BREAK",
	"CONTAINER_ID_FULL", "PRIORITY", "CONTAINER_PARTIAL_MESSAGE", "CONTAINER_PARTIAL_ID",
	"CONTAINER_PARTIAL_ORDINAL", "CONTAINER_PARTIAL_LAST"}

// entryPart makes a part of the fields of an entry. The journal itself cuts lines
// of an output that are longer than LineMax=, and Docker cuts those of containers.
func entryPart(value func(int) string) part {
	p := part{time: microseconds(value(entryTime))}
	p.last = value(entryPartial) != "true" && value(entryBreak) != "line-max"
	p.key = fmt.Sprintf("systemd %s %s %s %s", value(entryStream), value(entryContainer), value(entryPriority),
		value(entryPartialID))
	if n, err := strconv.Atoi(value(entryPartialOrdinal)); err == nil && value(entryPartialID) != "" {
		p.ordinal, p.last = max(n, 0), value(entryPartialLast) == "true"
	}
	return p
}

// octetList returns the octets that a list of numbers stands for.
func octetList(literal []byte) ([]byte, bool) {
	var octets []byte
	c := cursor{b: literal}
	bad := len(literal) == 0 || literal[0] != '['
	_ = c.array(func() error {
		n, err := strconv.ParseUint(string(c.value()), 10, 8)
		if err != nil {
			bad = true
			return errFound
		}
		octets = append(octets, byte(n))
		return nil
	})
	return octets, !bad && len(octets) > 0
}

// microseconds reads a time that is a count of microseconds.
func microseconds(text string) int64 {
	const most = 9_000_000_000_000_000 // and still a number of nanoseconds
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0
	}
	return n * 1000
}
