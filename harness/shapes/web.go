package shapes

import (
	"encoding/hex"
	"fmt"
	"strings"
)

const proxyNginx = "nginx documentation, https://nginx.org/en/docs/http/ngx_http_log_module.html"

const proxyLimit = "Request bodies above client_body_buffer_size are not logged."

func nginxShapes() []Shape {
	return []Shape{
		{Name: "nginx/access-body", Document: proxyNginx, Export: "escape=none, one line each", Keeps: Octets,
			Loses: proxyLimit,
			Write: lined("access.log", func(r record) string { return proxyAccess(r, nginxEscaped(r.line)) })},
		{Name: "nginx/access-json", Document: proxyNginx, Export: "escape=json", Keeps: Octets, Loses: proxyLimit,
			Batch: true,
			Write: lined("access.json", func(r record) string {
				return `{"time":"` + r.zoned() + `","status":200,"` + batchKey + `":"` + r.batch + `","request_body":` +
					jackson.quote(r.line) + `}`
			})},
		{Name: "nginx/error", Document: "nginx documentation, https://nginx.org/en/docs/ngx_core_module.html#error_log",
			Export: "a log of its own", Keeps: Less, Cuts: true, Lost: longer(1900), Loses: "Lines are cut at 2048 octets.",
			Write: lined("error.log", func(r record) string {
				line := r.at.Format("2006/01/02 15:04:05") + " [info] 812#812: *1 js: " + r.line
				return line[:min(len(line), 2047)]
			})},
		{Name: "apache/error", Document: "Apache HTTP Server, error log, https://httpd.apache.org/docs/2.4/logs.html",
			Export: "a log of its own", Keeps: Less, Lost: longer(2000), Cuts: true, Loses: "Messages are cut at 8192 octets.",
			Write: lined("error_log", func(r record) string {
				line := r.at.Format("[Mon Jan 02 15:04:05.000000 2006]") +
					" [lua:info] [pid 812:tid 1] [client 10.0.0.7:50000] " + nginxEscapedLower(r.line)
				return line[:min(len(line), 8192)]
			})},
		{Name: "apache/access-header", Document: "Apache HTTP Server, mod_log_config, " +
			"https://httpd.apache.org/docs/2.4/mod/mod_log_config.html", Export: "the request itself", Keeps: Octets,
			Write: lined("access_log", func(r record) string {
				return proxyAccess(r, nginxEscapedLower(r.line))
			})},
		{Name: "haproxy/http", Document: "HAProxy configuration manual, log-format, " +
			"https://docs.haproxy.org/3.0/configuration.html", Export: "a raw log target", Keeps: Octets,
			Loses: "Lines are cut at len, 1024 octets unless it is set.", Write: lined("haproxy.log", func(r record) string {
				return syslogTime(r) + " berlin haproxy[812]: 10.0.0.7:50000 [" + r.at.Format("02/Jan/2006:15:04:05.000") +
					"] fe be/s1 0/0/1/2/3 200 2 - - ---- 1/1/0/0/0 0/0 {" + haproxyEscaped(r.line) + "} \"POST /v1/logs HTTP/1.1\""
			})},
	}
}

func envoyShapes() []Shape {
	return []Shape{
		{Name: "envoy/access-json", Document: "Envoy, access logging, " +
			"https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage", Export: "json_format",
			Keeps: Octets, Write: lined("access.json", func(r record) string {
				return compact.object("start_time", compact.quote(r.iso()), "response_code", "200", "metadata",
					compact.object("body", compact.quote(r.line)))
			})},
		{Name: "caddy/json", Document: "Caddy, log directive, https://caddyserver.com/docs/caddyfile/directives/log",
			Export: "the JSON encoder", Keeps: Octets, Batch: true, Write: lined("access.log", func(r record) string {
				return `{"level":"info","ts":` + r.epoch(6) +
					`,"logger":"http.log.access","request":{"headers":{"X-Svc-Edge-Audit-Batch":["` + r.batch + `"]}},"body":` +
					compact.quote(r.line) + `}`
			})},
		{Name: "modsecurity/audit", Document: "ModSecurity, audit log, " +
			"https://github.com/owasp-modsecurity/ModSecurity/wiki/ModSecurity-2-Data-Formats", Export: "part C", Keeps: Octets,
			Write: page{name: "modsec_audit.log", between: "\n", foot: "\n"}.of(func(r record) string {
				return "--6fd3a5b1-A--\n[02/Mar/2026:09:00:01 +0000] Z1 10.0.0.7 50000 10.0.0.1 80\n--6fd3a5b1-B--\nPOST " +
					"/v1/logs HTTP/1.1\nX-Svc-Edge-Audit-Batch: " + r.batch + "\n\n--6fd3a5b1-C--\n" + r.line + "\n--6fd3a5b1-Z--\n"
			})},
	}
}

