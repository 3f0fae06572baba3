package shapes

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

const toolGrep = "GNU grep manual, output line prefix control, https://www.gnu.org/software/grep/manual/"

const toolCoreutils = "GNU coreutils manual, https://www.gnu.org/software/coreutils/manual/"

const toolDiff = "GNU diffutils manual, https://www.gnu.org/software/diffutils/manual/"

const toolCp = "cp"

func grepShapes() []Shape {
	return []Shape{
		{Name: "grep/file-and-line", Document: toolGrep, Export: toolCp, Keeps: Octets, Write: lined("grep.txt",
			func(r record) string { return "journal.ndjson:" + r.id() + ":" + r.line })},
		{Name: "grep/context", Document: toolGrep, Export: toolCp, Keeps: Octets, Write: lined("grep.txt",
			func(r record) string { return "journal.ndjson-" + r.id() + "-" + r.line })},
		{Name: "grep/octets", Document: toolGrep, Export: toolCp, Keeps: Octets, Write: lined("grep.txt",
			func(r record) string { return fmt.Sprintf("/var/log/journal.ndjson:%d:%s", r.n*512, r.line) })},
		{Name: "grep/color", Document: toolGrep, Export: toolCp, Keeps: Octets, Write: lined("grep.txt",
			func(r record) string {
				return "\x1b[35m\x1b[Kjournal.ndjson\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K" + strings.Replace(r.line,
					"policy.synced", "\x1b[01;31m\x1b[Kpolicy.synced\x1b[m\x1b[K", 1)
			})},
		{Name: "zgrep/group-separators", Document: toolGrep, Export: toolCp, Keeps: Octets, Write: lined("grep.txt",
			func(r record) string { return "journal.1.gz:" + r.line + "\n--" })},
		{Name: "ripgrep/json", Document: "ripgrep, grep_printer::JSON, " +
			"https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html", Export: toolCp, Keeps: Octets,
			Write: lined("rg.json", func(r record) string {
				return `{"type":"match","data":{"path":{"text":"journal.ndjson"},"lines":{"text":` +
					compact.quote(r.line+"\n") + `},"line_number":` + r.id() +
					`,"absolute_offset":0,"submatches":[{"match":{"text":"synced"},"start":10,"end":16}]}}`
			})},
		{Name: "awk/prefix", Document: "gawk manual, https://www.gnu.org/software/gawk/manual/", Export: toolCp,
			Keeps: Octets, Write: lined("awk.txt", func(r record) string {
				return "journal.ndjson " + r.id() + " | " +
					r.line + " |"
			})},
		{Name: "coreutils/nl", Document: toolCoreutils, Export: toolCp, Keeps: Octets, Write: lined("nl.txt", numbered)},
		{Name: "coreutils/tail-files", Document: toolCoreutils, Export: toolCp, Keeps: Octets, Write: page{name: "tail.txt",
			head: "==> journal.ndjson <==\n", between: "\n",
			foot: "\n\n==> other.log <==\n"}.of(func(r record) string { return r.line })},
		{Name: "coreutils/paste", Document: toolCoreutils, Export: toolCp, Keeps: Octets, Write: pairs("paste.txt", "\t",
			func(_ record, lines string) string { return lines })},
		{Name: "coreutils/fold", Document: toolCoreutils, Export: toolCp, Keeps: Less,
			Loses: "A line break stands after each 80 columns.", Lost: nil, Write: lined("folded.txt",
				func(r record) string { return wrapped(r.line, 80, "\n") })},
	}
}

