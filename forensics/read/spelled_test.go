package read_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
)

var std, raw, urlSafe, rawURL = base64Of(base64.StdEncoding), base64Of(base64.RawStdEncoding),
	base64Of(base64.URLEncoding), base64Of(base64.RawURLEncoding)

// spelledEach are ways in which the events are written. All of them are read whole.
var spelledEach = map[string]spelling{
	"base64, a line each":                  eachLine(std),
	"base64, no padding, a line each":      eachLine(raw),
	"base64url, a line each":               eachLine(urlSafe),
	"base64url, no padding, a line each":   eachLine(rawURL),
	"base64 of lines with their feed":      eachLine(func(s string) string { return raw(s + "\n") }),
	"base64 behind a prefix":               eachLine(surrounded("2026-03-02 app[7]: payload=", raw, "")),
	"base64 in quotes":                     eachLine(surrounded(`x "`, raw, `",`)),
	"base64 in brackets":                   eachLine(surrounded("b64(", rawURL, ")")),
	"base64 behind a counter":              eachLine(surrounded("7:", raw, "")),
	"base64 joined by commas":              func(e []string) string { return strings.Join(each(e, raw), ",") },
	"base64 joined by spaces":              func(e []string) string { return strings.Join(each(e, raw), " ") },
	"base64 joined by bars":                func(e []string) string { return strings.Join(each(e, std), "|") },
	"base64 joined by nothing":             func(e []string) string { return strings.Join(each(e, std), "") },
	"base64 at 64 columns":                 together(wrapped(64, "\n", std)),
	"base64 at 76 columns":                 together(wrapped(76, "\r\n", std)),
	"base64 at 60 columns":                 together(wrapped(60, "\n", std)),
	"base64 at 48 columns":                 together(wrapped(48, "\n", std)),
	"base64 at 40 columns":                 together(wrapped(40, "\n", std)),
	"base64 at 76 columns, each":           eachLine(wrapped(76, "\n", raw)),
	"base64 at 64 columns, each, indented": eachLine(surrounded("  ", wrapped(64, "\n  ", raw), "")),
	"base64 at 64 columns, blank between":  eachLine(surrounded("", wrapped(64, "\n", std), "\n")),
	"base64 behind >":                      eachLine(surrounded("> ", wrapped(64, "\n> ", std), "")),
	"base64 in one block":                  together(std),
	"base64 twice":                         eachLine(func(s string) string { return raw(raw(s)) }),
	"data URL":                             eachLine(surrounded("data:application/json;base64,", std, "")),
	"PEM-like":                             eachLine(surrounded("-----BEGIN X\n", wrapped(64, "\n", std), "\n-----END X")),
	"hex, a line each":                     eachLine(hexOf),
	"hex upper, a line each":               eachLine(hexUp),
	"hex behind 0x":                        eachLine(surrounded("0x", hexOf, "")),
	"hex upper behind 0X":                  eachLine(surrounded("0X", hexUp, "")),
	`hex behind \x`:                        eachLine(surrounded(`\x`, hexOf, "")),
	"hex behind \\\\x":                     eachLine(surrounded(`\\x`, hexOf, "")),
	"hex behind x'":                        eachLine(surrounded("(7, X'", hexUp, "'),")),
	"hex behind a column":                  eachLine(surrounded("17\t", hexOf, "\tok")),
	"hex behind 0x and a name":             eachLine(surrounded("payload=0x", hexOf, ";")),
	"hex at 60 columns":                    together(wrapped(60, "\n", hexOf)),
	"hex at 64 columns, each":              eachLine(wrapped(64, "\n", hexOf)),
	"hex in one block":                     together(hexOf),
	"hex joined by commas":                 func(e []string) string { return strings.Join(each(e, hexOf), ",") },
	"hex with spaces":                      eachLine(octetsAs("%02x", " ")),
	"hex with colons":                      eachLine(octetsAs("%02x", ":")),
	"hex upper with spaces":                eachLine(octetsAs("%02X", " ")),
	"hex upper with dashes":                eachLine(octetsAs("%02X", "-")),
	"hex with spaces, together":            together(octetsAs("%02x", " ")),
	"hex with spaces, wrapped":             together(wrapped(48, "\n", octetsAs("%02x", " "))),
	"hex as 0x7b, 0x22":                    eachLine(octetsAs("0x%02x", ", ")),
	"hex as 0x7B,0x22 wrapped":             together(wrapped(72, "\n", octetsAs("0x%02X", ", "))),
	`hex as \x7b\x22`:                      eachLine(octetsAs(`\x%02x`, "")),
	`octal as \173\042`:                    eachLine(octetsAs(`\%03o`, "")),
	"decimal octets":                       eachLine(octetsAs("%d", ",")),
	"typed octets in brackets":             eachLine(surrounded("[", octetsAs("%du8", ", "), "]")),
	"decimal octets in brackets":           eachLine(surrounded("[", octetsAs("%d", ", "), "]")),
	"binary digits":                        eachLine(octetsAs("%08b", " ")),
	"hexdump -C":                           together(func(s string) string { return hex.Dump([]byte(s)) }),
	"hexdump -C, each":                     eachLine(func(s string) string { return hex.Dump([]byte(s)) }),
	"xxd":                                  together(xxdOf),
	"xxd, each":                            eachLine(xxdOf),
	"od":                                   together(odOf),
	"base32, a line each":                  eachLine(base32Of(base32.StdEncoding)),
	"base32 without padding":               eachLine(base32Of(base32.StdEncoding.WithPadding(base32.NoPadding))),
	"base32hex":                            eachLine(base32Of(base32.HexEncoding)),
	"base32 lower":                         eachLine(base32Of(base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567"))),
	"base32 at 76 columns":                 together(wrapped(76, "\n", base32Of(base32.StdEncoding))),
	"uuencode":                             together(uuencoded),
	"ascii85":                              eachLine(surrounded("<~", ascii85Of, "~>")),
	"ascii85 together":                     together(surrounded("<~\n", wrapped(76, "\n", ascii85Of), "~>")),
	"CSV of members":                       tableOf(",", columns, csvQuote),
	"CSV of members, bare":                 tableOf(",", columns, quoteIfNeeded),
	"TSV of members":                       tableOf("\t", columns, csvQuote),
	"CSV with semicolons":                  tableOf(";", columns, quoteIfNeeded),
	"JSON with body as text":               eachLine(bodyAsText),
	"HTML, spans, &quot;":                  eachLine(highlighted("&quot;")),
	"HTML, spans, quotes":                  eachLine(highlighted(`"`)),
	"HTML, spans, &#34;":                   eachLine(highlighted("&#34;")),
	"HTML, spans, indented":                eachLine(func(s string) string { return highlighted("&quot;")(indented(s)) }),
	"HTML, lines of a table":               eachLine(surrounded("<tr><td>", highlighted("&quot;"), "</td></tr>")),
	"JSON5":                                eachLine(json5),
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
	"Python, a list of records": pythonRecords,
	"MongoDB, compact":          eachLine(mongoNumbers),
	"MongoDB, indented":         eachLine(func(s string) string { return indented(mongoNumbers(s)) }),
	"troff, in cells":           eachLine(surrounded("7\t", doubledBackslash(`\(rs`), "")),
	"YAML, double quotes":       yamlOf(jsonText),
	"YAML, single quotes":       yamlOf(singleYAML),
	"YAML, plain":               yamlOf(plainYAML),
	"YAML, literals":            yamlOf(literalYAML),
	"YAML, over lines":          yamlOf(foldedYAML),
	"YAML, items of a list":     itemsOf(yamlOf(jsonText)),
	"COPY, one column":          eachLine(doubledBackslash(`\\`)),
}

var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9/._ -]*[A-Za-z0-9]$`)

func plainYAML(s string) string {
	if plainText.MatchString(s) {
		return s
	}
	return jsonText(s)
}

func literalYAML(s string) string {
	if !strings.Contains(s, " ") || strings.ContainsAny(s, "\x01\t") {
		return jsonText(s)
	}
	return "|-\n        " + strings.ReplaceAll(s, "\n", "\n        ")
}

func foldedYAML(s string) string {
	if len(s) < 8 || !plainText.MatchString(s) {
		return jsonText(s)
	}
	return `"` + s[:7] + "\\\n      " + s[7:] + `"`
}

// itemsOf puts documents into a list of objects, as kubectl does.
func itemsOf(documents spelling) spelling {
	return func(events []string) string {
		items := strings.ReplaceAll(documents(events), "\n", "\n    ")
		return "apiVersion: v1\nitems:\n" + strings.TrimSuffix(strings.ReplaceAll("    "+items, "    ---\n",
			"- kind: AuditEvent\n  event:\n"), "    ")
	}
}

func doubledBackslash(as string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, `\`, as) }
}

// pythonRecords writes a list of records with a line each, as pprint does.
func pythonRecords(events []string) string {
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\u2028", `\u2028`)
	records := each(events, surrounded("{'n': 7, 'line': '", quote.Replace, "'}"))
	return "[" + strings.Join(records, ",\n ") + "]\n"
}

var jsonNumber = regexp.MustCompile(`:(-?[0-9]+)([,}])`)

func mongoNumbers(s string) string { return jsonNumber.ReplaceAllString(s, `:{"$$numberLong":"$1"}$2`) }

// TestBrokenRows: a file that ends within a row of a table was cut, though all events in it
// are whole.
func TestBrokenRows(t *testing.T) {
	events := spelledEvents(3)
	row := func(frame, s string) string { return frame + " 7 " + frame + " " + s + "   " }
	for name, c := range map[string]struct {
		last string
		open int
	}{
		"cut in a box":     {row("│", string(events[2])), 1},
		"cut in a table":   {row("|", string(events[2])), 1},
		"whole":            {row("│", string(events[2])) + "│", 0},
		"whole, with feed": {row("│", string(events[2])) + "│\n", 0},
		"cut, with feed":   {row("│", string(events[2])) + "\n", 0},
		"no frame":         {"7 " + string(events[2]) + "  ", 0},
	} {
		dump := row("│", string(events[0])) + "│\n" + row("│", string(events[1])) + "│\n" + c.last
		if n, others, open, says := outcomeOf(t, dump, events); n != 3 || others > 0 || open != c.open {
			t.Errorf("%s: %d events, %d others, %d open: %.300q", name, n, others, open, says)
		}
	}
}

// TestLinksWithinData: an event whose data has the members of a link, like the data of a
// reported head, is read from behind backslashes and with arrows, also if its line has no end.
func TestLinksWithinData(t *testing.T) {
	log, key := seal.NewLog("acme", "tenant/acme"), seal.Key{ID: "audit", Private: make([]byte, 64)}
	var events [][]byte
	var texts []string
	for i := range 3 {
		link := seal.Object{"key_id": "oslo", "n": int64(i), "previous_hash": strings.Repeat("0a", 32), "signature": "sig",
			"skip_hash": strings.Repeat("0b", 32)}
		events = append(events, seal.Canonical(log.Append(seal.Entry{Type: "test.event", Data: link}, key)))
		texts = append(texts, string(events[i]))
	}
	brackets := strings.NewReplacer(`\`, `\\`, "{", `\{`, "}", `\}`).Replace
	arrows := func(s string) string { return strings.ReplaceAll(s, `":`, `" => `) }
	forms := map[string]func(string) string{"brackets": surrounded(`\par `, brackets, ""), "arrows": arrows}
	for name, form := range forms {
		dump := strings.TrimSuffix(eachLine(form)(texts), "\n")
		if n, others, open, says := outcomeOf(t, dump, events); n != 3 || others > 0 || open != 0 {
			t.Errorf("%s: %d events, %d others, %d open: %.300q", name, n, others, open, says)
		}
	}
}

func each(all []string, form func(string) string) (out []string) {
	for _, s := range all {
		out = append(out, form(s))
	}
	return out
}

// named are spellings that are not read. Each leaves something open.
var named = map[string]spelling{
	"EBCDIC":                 together(ebcdicOf),
	"a list for each member": columnar,
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
	return "{" + deepMembers(s, func(name, value string) string { return name + ":" + value }) + "}"
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
