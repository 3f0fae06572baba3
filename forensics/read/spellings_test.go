package read_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"mime/quotedprintable"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// spelledEvents are genuine events of different lengths, with what encoders like to
// change in their texts.
func spelledEvents(n int) (all [][]byte) {
	texts := []string{"plain", `<b>&amp;</b> 'x' it''s`, "é 日本 \u2028 😀", `quote " backslash \ slash /`,
		"line\nfeed\ttab\u0001", "", "a, b; c: d", "padded", "padding", "x=1&y=2"}
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	for i := range n {
		e := log.Append(seal.Entry{Type: "test.event",
			Data: seal.Object{"n": int64(i), "text": texts[i%len(texts)] + strings.Repeat("z", i%7)}}, key)
		all = append(all, seal.Canonical(e))
	}
	return all
}

// A spelling is a way to write events into a file.
type spelling func(events []string) string

// eachLine writes each event on a line of its own.
func eachLine(form func(string) string) spelling {
	return func(events []string) string {
		var out strings.Builder
		for _, e := range events {
			out.WriteString(form(e) + "\n")
		}
		return out.String()
	}
}

// together writes all lines as one text.
func together(form func(string) string) spelling {
	return func(events []string) string { return form(strings.Join(events, "\n") + "\n") }
}

// wrapText breaks a text after so many octets.
func wrapText(width int, end, text string) string {
	var out strings.Builder
	for len(text) > width {
		out.WriteString(text[:width] + end)
		text = text[width:]
	}
	return out.String() + text
}

func base64Of(e *base64.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

func base32Of(e *base32.Encoding) func(string) string {
	return func(s string) string { return e.EncodeToString([]byte(s)) }
}

func wrapped(width int, end string, form func(string) string) func(string) string {
	return func(s string) string { return wrapText(width, end, form(s)) }
}

func surrounded(before string, form func(string) string, after string) func(string) string {
	return func(s string) string { return before + form(s) + after }
}

func hexOf(s string) string   { return hex.EncodeToString([]byte(s)) }
func hexUp(s string) string   { return strings.ToUpper(hexOf(s)) }
func plainOf(s string) string { return s }

// octetsAs writes each octet in a format.
func octetsAs(format, between string) func(string) string {
	return func(s string) string {
		all := make([]string, len(s))
		for i := range len(s) {
			all[i] = fmt.Sprintf(format, s[i])
		}
		return strings.Join(all, between)
	}
}

// xxdOf writes a dump as xxd does.
func xxdOf(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i += 16 {
		row := s[i:min(len(s), i+16)]
		digits := ""
		for k := range len(row) {
			digits += fmt.Sprintf("%02x", row[k])
			if k%2 == 1 {
				digits += " "
			}
		}
		shown := strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '.'
			}
			return r
		}, string([]rune(row)))
		fmt.Fprintf(&out, "%08x: %-40s %s\n", i, digits, shown)
	}
	return out.String()
}