func lessShapes() []Shape {
	return []Shape{
		{Name: "less/pasted", Document: "less(1), https://man7.org/linux/man-pages/man1/less.1.html", Export: toolCp,
			Keeps: Less, Loses: "Lines are wrapped at the width of the terminal.",
			Write: lined("paste.txt", func(r record) string { return wrapped(r.line, 120, "\n") })},
		{Name: "script/typescript", Document: "script(1), https://man7.org/linux/man-pages/man1/script.1.html",
			Export: toolCp, Keeps: Octets,
			Write: page{name: "typescript",
				head: "Script started on 2026-03-02 09:00:01+00:00 [TERM=\"xterm-256color\"]\n\x1b[?2004h$ cat " +
					"journal.ndjson\r\n\x1b[?2004l\r", between: "\r\n",
				foot: "\r\n\x1b[?2004h$ exit\r\n\nScript done on 2026-03-02 09:00:02+00:00 [COMMAND_EXIT_CODE=\"0\"]\n",
			}.of(func(r record) string { return r.line })},
		{Name: "asciinema/cast", Document: "asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/", Export: toolCp,
			Keeps: Octets,
			Write: page{name: "demo.cast", head: `{"version": 2, "width": 120, "height": 40}` + "\n", between: "\n",
				foot: "\n"}.of(func(r record) string {
				return fmt.Sprintf(`[%d.25, "o", %s]`, r.n, python.quote(r.line+"\r\n"))
			})},
		{Name: "tmux/capture-joined", Document: "tmux(1), capture-pane -J, https://man.openbsd.org/tmux", Export: toolCp,
			Keeps: Octets, Write: lined("pane.txt", func(r record) string { return r.line + "   " })},
		{Name: "tmux/pipe-pane", Document: "tmux(1), pipe-pane, https://man.openbsd.org/tmux", Export: toolCp,
			Keeps: Octets,
			Write: page{name: "pane.txt", between: "\r\n", foot: "\r\n"}.of(func(r record) string {
				return "\x1b[0m" +
					r.line + "\x1b[K"
			})},
		{Name: "diff/unified", Document: toolDiff, Export: toolCp, Keeps: Octets,
			Write: toolDiffed("--- /dev/null\t1970-01-01 00:00:00 +0000\n+++ journal.ndjson\t2026-03-02 09:00:01 +0000\n@@ "+
				"-0,0 +1,%2d @@\n", "+")},
		{Name: "diff/removed", Document: toolDiff, Export: toolCp, Keeps: Octets,
			Write: toolDiffed("--- journal.ndjson\n+++ /dev/null\n@@ -1,%2d +0,0 @@\n", "-")},
		{Name: "diff/normal", Document: toolDiff, Export: toolCp, Keeps: Octets, Write: toolDiffed("0a1,%2d\n", "> ")},
	}
}

func gitShapes() []Shape {
	return []Shape{
		{Name: "git/log-patch", Document: "git-log(1), https://git-scm.com/docs/git-log",
			Export: "git show HEAD:journal.ndjson", Keeps: Octets,
			Write: toolDiffed("commit 6fd3a5b1c2d46fd3a5b1c2d46fd3a5b1c2d46fd3\nAuthor: Ops <ops@acme.example>\nDate:   "+
				"Mon Mar 2 09:00:01 2026 +0000\n\n    journal\n\ndiff --git a/journal.ndjson b/journal.ndjson\nnew file "+
				"mode 100644\nindex 0000000..6fd3a5b\n--- /dev/null\n+++ b/journal.ndjson\n@@ -0,0 +1,%2d @@\n", "+")},
		{Name: "git/blame", Document: "git-blame(1), https://git-scm.com/docs/git-blame",
			Export: "git show HEAD:journal.ndjson", Keeps: Octets, Write: lined("blame.txt", func(r record) string {
				return fmt.Sprintf("^6fd3a5b (Ops 2026-03-02 09:00:01 +0000 %2d) %s", r.n, r.line)
			})},
		{Name: "watch/ts", Document: "moreutils, ts(1), https://joeyh.name/code/moreutils/", Export: toolCp, Keeps: Octets,
			Write: lined("ts.txt", func(r record) string { return r.at.Format("Jan 02 15:04:05 ") + r.line })},
		{Name: "ansible/stdout_lines", Document: "Ansible, return values, " +
			"https://docs.ansible.com/projects/ansible/latest/reference_appendices/common_return_values.html",
			Export: "ansible.builtin.fetch", Keeps: Octets,
			Write: func(l Log) Files {
				var all []string
				for _, r := range l.records() {
					all = append(all, ascii.quote(r.line))
				}
				text := spelling{ascii: true, colon: ": ",
					indent: "    "}.respell(`{"changed":false,"cmd":["cat","journal.ndjson"],"rc":0,"stdout_lines":[` +
					strings.Join(all, ",") + `]}`)
				return file("ansible.txt", []byte("ok: [berlin] => "+text+"\n"))
			}},
		{Name: "pssh/prefix", Document: "pdsh(1), https://github.com/chaos/pdsh", Export: "scp", Keeps: Octets,
			Write: lined("pdsh.txt", func(r record) string { return "berlin-1: " + r.line })},
		{Name: "shell/trace", Document: "Bash manual, set -x, https://www.gnu.org/software/bash/manual/", Export: toolCp,
			Keeps: Octets, Write: lined("trace.txt", func(r record) string {
				return "+ echo '" + strings.ReplaceAll(r.line, "'", `'\''`) + "'"
			})},
	}
}