func proxyAccess(r record, body string) string {
	return `10.0.0.7 - - [` + r.at.Format("02/Jan/2006:15:04:05 -0700") +
		`] "POST /v1/logs HTTP/1.1" 200 2 "-" "edge/1.4" "` + body + `"`
}

// nginxEscaped writes quotes, backslashes and what is not printable ASCII as \xXX.
func nginxEscaped(text string) string {
	return octets(strings.NewReplacer(`\`, `\x5C`, `"`, `\x22`).Replace(text),
		func(b byte) string { return fmt.Sprintf(`\x%02X`, b) })
}

// nginxEscapedLower escapes as Apache does: \" and \\, and \xhh.
func nginxEscapedLower(text string) string { return hexed(cString(text)) }

// haproxyEscaped writes what HAProxy does not print as #XX.
func haproxyEscaped(text string) string {
	return octets(strings.NewReplacer("#", "#23", `"`, "#22", "{", "#7B", "}", "#7D", "|", "#7C").Replace(text),
		func(b byte) string { return fmt.Sprintf("#%02X", b) })
}

const captureHar = "HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/"

const captureWireshark = "Wireshark, tshark(1), https://www.wireshark.org/docs/man-pages/tshark.html"

const captureExport = "the capture file, followed by tshark -z follow"

func curlShapes() []Shape {
	return []Shape{
		{Name: "curl/verbose", Document: "curl(1), -v, https://curl.se/docs/manpage.html", Export: "curl -o",
			Keeps: Octets, Write: lined("curl.txt", func(r record) string {
				return "*   Trying 10.0.0.1:443...\n> GET /lines/" + r.id() +
					" HTTP/1.1\n> Host: logs.acme.example\n> \n< HTTP/1.1 200 OK\n< content-type: application/json\n< \n{ " +
					"[632 bytes data]\n" + r.line + "\n* Connection #0 to host logs.acme.example left intact"
			})},
		{Name: "curl/trace-ascii", Document: "curl(1), --trace-ascii, https://curl.se/docs/manpage.html",
			Export: "curl -o", Keeps: Less, Loses: "Lines are broken after 64 octets, and what is not ASCII becomes a dot.",
			Write: lined("trace.txt", func(r record) string {
				out := fmt.Sprintf("<= Recv data, %d bytes (0x%x)", len(r.line), len(r.line))
				for at := 0; at < len(r.line); at += 64 {
					out += fmt.Sprintf("\n%04x: %s", at, shown([]byte(r.line[at:min(at+64, len(r.line))])))
				}
				return out
			})},
		{Name: "http/requests", Document: "RFC 9112, https://www.rfc-editor.org/rfc/rfc9112", Export: captureExport,
			Keeps: Octets, Write: page{name: "stream.txt"}.of(captureRequest)},
		{Name: "http/responses", Document: "RFC 9112, https://www.rfc-editor.org/rfc/rfc9112", Export: captureExport,
			Keeps: Octets, Write: page{name: "stream.txt"}.of(func(r record) string {
				return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s\n",
					len(r.line)+1, r.line)
			})},
		{Name: "http/chunked", Document: "RFC 9112, 7.1, https://www.rfc-editor.org/rfc/rfc9112",
			Export: "curl, which joins the chunks", Keeps: Octets,
			Write: page{name: "stream.txt", head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
				foot: "0\r\n\r\n"}.of(func(r record) string {
				return fmt.Sprintf("%x\r\n%s\n\r\n", len(r.line)+1, r.line)
			})},
		{Name: "http/server-sent-events",
			Document: "WHATWG HTML, server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html",
			Export:   "curl -N", Keeps: Octets,
			Write: lined("stream.txt", func(r record) string {
				return "id: " + r.id() + "\nevent: line\ndata: " + r.line +
					"\n"
			})},
	}
}

