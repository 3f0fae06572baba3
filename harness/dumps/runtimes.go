package dumps

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/forensics/read"
)

// cutAt is where the writers of this file cut a line. Container runtimes do so
// after 16 KiB, and few events are that long.
var cutAt = []int{40, 75}

// runtimeFormats returns the formats of container runtimes and of systemd, which cut long
// lines into several records.
func runtimeFormats() []Format {
	return []Format{
		{Name: "cri", Reads: read.CRI, Text: exact, write: eachPiece(asCRI)},
		{Name: "docker", Reads: read.Docker, Text: exact, write: eachPiece(asDocker)},
		{Name: "docker-local", Reads: read.DockerLocal, Text: exact, write: eachPiece(asDockerLocal)},
		{Name: "docker-fluentd", Reads: read.Runtime, Text: exact, write: eachPiece(asFluentd)},
		{Name: "fluentd-file", Reads: read.RuntimeLines, Text: exact, write: eachPiece(func(e export, p piece) string {
			// "out_file": a time and a tag are before each record.
			return e.timeOf(p) + "\tdocker.edge\t" + asFluentd(e, p)
		})},
		{Name: "systemd-json", Reads: read.Systemd, Text: exact, write: eachPiece(asSystemd)},
		{Name: "systemd-export", Reads: read.JournalExport, Text: exact, write: eachPiece(systemdExport)},
		{Name: "json-seq", Reads: read.JSONSeq, Text: exact, write: eachLine(func(_ export, _ int, body []byte) string {
			return "\x1e" + string(body)
		})},
		{Name: "json-sse", Reads: read.JSONEvents, Text: exact, write: eachLine(func(_ export, _ int, body []byte) string {
			return "data: " + string(body) + "\n"
		})},
	}
}

// piece is a part of the line of a record.
type piece struct {
	record, ordinal int
	text            []byte
	last            bool
}

// eachPiece concatenates the results of write for each part of each line.
func eachPiece(write func(export, piece) string) func(export) []byte {
	return eachRecord(func(e export, i int, body []byte) string {
		var out strings.Builder
		from := 0
		for n, to := range append(cutAt[:len(cutAt):len(cutAt)], len(body)) {
			out.WriteString(write(e, piece{i, n + 1, body[from:to], to == len(body)}))
			from = to
		}
		return out.String()
	})
}

// timeOf is the time of a record as a container runtime writes it.
func (e export) timeOf(p piece) string {
	return time.Unix(0, e.time(p.record)).UTC().Format("2006-01-02T15:04:05.000000000Z")
}

// asCRI follows "CRI: Container Runtime Interface, Log format".
func asCRI(e export, p piece) string {
	tag := "P"
	if p.last {
		tag = "F"
	}
	return e.timeOf(p) + " stdout " + tag + " " + string(p.text) + "\n"
}

// asDocker follows "JSON File logging driver".
func asDocker(e export, p piece) string {
	if p.last {
		p.text = append(bytes.Clone(p.text), '\n')
	}
	return fmt.Sprintf(`{"log":%s,"stream":"stdout","time":"%s"}`+"\n", Quote(string(p.text)), e.timeOf(p))
}

// asDockerLocal follows "Local file logging driver", and the definition of its records in
// api/types/plugins/logdriver/entry.proto of moby.
func asDockerLocal(e export, p piece) string {
	m := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "stdout")
	m = protowire.AppendVarint(protowire.AppendTag(m, 2, protowire.VarintType), uint64(e.time(p.record)))
	m = protowire.AppendBytes(protowire.AppendTag(m, 3, protowire.BytesType), p.text)
	m = protowire.AppendVarint(protowire.AppendTag(m, 4, protowire.VarintType), 1)
	meta := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), strconv.Itoa(p.record))
	meta = protowire.AppendVarint(protowire.AppendTag(meta, 3, protowire.VarintType), uint64(p.ordinal))
	if p.last {
		meta = protowire.AppendVarint(protowire.AppendTag(meta, 1, protowire.VarintType), 1)
	}
	m = protowire.AppendBytes(protowire.AppendTag(m, 5, protowire.BytesType), meta)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(m)))
	return string(size) + string(m) + string(size)
}

// asFluentd follows "Fluentd logging driver".
func asFluentd(e export, p piece) string {
	return fmt.Sprintf(
		`{"container_id":"c0ffee","container_name":"/edge","source":"stdout","log":%s,"partial_message":"true",`+
			`"partial_id":"id%d","partial_ordinal":"%d","partial_last":"%t"}`+"\n", Quote(string(p.text)), p.record,
		p.ordinal, p.last)
}

// entryFields returns the fields of an entry of a systemd journal, except its message.
func (e export) entryFields(p piece) [][2]string {
	all := [][2]string{
		{"__CURSOR", fmt.Sprintf("s=1;i=%d", 10*p.record+p.ordinal)},
		{"__REALTIME_TIMESTAMP", strconv.FormatInt(e.time(p.record)/1000, 10)},
		{"_TRANSPORT", "stdout"}, {"_STREAM_ID", "5"}, {"PRIORITY", "6"},
	}
	if !p.last {
		all = append(all, [2]string{"_LINE_BREAK", "line-max"})
	}
	return all
}

// asSystemd follows journalctl(1), "json": a message that is not printable is a list of bytes.
func asSystemd(e export, p piece) string {
	var out strings.Builder
	for _, f := range e.entryFields(p) {
		fmt.Fprintf(&out, `"%s":"%s",`, f[0], f[1])
	}
	message := Quote(string(p.text))
	if p.ordinal == 2 { // as if something in it were not printable
		message = "["
		for _, c := range p.text {
			message += strconv.Itoa(int(c)) + ","
		}
		message = strings.TrimSuffix(message, ",") + "]"
	}
	return "{" + out.String() + `"MESSAGE":` + message + "}\n"
}

// systemdExport follows "Journal Export Formats".
func systemdExport(e export, p piece) string {
	var out strings.Builder
	for _, f := range e.entryFields(p) {
		fmt.Fprintf(&out, "%s=%s\n", f[0], f[1])
	}
	if p.record%2 == 0 {
		return out.String() + "MESSAGE=" + string(p.text) + "\n\n"
	}
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(p.text)))
	return out.String() + "MESSAGE\n" + string(size) + string(p.text) + "\n\n"
}