// odOf writes a dump as od -A x -t x1 does.
func odOf(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i += 16 {
		fmt.Fprintf(&out, "%06x", i)
		for _, c := range []byte(s[i:min(len(s), i+16)]) {
			fmt.Fprintf(&out, " %02x", c)
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "%06x\n", len(s))
	return out.String()
}

func uuencoded(s string) string {
	var out strings.Builder
	out.WriteString("begin 644 audit.ndjson\n")
	digit := func(v byte) byte {
		if v &= 63; v == 0 {
			return '`'
		}
		return v + ' '
	}
	for len(s) > 0 {
		row := s[:min(45, len(s))]
		s = s[len(row):]
		out.WriteByte(digit(byte(len(row))))
		for i := 0; i < len(row); i += 3 {
			var b [3]byte
			copy(b[:], row[i:])
			out.Write([]byte{digit(b[0] >> 2), digit(b[0]<<4 | b[1]>>4), digit(b[1]<<2 | b[2]>>6), digit(b[2])})
		}
		out.WriteByte('\n')
	}
	out.WriteString("`\nend\n")
	return out.String()
}

func ascii85Of(s string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return string(out[:ascii85.Encode(out, []byte(s))])
}

func printableOf(s string) string {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	must.Have(w.Write([]byte(s)))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// ebcdicOf writes ASCII in code page 1047, as far as JSON needs it.
func ebcdicOf(s string) string {
	const letters = "abcdefghi\x00\x00\x00\x00\x00\x00\x00jklmnopqr\x00\x00\x00\x00\x00\x00\x00\x00stuvwxyz"
	table := map[byte]byte{' ': 0x40, '{': 0xc0, '}': 0xd0, '[': 0xad, ']': 0xbd, '"': 0x7f, ':': 0x7a, ',': 0x6b,
		'.': 0x4b, '_': 0x6d, '-': 0x60, '/': 0x61, '+': 0x4e, '=': 0x7e, '\\': 0xe0, '\n': 0x25, '<': 0x4c, '>': 0x6e,
		'&': 0x50, ';': 0x5e, '\'': 0x7d}
	for i := range len(letters) {
		if c := letters[i]; c != 0 {
			table[c], table[c-32] = 0x81+byte(i), 0xc1+byte(i)
		}
	}
	for c := range byte(10) {
		table['0'+c] = 0xf0 + c
	}
	out := make([]byte, len(s))
	for i := range len(s) {
		if out[i] = table[s[i]]; out[i] == 0 {
			out[i] = 0x6f
		}
	}
	return string(out)
}

// columns are the members of an event, in the order in which a tool writes them.
func columns(event string) (names []string, values map[string]string) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(event), &raw); err != nil {
		panic(err)
	}
	values = map[string]string{}
	for name, v := range raw {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		values[name] = text
	}
	return slices.Sorted(maps.Keys(raw)), values
}

// deepColumns are those of an event and of its body, with dots.
func deepColumns(event string) (names []string, values map[string]string) {
	names, values = columns(event)
	_, body := columns(values["body"])
	delete(values, "body")
	for name, v := range body {
		values["body."+name] = v
	}
	return slices.Sorted(maps.Keys(values)), values
}

func tableOf(comma string, of func(string) ([]string, map[string]string), quote func(string) string) spelling {
	return func(events []string) string {
		var out strings.Builder
		names, _ := of(events[0])
		out.WriteString(strings.Join(names, comma) + "\n")
		for _, e := range events {
			_, values := of(e)
			var row []string
			for _, n := range names {
				row = append(row, quote(values[n]))
			}
			out.WriteString(strings.Join(row, comma) + "\n")
		}
		return out.String()
	}
}

func csvQuote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func jsonText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// yamlOf writes an event as a mapping with a key for each member, to any depth.
func yamlOf(text func(string) string) spelling {
	var write func(out *strings.Builder, indent string, v any)
	scalar := func(v any) string {
		switch v := v.(type) {
		case string:
			return text(v)
		default:
			return string(must.Have(json.Marshal(v)))
		}
	}
	write = func(out *strings.Builder, indent string, v any) {
		m := v.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if inner, ok := m[name].(map[string]any); ok {
				out.WriteString(indent + name + ":\n")
				write(out, indent+"  ", inner)
				continue
			}
			out.WriteString(indent + name + ": " + scalar(m[name]) + "\n")
		}
	}
	return func(events []string) string {
		var out strings.Builder
		for _, e := range events {
			d := json.NewDecoder(strings.NewReader(e))
			d.UseNumber()
			var v any
			if err := d.Decode(&v); err != nil {
				panic(err)
			}
			out.WriteString("---\n")
			write(&out, "", v)
		}
		return out.String()
	}
}

var jsonToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^"{}\[\]:,\s]+`)

// highlighted writes each token of JSON in a span, as syntax highlighters do.
func highlighted(quote string) func(string) string {
	return func(s string) string {
		return jsonToken.ReplaceAllStringFunc(s, func(token string) string {
			class := "p"
			if token[0] == '"' {
				class = "s2"
			}
			token = strings.ReplaceAll(html.EscapeString(token), "&#34;", quote)
			return `<span class="` + class + `">` + token + `</span>`
		})
	}
}

var memberName = regexp.MustCompile(`"([a-z_]+)":`)