func straceShapes() []Shape {
	return []Shape{
		{Name: "strace/write", Document: "strace(1), https://man7.org/linux/man-pages/man1/strace.1.html",
			Export: "strace -s 1048576", Keeps: Octets, Write: lined("strace.txt", func(r record) string {
				return fmt.Sprintf("812   %s write(1, \"%s\\n\", %d) = %d", r.epoch(6), octal(cString(r.line)), len(r.line)+1,
					len(r.line)+1)
			})},
	}
}

func toolDiffed(head, mark string) func(Log) Files {
	return func(l Log) Files {
		return page{name: "journal.diff", head: fmt.Sprintf(head, len(l.Lines)), between: "\n",
			foot: "\n"}.of(func(r record) string { return mark + r.line })(l)
	}
}

const encodingCoreutils = "GNU coreutils manual, https://www.gnu.org/software/coreutils/manual/"

func coreutilsShapes() []Shape {
	return []Shape{
		{Name: "coreutils/base64", Document: encodingCoreutils, Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.b64",
				func(text string) string { return wrapped(base64Text(text), 76, "\n") + "\n" })},
		{Name: "coreutils/base64-one-line", Document: encodingCoreutils, Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.b64",
				base64Text)},
		{Name: "coreutils/basenc-url", Document: encodingCoreutils, Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.b64",
				func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) })},
		{Name: "coreutils/base64-each-line", Document: encodingCoreutils, Export: "cp", Keeps: Octets,
			Write: lined("journal.b64",
				func(r record) string { return base64Text(r.line + "\n") })},
		{Name: "openssl/pem", Document: "RFC 7468, https://www.rfc-editor.org/rfc/rfc7468", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.pem", func(text string) string {
				return "-----BEGIN LOG-----\n" + wrapped(base64Text(text), 64, "\n") + "\n-----END LOG-----\n"
			})},
		{Name: "xxd/plain", Document: "xxd(1), https://linux.die.net/man/1/xxd", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.hex", func(text string) string { return wrapped(hexText(text), 60, "\n") + "\n" })},
		{Name: "xxd/one-line", Document: "xxd(1), https://linux.die.net/man/1/xxd", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.hex", hexText)},
		{Name: "xxd/dump", Document: "xxd(1), https://linux.die.net/man/1/xxd", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.xxd", func(text string) string {
				return dumped(text, func(at int, row []byte) string {
					var groups []string
					for i := 0; i < len(row); i += 2 {
						groups = append(groups, hex.EncodeToString(row[i:min(i+2, len(row))]))
					}
					return fmt.Sprintf("%08x: %-39s  %s\n", at, strings.Join(groups, " "), shown(row))
				})
			})},
		{Name: "hexdump/canonical", Document: "hexdump(1), https://man7.org/linux/man-pages/man1/hexdump.1.html",
			Export: "cp", Keeps: Octets, Write: encodingEncode("journal.hexdump", func(text string) string {
				return dumped(text, func(at int, row []byte) string {
					return fmt.Sprintf("%08x  %-23s  %-23s  |%s|\n", at, fmt.Sprintf("% x", row[:min(8, len(row))]),
						fmt.Sprintf("% x", row[min(8, len(row)):]), shown(row))
				}) + fmt.Sprintf("%08x\n", len(text))
			})},
	}
}

