package read

import (
	"bytes"
	"encoding/binary"

	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// keepers are files that runtimes, shippers and stores write for themselves, next to logs.
// Each is known by its whole content.
var keepers = []struct {
	what string
	is   func([]byte) bool
}{
	{"checksums of other files",
		linearTest(`^(?:(?:[0-9a-fA-F]{32,128} [ *]\S.*|[A-Z0-9-]+ ?\(.+\) ?= [0-9a-fA-F]{32,128})\r?\n?)+$`)},
	{"the positions of a shipper (fluentd)", linearTest(`^(?:/[^\t\n]*\t[0-9a-f]{16}\t[0-9a-f]{16}\n)+$`)},
	{"the positions of a shipper (Promtail)", linearTest(`^positions:(?: \{\})?\n(?:  .+: ["']?[0-9]+["']?\n)*$`)},
	{"the state of logrotate", linearTest(`^logrotate state -- version [12]\n(?:"?/.*\n)*$`)},
	{"the state of a queue (rsyslog)", linearTest(`^<(?:OPB|Obj):1:qqueue:1:\n`)},
	{"the number of a process", linearTest(`^[0-9]{1,10}\n?$`)},
	{"the settings of a folder (macOS)", linearTest(`^\x00\x00\x00\x01Bud1`)},
	{"the attributes of a file (macOS)", linearTest(`^\x00\x05\x16\x07\x00\x02\x00\x00`)},
	{"the state of a buffer (fluentd)", isBufferState},
}

// keeperValues are such files that are one JSON object, by its members.
var keeperValues = []struct {
	what string
	required
}{
	{"the settings of a container (Docker)", nameList("ID State Config Image Driver")},
	{"the settings of a container's host (Docker)", nameList("Binds NetworkMode LogConfig")},
	{"the positions of a shipper (Vector)", nameList("version checkpoints")},
	{"the positions of a shipper (Filebeat)", nameList("op id")},
	{"the positions of a shipper (Filebeat)", nameList("k v")},
	{"the positions of a shipper (Filebeat)", nameList("_key cursor|offset|source")},
}

// linearTest returns a test of a pattern, whose cost is linear.
func linearTest(pattern string) func([]byte) bool {
	compiled := safetext.Pattern(`(?-s)` + pattern)
	return func(b []byte) bool { return compiled().Match(b) }
}

// keeperKind returns the kind of a stream that begins with b, if it is one that is kept next to
// logs and has no trace of an event; else "".
func keeperKind(b []byte) string {
	if len(b) == sniffSize { // there can be more behind it
		return ""
	}
	for _, k := range keepers {
		if k.is(b) && !unwrap.HasTraces(b) {
			return k.what
		}
	}
	return ""
}

// keeperValue is keeperKind for a JSON object with these members, each between spaces.
func keeperValue(b []byte, names string) string {
	for _, k := range keeperValues {
		if k.holdsIn(names) && !unwrap.HasTraces(b) {
			return k.what
		}
	}
	return ""
}

// isBufferState reports whether b is fluentd's state of a chunk of its buffer: two bytes, and
// a map with its length before it.
func isBufferState(b []byte) bool {
	const prefix = 6
	return len(b) > prefix && bytes.HasPrefix(b, []byte{0xc1, 0}) &&
		int64(binary.BigEndian.Uint32(b[2:])) == int64(len(b)-prefix)
}