// json5 writes unquoted names, single quotes, trailing commas and comments.
func json5(s string) string {
	s = jsonToken.ReplaceAllStringFunc(s, func(token string) string {
		if token[0] != '"' || strings.Contains(token, `'`) {
			return token
		}
		return `'` + strings.ReplaceAll(token[1:len(token)-1], `\"`, `"`) + `'`
	})
	s = regexp.MustCompile(`'([a-z_]+)':`).ReplaceAllString(s, "$1: ")
	return strings.ReplaceAll(s, "}", ",}") + " // an event"
}

func indented(s string) string {
	var b bytes.Buffer
	must.Have(0, json.Indent(&b, []byte(s), "", "  "))
	return b.String()
}

func mailOf(encoding string, body func(string) string) spelling {
	return func(events []string) string {
		return "From: a@example.com\nTo: b@example.com\nSubject: logs\nMIME-Version: 1.0\n" +
			"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: " + encoding + "\n\n" +
			body(strings.Join(events, "\n")+"\n") + "\n"
	}
}

// attached writes every third of the events as an attachment.
func attached(encoding string, body func(string) string) spelling {
	return func(events []string) string {
		var out strings.Builder
		out.WriteString("From: a@example.com\nSubject: logs\nMIME-Version: 1.0\n" +
			"Content-Type: multipart/mixed; boundary=\"b1_0123456789abcdef0123456789abcdef\"\n\n" +
			"--b1_0123456789abcdef0123456789abcdef\nContent-Type: text/plain\n\nsee attached\n\n")
		for part := range slices.Chunk(events, max(1, len(events)/3)) {
			out.WriteString("--b1_0123456789abcdef0123456789abcdef\n" +
				"Content-Type: application/octet-stream; name=\"audit.ndjson\"\n" +
				"Content-Disposition: attachment; filename=\"audit.ndjson\"\nContent-Transfer-Encoding: " + encoding + "\n\n" +
				body(strings.Join(part, "\n")+"\n") + "\n")
		}
		return out.String() + "--b1_0123456789abcdef0123456789abcdef--\n"
	}
}

// nestedMail writes the mail into another one, as message/rfc822.
func nestedMail(inner spelling) spelling {
	return func(events []string) string {
		return "From: c@example.com\nSubject: Fwd: logs\nMIME-Version: 1.0\n" +
			"Content-Type: multipart/mixed; boundary=outer\n\n--outer\nContent-Type: message/rfc822\n\n" +
			inner(events) + "\n--outer--\n"
	}
}

// pasted begins within a line, and goes on with text.
func pasted(form spelling) spelling {
	return func(events []string) string {
		return "I found this: " + strings.TrimSuffix(form(events), "\n") + " and that was all.\n"
	}
}

var std, raw, urlSafe, rawURL = base64Of(base64.StdEncoding), base64Of(base64.RawStdEncoding),
	base64Of(base64.URLEncoding), base64Of(base64.RawURLEncoding)

