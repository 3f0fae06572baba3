package read

import (
	"bytes"
	"strconv"

	"github.com/svc-edge/svc-verify/finding"
)

var dockerMembers = []string{"log", "stream", "time", "attrs"}

// docker reads a record of Docker's json-file. A line ends with the record whose
// text ends with a line feed.
func (d *doc) docker() error {
	if d.fault != nil {
		return nil // finish says why
	}
	var parts [4][]byte
	pick(d.b, dockerMembers, parts[:])
	text, _, ok := d.unquote(d.level, parts[0])
	if !ok {
		return d.drop(d.b, &fault{finding.SourceNoRecord, 0, "a record without a log line"})
	}
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	d.flattened(parts[3], "attributes")
	d.flattened(d.b, "")
	return d.part(part{key: "docker " + string(bare(parts[1])), text: text, time: date(string(bare(parts[2]))),
		last: bytes.HasSuffix(text, []byte("\n")), implied: true, inJSON: true})
}

// members of the records that shippers make of lines of a container
const (
	memberText = iota
	memberMessage
	memberOutput
	memberSource
	memberContainer
	memberTag
	memberFlag
	memberTime
	memberPartial
	memberID
	memberOrdinal
	memberLast
	memberCount
)

var runtimeMembers = []string{"log", "message", "stream", "source", "container_id", "logtag", "_p", "time",
	"partial_message", "partial_id", "partial_ordinal", "partial_last"}

// runtime reads a record as the fluentd driver of Docker makes it, with the
// members that it adds to a part of a line, or as a shipper makes it of the log of
// a container, with the tags of the CRI in a member.
func (d *doc) runtime() error {
	if d.fault != nil {
		return nil // finish says why
	}
	var m [memberCount][]byte
	pick(d.b, runtimeMembers, m[:])
	if m[memberText] == nil {
		m[memberText] = m[memberMessage]
	}
	text, _, ok := d.unquote(d.level, m[memberText])
	if !ok {
		return d.drop(d.b, &fault{finding.SourceNoRecord, 0, "a record without a log line"})
	}
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	d.flattened(d.b, "")
	value := func(i int) string { return string(bare(m[i])) }
	p := part{text: text, time: date(value(memberTime)), inJSON: true}
	p.key = value(memberContainer) + " " + value(memberOutput) + value(memberSource) + " " + value(memberID)
	switch tag := value(memberTag) + value(memberFlag); {
	case m[memberID] != nil:
		n, err := strconv.Atoi(value(memberOrdinal))
		p.ordinal, p.last = max(n, 0), value(memberLast) == "true"
		if err != nil || n < 1 {
			return d.drop(d.b, &fault{finding.SourceUnparseable, 0, "a part of a line without its number"})
		}
	case tag != "":
		p.last = tag[0] != 'P'
	default:
		p.last = value(memberPartial) != "true"
	}
	return d.part(p)
}