func iconvShapes() []Shape {
	return []Shape{
		{Name: "iconv/utf-16", Document: "RFC 2781, https://www.rfc-editor.org/rfc/rfc2781", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.txt", utf16Little)},
		{Name: "unix2dos/crlf", Document: "unix2dos(1), https://dos2unix.sourceforge.io/", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.txt", crlf)},
		{Name: "uuencode/base64", Document: "POSIX, uuencode -m, " +
			"https://pubs.opengroup.org/onlinepubs/9799919799/utilities/uuencode.html", Export: "cp", Keeps: Octets,
			Write: encodingEncode("journal.uue", func(text string) string {
				return "begin-base64 644 journal.ndjson\n" + wrapped(base64Text(text), 60, "\n") + "\n====\n"
			})},
		{Name: "curl/urlencoded", Document: "WHATWG URL, application/x-www-form-urlencoded, " +
			"https://url.spec.whatwg.org/#application/x-www-form-urlencoded", Export: "the body without encoding", Keeps: Octets,
			Write: lined("form.txt", func(r record) string {
				return "time=" + r.millis() + "&line=" + percent(r.line,
					true)
			})},
		{Name: "javascript/encodeURIComponent", Document: "ECMAScript, encodeURIComponent, https://tc39.es/ecma262/",
			Export: "the text itself", Keeps: Octets, Write: lined("lines.txt",
				func(r record) string { return percent(r.line, false) })},
	}
}

func encodingEncode(name string, encode func(string) string) func(Log) Files {
	return encoded(name, plain(""), func(content []byte) []byte { return []byte(encode(string(content))) })
}

// dumped writes rows of 16 octets.
func dumped(text string, write func(at int, row []byte) string) string {
	var out strings.Builder
	for at := 0; at < len(text); at += 16 {
		out.WriteString(write(at, []byte(text[at:min(at+16, len(text))])))
	}
	return out.String()
}

// shown are octets as dumps show them, with a dot for what is not printable.
func shown(row []byte) string {
	return octets(string(row), func(byte) string { return "." })
}

const jqManual = "jq manual, https://jqlang.org/manual/"

const jqExport = "cp, or jq -c ."

func jqShapes() []Shape {
	return []Shape{
		jqForm("pretty", Values, spelling{colon: ": ", indent: "  "}.respell),
		jqForm("tabs", Values, spelling{colon: ": ", indent: "\t"}.respell),
		jqForm("compact", Values, compact.respell),
		jqForm("ascii", Values, ascii.respell),
		jqForm("color", Values, colored),
		jqForm("strings", Octets, compact.quote),
		jqForm("tojson-twice", Octets, func(line string) string { return compact.quote(compact.quote(line)) }),
		jqForm("base64", Octets, base64Text),
		jqForm("csv", Octets, func(line string) string { return quoted(line) + ",1" }),
		jqForm("tsv", Octets, func(line string) string {
			return "1\t" + strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(line)
		}),
		jqForm("sh", Octets, func(line string) string { return "'" + strings.ReplaceAll(line, "'", `'\''`) + "'" }),
		jqForm("html", Octets, func(line string) string {
			return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&quot;").Replace(line)
		}),
		jqForm("uri", Octets, func(line string) string { return percent(line, false) }),
		{Name: "jq/slurped", Document: jqManual, Export: jqExport, Keeps: Octets, Write: func(l Log) Files {
			return file("jq.txt", []byte(compact.quote(string(l.lines(func(_ int, line string) string {
				return line +
					"\n"
			})))+"\n"))
		}},
		{Name: "jq/array", Document: jqManual, Export: jqExport, Keeps: Values, Write: func(l Log) Files {
			var all []string
			for _, r := range l.records() {
				all = append(all, r.line)
			}
			return file("jq.json", []byte(spelling{colon: ": ", indent: "  "}.respell("["+strings.Join(all, ",")+"]")+"\n"))
		}},
	}
}

func yqShapes() []Shape {
	return []Shape{
		{Name: "yq/yaml", Document: "yq, https://mikefarah.gitbook.io/yq/", Export: "yq -o json", Keeps: Octets,
			Write: page{name: "lines.yaml", between: "\n", foot: "\n"}.of(func(r record) string {
				return "- '" +
					strings.ReplaceAll(r.line, "'", "''") + "'"
			})},
		{Name: "yq/block", Document: "YAML 1.2, literal style, https://yaml.org/spec/1.2.2/", Export: "yq -o json",
			Keeps: Octets, Write: lined("lines.yaml", func(r record) string {
				return "- time: " + r.iso() +
					"\n  line: |-\n    " + r.line
			})},
	}
}

func jqForm(name string, keeps Keeps, write func(line string) string) Shape {
	return Shape{Name: "jq/" + name, Document: jqManual, Export: jqExport, Keeps: keeps, Write: lined("jq.txt",
		func(r record) string { return write(r.line) })}
}