// spellings are the ways in which the events are written. All of them are read whole.
var spellings = map[string]spelling{
	"base64, a line each":                    eachLine(std),
	"base64 without padding, a line each":    eachLine(raw),
	"base64url, a line each":                 eachLine(urlSafe),
	"base64url without padding, a line each": eachLine(rawURL),
	"base64 of lines with their feed":        eachLine(func(s string) string { return raw(s + "\n") }),
	"base64 behind a prefix":                 eachLine(surrounded("2026-03-02 app[7]: payload=", raw, "")),
	"base64 in quotes":                       eachLine(surrounded(`x "`, raw, `",`)),
	"base64 in brackets":                     eachLine(surrounded("b64(", rawURL, ")")),
	"base64 behind a counter":                eachLine(surrounded("7:", raw, "")),
	"base64 joined by commas":                func(e []string) string { return strings.Join(each(e, raw), ",") },
	"base64 joined by spaces":                func(e []string) string { return strings.Join(each(e, raw), " ") },
	"base64 joined by bars":                  func(e []string) string { return strings.Join(each(e, std), "|") },
	"base64 joined by nothing":               func(e []string) string { return strings.Join(each(e, std), "") },
	"base64 at 64 columns":                   together(wrapped(64, "\n", std)),
	"base64 at 76 columns":                   together(wrapped(76, "\r\n", std)),
	"base64 at 60 columns":                   together(wrapped(60, "\n", std)),
	"base64 at 48 columns":                   together(wrapped(48, "\n", std)),
	"base64 at 40 columns":                   together(wrapped(40, "\n", std)),
	"base64 at 76 columns, each":             eachLine(wrapped(76, "\n", raw)),
	"base64 at 64 columns, each, indented":   eachLine(surrounded("  ", wrapped(64, "\n  ", raw), "")),
	"base64 at 64 columns, blank between":    eachLine(surrounded("", wrapped(64, "\n", std), "\n")),
	"base64 behind >":                        eachLine(surrounded("> ", wrapped(64, "\n> ", std), "")),
	"base64 in one block":                    together(std),
	"base64 twice":                           eachLine(func(s string) string { return raw(raw(s)) }),
	"data URL":                               eachLine(surrounded("data:application/json;base64,", std, "")),
	"PEM-like":                               eachLine(surrounded("-----BEGIN AUDIT-----\n", wrapped(64, "\n", std), "\n-----END AUDIT-----")),
	"hex, a line each":                       eachLine(hexOf),
	"hex upper, a line each":                 eachLine(hexUp),
	"hex behind 0x":                          eachLine(surrounded("0x", hexOf, "")),
	"hex upper behind 0X":                    eachLine(surrounded("0X", hexUp, "")),
	`hex behind \x`:                          eachLine(surrounded(`\x`, hexOf, "")),
	"hex behind \\\\x":                       eachLine(surrounded(`\\x`, hexOf, "")),
	"hex behind x'":                          eachLine(surrounded("(7, X'", hexUp, "'),")),
	"hex behind a column":                    eachLine(surrounded("17\t", hexOf, "\tok")),
	"hex behind 0x and a name":               eachLine(surrounded("payload=0x", hexOf, ";")),
	"hex at 60 columns":                      together(wrapped(60, "\n", hexOf)),
	"hex at 64 columns, each":                eachLine(wrapped(64, "\n", hexOf)),
	"hex in one block":                       together(hexOf),
	"hex joined by commas":                   func(e []string) string { return strings.Join(each(e, hexOf), ",") },
	"hex with spaces":                        eachLine(octetsAs("%02x", " ")),
	"hex with colons":                        eachLine(octetsAs("%02x", ":")),
	"hex upper with spaces":                  eachLine(octetsAs("%02X", " ")),
	"hex upper with dashes":                  eachLine(octetsAs("%02X", "-")),
	"hex with spaces, together":              together(octetsAs("%02x", " ")),
	"hex with spaces, wrapped":               together(wrapped(48, "\n", octetsAs("%02x", " "))),
	"hex as 0x7b, 0x22":                      eachLine(octetsAs("0x%02x", ", ")),
	"hex as 0x7B,0x22 wrapped":               together(wrapped(72, "\n", octetsAs("0x%02X", ", "))),
	`hex as \x7b\x22`:                        eachLine(octetsAs(`\x%02x`, "")),
	`octal as \173\042`:                      eachLine(octetsAs(`\%03o`, "")),
	"decimal octets":                         eachLine(octetsAs("%d", ",")),
	"decimal octets in brackets":             eachLine(surrounded("[", octetsAs("%d", ", "), "]")),
	"binary digits":                          eachLine(octetsAs("%08b", " ")),
	"hexdump -C":                             together(func(s string) string { return hex.Dump([]byte(s)) }),
	"hexdump -C, each":                       eachLine(func(s string) string { return hex.Dump([]byte(s)) }),
	"xxd":                                    together(xxdOf),
	"xxd, each":                              eachLine(xxdOf),
	"od":                                     together(odOf),
	"base32, a line each":                    eachLine(base32Of(base32.StdEncoding)),
	"base32 without padding":                 eachLine(base32Of(base32.StdEncoding.WithPadding(base32.NoPadding))),
	"base32hex":                              eachLine(base32Of(base32.HexEncoding)),
	"base32 lower":                           eachLine(func(s string) string { return strings.ToLower(base32Of(base32.StdEncoding)(s)) }),
	"base32 at 76 columns":                   together(wrapped(76, "\n", base32Of(base32.StdEncoding))),
	"uuencode":                               together(uuencoded),
	"ascii85":                                eachLine(surrounded("<~", ascii85Of, "~>")),
	"ascii85 together":                       together(surrounded("<~\n", wrapped(76, "\n", ascii85Of), "~>")),
	"CSV of members":                         tableOf(",", columns, csvQuote),
	"CSV of members, bare":                   tableOf(",", columns, quoteIfNeeded),
	"TSV of members":                         tableOf("\t", columns, csvQuote),
	"CSV with semicolons":                    tableOf(";", columns, quoteIfNeeded),
	"JSON with body as text":                 eachLine(bodyAsText),
	"HTML, spans, &quot;":                    eachLine(highlighted("&quot;")),
	"HTML, spans, quotes":                    eachLine(highlighted(`"`)),
	"HTML, spans, &#34;":                     eachLine(highlighted("&#34;")),
	"HTML, spans, indented":                  eachLine(func(s string) string { return highlighted("&quot;")(indented(s)) }),
	"HTML, lines of a table":                 eachLine(surrounded("<tr><td>1</td><td>", highlighted("&quot;"), "</td></tr>")),
	"JSON5":                                  eachLine(json5),
	"JSON5, a list": func(e []string) string {
		return "[\n" + eachLine(func(s string) string { return json5Inner(s) + "," })(e) + "]\n"
	},
	"JavaScript": eachLine(func(s string) string { return "var e = " + memberName.ReplaceAllString(s, "$1: ") + ";" }),
	"JSON with comments": eachLine(func(s string) string {
		return "/* an event */ " + strings.ReplaceAll(indented(s), `"hash"`, "// its hash\n\"hash\"")
	}),
	"JSON with trailing commas": eachLine(func(s string) string { return strings.ReplaceAll(indented(s), "\n}", ",\n}") }),
	"mail, base64":              mailOf("base64", wrapped(76, "\n", std)),
	"mail, quoted-printable":    mailOf("quoted-printable", printableOf),
	"mail, 8bit":                mailOf("8bit", plainOf),
	"mail, attachments, base64": attached("base64", wrapped(76, "\n", std)),
	"mail, attachments, qp":     attached("quoted-printable", printableOf),
	"mail in a mail, base64":    nestedMail(mailOf("base64", wrapped(76, "\n", std))),
	"mail in a mail, qp":        nestedMail(attached("quoted-printable", printableOf)),
	"pasted lines":              pasted(eachLine(plainOf)),
	"pasted base64":             pasted(eachLine(raw)),
	"pasted hex":                pasted(eachLine(hexOf)),
	"pasted, indented":          pasted(eachLine(indented)),
}

