package shapes

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

const journalDocument = "systemd, journalctl(1), " +
	"https://www.freedesktop.org/software/systemd/man/latest/journalctl.html"

const journalFormat = "Journal export formats, https://systemd.io/JOURNAL_EXPORT_FORMATS/"

const journalExportWay = "journalctl -o export"

const journalSplits = "journald splits lines of standard output above LineMax, 48 KiB."

const journalSilently = "Lines above LineMax, 48 KiB, become several lines, and nothing says so."

func journalShapes() []Shape {
	return []Shape{
		journalShort("short", "Jan 02 15:04:05"), journalShort("short-iso", "2006-01-02T15:04:05+00:00"),
		journalShort("short-full", "Mon 2006-01-02 15:04:05 UTC"),
		journalShort("short-unix", "1772442000.123456"),
		{Name: "journalctl/with-unit", Document: journalDocument, Export: journalExportWay, Keeps: Less,
			Lost:  longer(lineMax),
			Loses: journalSilently, Cuts: true, Write: stored("journal.txt", func(r record, _ bool) string {
				return r.at.Format("Mon 2006-01-02 15:04:05 UTC") + " berlin edge.service[812]: " + r.line + "\n"
			})},
		{Name: "journalctl/cat", Document: journalDocument, Export: journalExportWay, Keeps: Less, Lost: longer(lineMax),
			Loses: journalSilently,
			Cuts:  true,
			Write: split("journal.txt", lineMax, func(r record, more bool) string { return r.line + "\n" })},
		{Name: "journalctl/verbose", Document: journalDocument, Export: journalExportWay, Keeps: Less,
			Loses: journalSplits + " Other fields stand between the parts.", Cuts: true, Lost: longer(48 << 10),
			Write: stored("journal.txt", func(r record, more bool) string {
				out := r.at.Format("Mon 2006-01-02 15:04:05.000000 UTC") +
					" [s=5c;i=1;b=6e;m=1;t=1;x=1]\n    PRIORITY=6\n    _TRANSPORT=stdout\n    MESSAGE=" + r.line + "\n"
				if more {
					out += "    _LINE_BREAK=line-max\n"
				}
				return out + "    _PID=812\n"
			})},
		{Name: "journalctl/json", Document: journalFormat, Export: "journalctl -o json --all", Keeps: Octets,
			Loses: journalSplits,
			Cuts:  true,
			Write: split("journal.json", lineMax, func(r record, more bool) string {
				return journalJSON(r, more, compact) +
					"\n"
			})},
		{Name: "journalctl/json-nulls", Document: journalFormat, Export: "journalctl -o json --all", Keeps: Less,
			Cuts:  true,
			Lost:  longer(4096),
			Loses: "Without --all, fields above 4096 octets are null.", Write: lined("journal.json", func(r record) string {
				message := compact.quote(r.line)
				if len(r.line) > 4096 {
					message = "null"
				}
				return compact.object("__REALTIME_TIMESTAMP", `"`+r.micros()+`"`, "MESSAGE", message, "_TRANSPORT", `"stdout"`)
			})},
		{Name: "journalctl/json-pretty", Document: journalFormat, Export: journalExportWay, Keeps: Octets,
			Loses: journalSplits, Cuts: true,
			Write: split("journal.json", lineMax, func(r record, more bool) string {
				return journalJSON(r, more, spelling{colon: " : ", indent: "\t"}) + "\n"
			})},
		{Name: "journalctl/json-sse", Document: journalFormat, Export: journalExportWay, Keeps: Octets,
			Loses: journalSplits, Cuts: true,
			Write: split("journal.sse", lineMax, func(r record, more bool) string {
				return "data: " + journalJSON(r, more,
					compact) + "\n\n"
			})},
		{Name: "journalctl/json-seq", Document: "RFC 7464, https://www.rfc-editor.org/rfc/rfc7464",
			Export: journalExportWay,
			Keeps:  Octets, Loses: journalSplits, Cuts: true,
			Write: split("journal.json-seq", lineMax, func(r record, more bool) string {
				return "\x1e" + journalJSON(r, more,
					compact) + "\n"
			})},
	}
}

