package shapes

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// shellShapes are the event in command lines, requests and what browsers copy.
func shellShapes() []Shape {
	const (
		bash = "Bash: Quoting, https://www.gnu.org/software/bash/manual/html_node/Quoting.html"
		gnu  = "GNU Make: Using variables, https://www.gnu.org/software/make/manual/html_node/Using-Variables.html"
		urls = "WHATWG: URL, application/x-www-form-urlencoded, " +
			"https://url.spec.whatwg.org/#application/x-www-form-urlencoded"
		uri  = "ECMAScript: encodeURIComponent, https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent"
		har  = "HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/"
		curl = "Chrome DevTools: Copy as cURL, https://developer.chrome.com/docs/devtools/network/reference#copy"
		log  = "the log as it is"
	)
	return []Shape{
		{
			Name: "bash/printf-q", Document: bash, Export: log, Keeps: Octets,
			Write: lined("audit.sh", func(r record) string { return "line=" + printfQ(r.line) }),
		},
		{
			Name: "bash/ansi-c", Document: bash, Export: log, Keeps: Octets,
			Write: lined("audit.sh", func(r record) string { return "echo " + ansiC(r.line) }),
		},
		{
			Name: "bash/history", Document: bash, Export: log, Keeps: Octets,
			Write: lined(".bash_history", func(r record) string {
				return fmt.Sprintf("#%d\ncurl -sS -X POST -H 'Content-Type: application/json' --data %s https://"+
					"collector.example/v1/audit",
					r.at.Unix(), shellQuote(r.line))
			}),
		},
		{
			Name: "bash/double-quoted", Document: bash, Export: log, Keeps: Octets,
			Write: lined("audit.sh", func(r record) string {
				return `logger "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(r.line) + `"`
			}),
		},
		{
			Name: "bash/heredoc", Document: bash, Export: log, Keeps: Octets,
			Write: page{"audit.sh", "cat <<'EOF' >audit.jsonl\n", "\n", "\nEOF\n"}.of(func(r record) string { return r.line }),
		},
		{
			Name: "bash/xtrace", Document: bash, Export: log, Keeps: Octets,
			Write: lined("trace.txt", func(r record) string { return "+ printf '%s\\n' " + shellQuote(r.line) }),
		},
		{
			Name: "make/variable", Document: gnu, Export: log, Keeps: Octets,
			Write: lined("Makefile", func(r record) string {
				return "LINE_" + r.id() + " := " + strings.NewReplacer("$", "$$", "#", `\#`).Replace(r.line)
			}),
		},
		{
			Name: "url/form", Document: urls, Export: log, Keeps: Octets,
			Write: lined("requests.txt", func(r record) string {
				return "id=" + r.id() + "&body=" + url.QueryEscape(r.line) + "&source=edge"
			}),
		},
		{
			Name: "url/query", Document: uri, Export: log, Keeps: Octets,
			Write: lined("access.log", func(r record) string {
				return fmt.Sprintf(`192.0.2.7 - - [%s] "GET /audit?n=%d&body=%s HTTP/1.1" 204 0 "-" "curl/8.5.0"`,
					r.at.Format("02/Jan/2006:15:04:05 -0700"), r.n, uriComponent(r.line))
			}),
		},
		{
			Name: "browser/har", Document: har, Export: "Save all as HAR with content", Keeps: Octets,
			Write: page{
				"audit.har", `{"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"entries":[`, ",", "]}}",
			}.of(func(r record) string {
				return `{"startedDateTime":"` + r.iso() + `","request":{"method":"POST","url":"https://collector.example/v1/` +
					`audit",` +
					`"postData":{"mimeType":"application/json","text":` + compact.quote(r.line) + `}},"response":{"status":204}}`
			}),
		},
		{
			Name: "chrome/copy-as-curl", Document: curl, Export: "Save all as HAR with content", Keeps: Octets,
			Write: lined("audit.sh", func(r record) string {
				return "curl 'https://collector.example/v1/audit' \\\n  -H 'content-type: application/json' \\\n  --data-raw " +
					chromeQuote(r.line)
			}),
		},
		{
			Name: "chrome/copy-as-fetch", Document: curl, Export: "Save all as HAR with content", Keeps: Octets,
			Write: lined("audit.js", func(r record) string {
				return "fetch(\"https://collector.example/v1/audit\", {\n  \"body\": " + compact.quote(r.line) +
					",\n  \"method\": \"POST\"\n});"
			}),
		},
		{
			Name: "http/multipart", Document: "RFC 7578: multipart/form-data, https://www.rfc-editor.org/rfc/rfc7578",
			Export: log, Keeps: Octets,
			Write: page{name: "request.txt", foot: "--x7f2--\r\n"}.of(func(r record) string {
				return "--x7f2\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n" + r.line + "\r\n"
			}),
		},
	}
}

// shellQuote puts a text in single quotes.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// printable reports whether a shell in a UTF-8 locale shows a text as it is.
func printable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// ansiC is a text as bash quotes it with $'…': characters that do not show are
// their octets.
func ansiC(text string) string {
	var out strings.Builder
	for _, r := range strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
		} else {
			out.WriteString(octal(string(r)))
		}
	}
	return "$'" + out.String() + "'"
}

// printfQ is what printf %q of bash writes.
func printfQ(text string) string {
	if !printable(text) {
		return ansiC(text)
	}
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(" '\"\\|&;()<>!{}*[]?^$`,", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// chromeQuote is a text as Chrome writes it for bash.
func chromeQuote(text string) string {
	if printable(text) && !strings.ContainsAny(text, "'!") {
		return "'" + text + "'"
	}
	text = strings.NewReplacer(`\`, `\\`, "'", `\'`, "!", `\u0021`).Replace(text)
	return "$'" + javaASCII(text, "%04x") + "'"
}

// uriComponent escapes as encodeURIComponent does.
func uriComponent(text string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A",
		"*").Replace(url.QueryEscape(text))
}