func each(all []string, form func(string) string) (out []string) {
	for _, s := range all {
		out = append(out, form(s))
	}
	return out
}

// named are spellings that are not read. Something says so of each.
var named = map[string]spelling{
	"EBCDIC":                 together(ebcdicOf),
	"a list for each member": columnar,
	"names with dots":        eachLine(deepJSON),
	"columns with dots":      tableOf(",", deepColumns, quoteIfNeeded),
	"YAML, double quotes":    yamlOf(jsonText),
	"YAML, single quotes":    yamlOf(singleYAML),
	"reversed base64":        eachLine(func(s string) string { return "log: " + s + "\n" + reversedOf(std(s)) }),
}

func reversedOf(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func json5Inner(s string) string { return strings.TrimSuffix(json5(s), " // an event") }

func quoteIfNeeded(s string) string {
	if strings.ContainsAny(s, "\",;\t\n") {
		return csvQuote(s)
	}
	return s
}

func singleYAML(s string) string {
	if strings.ContainsAny(s, "\n\x01\t") {
		return jsonText(s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func bodyAsText(s string) string {
	names, values := columns(s)
	var out []string
	for _, n := range names {
		out = append(out, jsonText(n)+":"+jsonText(values[n]))
	}
	return "{" + strings.Join(out, ",") + "}"
}

func deepJSON(s string) string {
	names, values := deepColumns(s)
	var out []string
	for _, n := range names {
		v := jsonText(values[n])
		if n == "body.sequence" || n == "body.data" {
			v = values[n]
		}
		out = append(out, jsonText(n)+":"+v)
	}
	return "{" + strings.Join(out, ",") + "}"
}

// columnar writes a table as one list for each column.
func columnar(events []string) string {
	names, _ := columns(events[0])
	var out []string
	for _, n := range names {
		var list []string
		for _, e := range events {
			_, values := columns(e)
			list = append(list, jsonText(values[n]))
		}
		out = append(out, jsonText(n)+":["+strings.Join(list, ",")+"]")
	}
	return "{" + strings.Join(out, ",") + "}"
}

// outcomeOf reads a file, and returns how many of the events came out as they are, and
// whether anything leaves the verdict open or is an event that was altered.
func outcomeOf(t testing.TB, dump string, events [][]byte) (genuine int, others, open int, says []string) {
	found := must.Get(dumps.Find(strings.NewReader(dump), read.Options{}))(t)
	seen := map[[32]byte]bool{}
	for _, e := range events {
		seen[sha256.Sum256(e)] = false
	}
	for _, r := range found.Records {
		body := canonicalOf(r.Body)
		digest := sha256.Sum256(body)
		if twice, ours := seen[digest]; ours {
			if !twice {
				genuine++
			}
			seen[digest] = true
			continue
		}
		others++
	}
	for _, s := range found.Skips {
		if s.Code.Entry().Effect != finding.None {
			open++
		}
		says = append(says, string(s.Code)+" "+fmt.Sprint(s.Place.Offset, "+", s.Place.Length)+" "+s.Detail)
	}
	return genuine, others, open, says
}

func canonicalOf(body []byte) []byte {
	if unwrap.Holds(body) {
		if o, err := seal.Parse(body); err == nil {
			return seal.Canonical(o)
		}
	}
	return body
}

func textsOf(all [][]byte) (out []string) {
	for _, b := range all {
		out = append(out, string(b))
	}
	return out
}

// TestSpellings: clean, every event is read, and nothing is open. If one is altered, the
// others are read, and something says so. If the file is cut, whole events are read, and
// something says so.
func TestSpellings(t *testing.T) {
	events := spelledEvents(24)
	texts := textsOf(events)
	altered := slices.Clone(texts)
	altered[11] = strings.Replace(altered[11], `"n":11`, `"n":12`, 1)
	for _, name := range slices.Sorted(maps.Keys(spellings)) {
		t.Run(name, func(t *testing.T) {
			write := spellings[name]
			dump := write(texts)
			if n, others, open, says := outcomeOf(t, dump, events); n < len(events) || others+open > 0 {
				t.Errorf("clean: %d events of %d, %d others, %d open: %.300q", n, len(events), others, open, says)
			}
			if n, others, open, says := outcomeOf(t, write(altered), events); n < len(events)-1 || others+open == 0 {
				t.Errorf("altered: %d events of %d, %d others, %d open: %.300q", n, len(events), others, open, says)
			}
			whole := len(write(texts[:14]))
			cut := dump[:whole+len(dump)/60]
			if n, others, open, says := outcomeOf(t, cut, events); n < 13 || others+open == 0 {
				t.Errorf("cut: %d events, %d others, %d open: %.300q", n, others, open, says)
			}
		})
	}
}

// TestEventsAcrossBlocks: each event is found, wherever a block of text ends beside its
// first octet.
func TestEventsAcrossBlocks(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	events := textsOf(spelledEvents(7))
	for _, name := range slices.Sorted(maps.Keys(spellings)) {
		for _, around := range []string{"", "\x00\x01\x02\n"} {
			t.Run(name+strings.Repeat(", between octets", len(around)/4), func(t *testing.T) {
				dump := around + spellings[name](events) + around
				at := len(around) + len(spellings[name](events[:3]))
				want := inBlocks(t, dump, 16<<20, 16<<20)
				for first := at - 64; first <= at+64; first += step {
					if got := inBlocks(t, dump, first, 1<<20); !slices.Equal(got, want) {
						t.Fatalf("a block of %d octets, an event at about %d: %d events, want %d", first, at, len(got), len(want))
					}
				}
			})
		}
	}
}

// TestNamedSpellings: what is not read leaves something open.
func TestNamedSpellings(t *testing.T) {
	events := spelledEvents(12)
	for name, write := range named {
		if _, others, open, says := outcomeOf(t, write(textsOf(events)), events); others+open == 0 {
			t.Errorf("%s: nothing is open: %.300q", name, says)
		}
	}
}
