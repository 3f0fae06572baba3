package shapes

import (
	"fmt"
	"strings"
)

const syslogRsyslog = "rsyslog documentation, https://www.rsyslog.com/doc/configuration/templates.html"

const syslogTooLong = "rsyslog cuts messages above maxMessageSize, 8 KiB unless it is set."

func rsyslogShapes() []Shape {
	return []Shape{
		{Name: "rsyslog/traditional", Document: syslogRsyslog, Export: "a template with %rawmsg%, maxMessageSize 1m",
			Keeps: Octets,
			Loses: syslogTooLong, Write: lined("messages", func(r record) string {
				return syslogTime(r) + " berlin edge[812]: " +
					r.line
			})},
		{Name: "rsyslog/file", Document: syslogRsyslog, Export: "a template with %rawmsg%, maxMessageSize 1m",
			Keeps: Octets,
			Loses: syslogTooLong, Write: lined("messages", func(r record) string {
				return r.zoned() + " berlin edge[812]: " +
					r.line
			})},
		{Name: "rsyslog/rfc5424", Document: "RSYSLOG_SyslogProtocol23Format, " + syslogRsyslog,
			Export: "a template with %rawmsg%, maxMessageSize 1m",
			Keeps:  Octets, Loses: syslogTooLong, Batch: true, Write: lined("messages", func(r record) string {
				return "<14>1 " + r.zoned() + ` berlin edge 812 - [meta@32473 ` + batchKey + `="` + r.batch + `"] ` + r.line
			})},
		{Name: "rsyslog/octets-counted", Document: "RFC 6587, 3.4.1, https://www.rfc-editor.org/rfc/rfc6587",
			Export: "a capture of the connection",
			Keeps:  Octets, Write: page{name: "capture.bin"}.of(func(r record) string {
				return counted("<14>1 " + r.zoned() + ` berlin edge 812 - - ` + r.line)
			})},
		{Name: "rsyslog/json", Document: "rsyslog, list templates, option.jsonf, " + syslogRsyslog, Export: "option.jsonf",
			Keeps: Octets,
			Loses: syslogTooLong, Batch: true, Write: lined("messages.json", func(r record) string {
				return rsyslogged.object("timestamp", rsyslogged.quote(r.zoned()), "host", `"berlin"`, "message",
					rsyslogged.quote(r.line), batchKey, rsyslogged.quote(r.batch))
			})},
		{Name: "rsyslog/csv", Document: "rsyslog, property replacer, option csv, " +
			"https://www.rsyslog.com/doc/configuration/property_replacer.html",
			Export: "option.jsonf", Keeps: Octets, Loses: syslogTooLong, Write: lined("messages.csv", func(r record) string {
				return doubled(r.zoned(), `"`) + `,"berlin",` + doubled(r.line, `"`)
			})},
		{Name: "rsyslog/octal", Document: "rsyslog, escapeControlCharactersOnReceive, " +
			"https://www.rsyslog.com/doc/configuration/input_directives/rsconf1_escapecontrolcharactersonreceive.html",
			Export: "parser.escapeControlCharactersOnReceive=off", Keeps: Octets,
			Loses: "Line feeds between events of one message become #012.",
			Write: pairs("messages", "#012", func(r record, lines string) string {
				return syslogTime(r) +
					" berlin edge[812]: " + lines + "#012"
			})},
		{Name: "rsyslog/octal-8bit", Document: "rsyslog, parser.escape8BitCharactersOnReceive, " +
			"https://www.rsyslog.com/doc/rainerscript/global.html",
			Export: "parser.escape8BitCharactersOnReceive=off", Keeps: Octets,
			Loses: "A # of the message itself is not escaped.",
			Write: lined("messages", func(r record) string {
				return syslogTime(r) + " berlin edge[812]: " + octets(r.line, func(b byte) string {
					return fmt.Sprintf("#%03o",
						b)
				})
			})},
	}
}

func rsyslogMoreShapes() []Shape {
	return []Shape{
		{Name: "syslog-ng/file", Document: "syslog-ng guide, default file template, " +
			"https://syslog-ng.github.io/admin-guide/", Export: "$(format-json --scope everything)",
			Keeps: Octets, Loses: "Messages above log-msg-size, 64 KiB, are cut.", Write: lined("messages",
				func(r record) string { return r.zoned() + " berlin edge[812]: " + r.line })},
		{Name: "syslog-ng/json", Document: "syslog-ng guide, format-json, https://syslog-ng.github.io/admin-guide/",
			Export: "$(format-json --scope everything)",
			Keeps:  Octets, Batch: true, Write: lined("messages.json", func(r record) string {
				return compact.object("PROGRAM", `"edge"`, "PRIORITY", `"info"`, "MESSAGE", compact.quote(r.line), "_meta",
					compact.object(batchKey, compact.quote(r.batch)), "ISODATE", compact.quote(r.zoned()))
			})},
		{Name: "bsd-syslog/1024", Document: "RFC 3164, 4.1, https://www.rfc-editor.org/rfc/rfc3164",
			Export: "syslog over TCP, RFC 6587", Keeps: Less,
			Loses: "Messages are cut at 1024 octets.", Lost: longer(1024 - len("<14>Mar  2 09:00:01 berlin edge[812]: ")),
			Write: cutAfter(1024)},
		{Name: "bsd-syslog/8192", Document: "FreeBSD, syslogd(8), MAXLINE, https://man.freebsd.org/syslogd",
			Export: "syslog over TCP, RFC 6587", Keeps: Less,
			Loses: "Messages are cut at 8192 octets.", Lost: longer(8192 - len("<14>Mar  2 09:00:01 berlin edge[812]: ")),
			Cuts: true, Write: cutAfter(8192)},
	}
}

func macosUnifiedShapes() []Shape {
	return []Shape{
		{Name: "macos-unified/ndjson", Document: "macOS, log(1), log show --style ndjson",
			Export: "log show --style ndjson", Keeps: Octets,
			Loses: "os_log cuts messages above 32 KiB.", Write: lined("log.ndjson", func(r record) string {
				return php.object("timestamp", php.quote(r.at.Format("2006-01-02 15:04:05.000000-0700")), "eventMessage",
					php.quote(r.line), "processImagePath", `"\/usr\/local\/bin\/edge"`)
			})},
	}
}

// syslogTime is the time of RFC 3164.
func syslogTime(r record) string { return r.at.Format("Jan _2 15:04:05") }

// counted puts its length before a message, RFC 6587.
func counted(message string) string { return fmt.Sprintf("%d %s", len(message), message) }

func longer(than int) func([]byte) bool { return func(line []byte) bool { return len(line) > than } }

// cutAfter cuts datagrams.
func cutAfter(size int) func(Log) Files {
	return lined("messages", func(r record) string {
		message := "<14>" + syslogTime(r) + " berlin edge[812]: " + r.line
		return message[:min(size, len(message))]
	})
}

// pairs writes two events into one record.
func pairs(name, between string, write func(r record, lines string) string) func(Log) Files {
	return func(l Log) Files {
		all := l.records()
		var out strings.Builder
		for len(all) > 1 {
			out.WriteString(write(all[0], all[0].line+between+all[1].line) + "\n")
			all = all[2:]
		}
		if len(all) > 0 {
			out.WriteString(write(all[0], all[0].line) + "\n")
		}
		return file(name, []byte(out.String()))
	}
}
