package dumps

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// cutAt is where the writers of this file cut a line. Container runtimes do so
// after 16 KiB, and few events are that long.
var cutAt = []int{40, 75}

// piece is a part of the line of a record.
type piece struct {
	entry
	Ordinal int
	Text    string
	Last    bool
}

// Pieces are the parts of all lines.
func (e export) Pieces() (all []piece) {
	for _, r := range e.Entries() {
		from := 0
		for n, to := range append(cutAt[:len(cutAt):len(cutAt)], len(r.Body)) {
			all = append(all, piece{r, n + 1, r.Body[from:to], to == len(r.Body)})
			from = to
		}
	}
	return all
}

// Log is the text as "JSON File logging driver" describes it: the last part has the line feed.
func (p piece) Log() string {
	if p.Last {
		return Quote(p.Text + "\n")
	}
	return p.Quoted()
}

// Quoted is the text as a JSON string.
func (p piece) Quoted() string { return Quote(p.Text) }

// Local follows "Local file logging driver", and the definition of its records in
// api/types/plugins/logdriver/entry.proto of moby.
func (p piece) Local() string {
	m := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "stdout")
	m = protowire.AppendVarint(protowire.AppendTag(m, 2, protowire.VarintType), uint64(p.Nano()))
	m = protowire.AppendString(protowire.AppendTag(m, 3, protowire.BytesType), p.Text)
	m = protowire.AppendVarint(protowire.AppendTag(m, 4, protowire.VarintType), 1)
	meta := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), strconv.Itoa(p.I))
	meta = protowire.AppendVarint(protowire.AppendTag(meta, 3, protowire.VarintType), uint64(p.Ordinal))
	if p.Last {
		meta = protowire.AppendVarint(protowire.AppendTag(meta, 1, protowire.VarintType), 1)
	}
	m = protowire.AppendBytes(protowire.AppendTag(m, 5, protowire.BytesType), meta)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(m)))
	return string(size) + string(m) + string(size)
}

// Fields returns the fields of an entry of a systemd journal, except its message.
func (p piece) Fields() [][2]string {
	all := [][2]string{
		{"__CURSOR", fmt.Sprintf("s=1;i=%d", 10*p.I+p.Ordinal)},
		{"__REALTIME_TIMESTAMP", strconv.FormatInt(p.Nano()/1000, 10)},
		{"_TRANSPORT", "stdout"}, {"_STREAM_ID", "5"}, {"PRIORITY", "6"},
	}
	if !p.Last {
		all = append(all, [2]string{"_LINE_BREAK", "line-max"})
	}
	return all
}

// Message follows journalctl(1), "json": a message that is not printable is a list of bytes. The
// second part is written as if something in it were not printable.
func (p piece) Message() string {
	if p.Ordinal != 2 {
		return p.Quoted()
	}
	return strings.ReplaceAll(fmt.Sprintf("%d", []byte(p.Text)), " ", ",")
}

// Framed is a message as "Journal Export Formats" describes it.
func (p piece) Framed() string {
	if p.I%2 == 0 {
		return "MESSAGE=" + p.Text
	}
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(p.Text)))
	return "MESSAGE\n" + string(size) + p.Text
}
