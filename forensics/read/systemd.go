package read

import (
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/finding"
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

// systemd reads an entry of a systemd journal as "journalctl -o json" prints it.
func (d *doc) systemd() error {
	if d.fault != nil {
		return nil // finish says why
	}
	var m [entryCount][]byte
	pick(d.b, entryMembers, m[:])
	if string(m[entryMessage]) == "null" {
		return d.drop(d.b, &fault{finding.BodyTruncated, 0,
			"MESSAGE is null: journalctl leaves out what is longer than 4096 bytes; export it with --all, or as -o export"})
	}
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	d.flattened(d.b, "")
	return d.messages(m[entryMessage], entryPart(func(i int) string { return string(bare(m[i])) }))
}

// messages reads the texts of an entry: a string, octets as numbers, or a list of
// such.
func (d *doc) messages(literal []byte, p part) error {
	if len(literal) > 0 && literal[0] == '[' {
		if octets, ok := octetList(literal); ok {
			p.text = octets
			return d.part(p)
		}
		n := 0
		c := cursor{b: literal}
		err := c.array(func() error {
			n++
			inner := c.value()
			if octets, ok := octetList(inner); ok {
				p.text = octets
				return d.part(p)
			}
			if len(inner) > 0 && inner[0] == '[' {
				return d.drop(inner, &fault{finding.SourceUnparseable, 0, "a list of other things than octets"})
			}
			return d.messages(inner, p)
		})
		if n == 0 && err == nil {
			err = d.drop(d.b, &fault{finding.SourceNoRecord, 0, "an entry without a message"})
		}
		return err
	}
	text, _, ok := d.unquote(d.level, literal)
	if !ok {
		return d.drop(d.b, &fault{finding.SourceNoRecord, 0, "an entry without a message"})
	}
	p.text = text
	return d.part(p)
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