func harShapes() []Shape {
	return []Shape{
		{Name: "har/text", Document: captureHar, Export: "HAR with content", Keeps: Octets,
			Write: captureEntries(func(r record) string {
				return compact.object("size", fmt.Sprint(len(r.line)), "mimeType", `"application/json"`, "text",
					compact.quote(r.line))
			})},
		{Name: "har/base64", Document: captureHar, Export: "HAR with content", Keeps: Octets,
			Write: captureEntries(func(r record) string {
				return compact.object("size", fmt.Sprint(len(r.line)), "mimeType", `"application/octet-stream"`, "text",
					`"`+base64Text(r.line)+`"`, "encoding", `"base64"`)
			})},
		{Name: "postman/collection", Document: "Postman collection format 2.1, https://schema.postman.com/",
			Export: "the response saved to a file", Keeps: Octets,
			Write: page{name: "collection.json", head: `{"info":{"name":"edge"},"item":[`, between: ",",
				foot: "]}"}.of(func(r record) string {
				return `{"name":"` + r.id() + `","response":[{"code":200,"body":` + compact.quote(r.line) + `}]}`
			})},
		{Name: "tcpdump/ascii", Document: "tcpdump(1), -A, https://www.tcpdump.org/manpages/tcpdump.1.html",
			Export: captureExport, Keeps: Less, Loses: "What is not printable ASCII becomes a dot.",
			Write: lined("tcpdump.txt", func(r record) string {
				return r.at.Format("15:04:05.000000") +
					fmt.Sprintf(" IP 10.0.0.7.50000 > 10.0.0.1.80: Flags [P.], length %d\nE..(.@.@....\n%s\n", len(r.line),
						shown([]byte(r.line)))
			}), Lost: func(line []byte) bool { return shown(line) != string(line) }},
		{Name: "wireshark/json", Document: captureWireshark, Export: captureExport, Keeps: Octets,
			Write: page{name: "capture.json",
				head: "[\n", between: ",\n", foot: "\n]\n"}.of(func(r record) string {
				return `  {"_index": "packets-2026-03-02", "_source": {"layers": {"frame": {"frame.number": "` + r.id() +
					`"}, "tcp": {"tcp.payload": "` + colons(r.line) + `"}}}}`
			})},
		{Name: "wireshark/pdml", Document: captureWireshark, Export: captureExport, Keeps: Octets,
			Write: page{name: "capture.pdml",
				head:    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<pdml version=\"0\" creator=\"wireshark/4.2.0\">\n",
				between: "\n", foot: "\n</pdml>\n"}.of(func(r record) string {
				return `<packet><proto name="tcp"><field name="tcp.payload" size="` + fmt.Sprint(len(r.line)) +
					`" pos="66" show="` + colons(r.line) + `" value="` + hexText(r.line) + `"/></proto></packet>`
			})},
		{Name: "wireshark/follow-ascii", Document: captureWireshark, Export: captureExport, Keeps: Less,
			Loses: "What is not printable ASCII becomes a dot.",
			Write: page{name: "follow.txt",
				head: "\n===================================================================\nFollow: tcp,ascii\nFilter: " +
					"tcp.stream eq 0\n",
				foot: "===================================================================\n"}.of(func(r record) string {
				return fmt.Sprintf("%d\n%s\n", len(r.line), shown([]byte(r.line)))
			}), Lost: func(line []byte) bool { return shown(line) != string(line) }},
	}
}

func tsharkShapes() []Shape {
	return []Shape{
		{Name: "tshark/fields", Document: captureWireshark, Export: captureExport, Keeps: Octets, Write: lined("fields.tsv",
			func(r record) string { return r.id() + "\t" + r.epoch(9) + "\t" + hexText(r.line) })},
	}
}

func captureRequest(r record) string {
	return "POST /v1/lines HTTP/1.1\r\nHost: logs.acme.example\r\nContent-Type: " +
		"application/json\r\nX-Svc-Edge-Audit-Batch: " + r.batch + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n",
		len(r.line)) + r.line
}

func captureEntries(content func(r record) string) func(Log) Files {
	return page{name: "capture.har", head: `{"log":{"version":"1.2","creator":{"name":"WebInspector"},"entries":[`,
		between: ",", foot: "]}}"}.of(func(r record) string {
		return `{"startedDateTime":"` + r.iso() +
			`","time":12.5,"request":{"method":"GET","url":"https://logs.acme.example/` + r.id() +
			`"},"response":{"status":200,"headers":[{"name":"x-svc-edge-audit-batch","value":"` + r.batch +
			`"}],"content":` + content(r) + `}}`
	})
}

// colons is a text in hexadecimal with a colon between octets.
func colons(text string) string {
	var all []string
	for i := range len(text) {
		all = append(all, hex.EncodeToString([]byte{text[i]}))
	}
	return strings.Join(all, ":")
}