func journalctlShapes() []Shape {
	return []Shape{
		{Name: "journalctl/json-octets", Document: journalFormat, Export: journalExportWay, Keeps: Octets,
			Loses: journalSplits,
			Write: split("journal.json", lineMax, func(r record, _ bool) string {
				return compact.object("__REALTIME_TIMESTAMP", `"`+r.micros()+`"`, "MESSAGE", numbers(r.line, ","), "_TRANSPORT",
					`"stdout"`) + "\n"
			})},
		{Name: "journalctl/export", Document: journalFormat, Export: journalExportWay, Keeps: Octets,
			Loses: journalSplits, Cuts: true,
			Write: stored("journal.export", func(r record, more bool) string {
				return journalExport(r, more,
					"MESSAGE="+r.line+"\n")
			})},
		{Name: "journalctl/export-binary", Document: journalFormat, Export: journalExportWay, Keeps: Octets,
			Loses: journalSplits, Cuts: true,
			Write: split("journal.export", lineMax, func(r record, more bool) string {
				size := binary.LittleEndian.AppendUint64(nil, uint64(len(r.line)))
				return journalExport(r, more, "MESSAGE\n"+string(size)+r.line+"\n")
			})},
	}
}

func journalShort(name, stamp string) Shape {
	return Shape{Name: "journalctl/" + name, Document: journalDocument, Export: journalExportWay, Keeps: Less,
		Lost:  longer(lineMax),
		Loses: journalSilently, Cuts: true,
		Write: stored("journal.txt", func(r record, _ bool) string {
			return r.at.Format(stamp) + " berlin edge[812]: " +
				r.line + "\n"
		})}
}

// lineMax is how much of a line journald puts into one entry.
const lineMax = 48 * 1024

// stored writes the entries of journald: a long line is several, all but the last
// of which say so.
func stored(name string, write func(r record, more bool) string) func(Log) Files {
	return parts(name, lineMax, whole, write)
}

// split writes each line in parts of at most so many octets. More says that the
// line goes on.
func split(name string, size int, write func(r record, more bool) string) func(Log) Files {
	return parts(name, size, func(string, int) bool { return true }, write)
}

// whole reports whether no character of a text is cut in two.
func whole(text string, at int) bool { return utf8.RuneStart(text[at]) }

// parts is split, with a rule of where it may cut.
func parts(name string, size int, may func(text string, at int) bool,
	write func(r record, more bool) string) func(Log) Files {
	return func(l Log) Files {
		var out strings.Builder
		for _, r := range l.records() {
			rest := r.line
			for len(rest) > size {
				end := size
				for !may(rest, end) {
					end--
				}
				r.line, rest = rest[:end], rest[end:]
				out.WriteString(write(r, true))
			}
			r.line = rest
			out.WriteString(write(r, false))
		}
		return file(name, []byte(out.String()))
	}
}

// micros is the record's time in microseconds since 1970.
func (r record) micros() string { return fmt.Sprint(r.at.UnixMicro()) }

// numbers is an array of octets, with a separator.
func numbers(text, between string) string {
	all := make([]string, len(text))
	for i := range len(text) {
		all[i] = fmt.Sprint(text[i])
	}
	return "[" + strings.Join(all, between) + "]"
}

func journalJSON(r record, more bool, s spelling) string {
	broken := ""
	if more {
		broken = `"_LINE_BREAK":"line-max",`
	}
	message := compact.quote(r.line)
	if !utf8.ValidString(r.line) {
		message = numbers(r.line, ",")
	}
	return s.respell(`{"__CURSOR":"s=5c;i=` + r.id() + `;b=6e","__REALTIME_TIMESTAMP":"` + r.micros() +
		`","PRIORITY":"6","_TRANSPORT":"stdout","_STREAM_ID":"7f","MESSAGE":` +
		message + `,` + broken + `"SYSLOG_IDENTIFIER":"edge","_PID":"812"}`)
}

func journalExport(r record, more bool, message string) string {
	broken := ""
	if more {
		broken = "_LINE_BREAK=line-max\n"
	}
	return "__CURSOR=s=5c;i=" + r.id() + ";b=6e\n__REALTIME_TIMESTAMP=" + r.micros() +
		"\n__MONOTONIC_TIMESTAMP=1\n_BOOT_ID=6e\nPRIORITY=6\n_TRANSPORT=stdout\n_STREAM_ID=7f\n" +
		message + broken + "SYSLOG_IDENTIFIER=edge\n_PID=812\n\n"
}
