package read_test

import (
	"bytes"
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/must"
)

// columns are the members of an event, in the order in which a tool writes them.
func columns(event string) (names []string, values map[string]string) {
	var raw map[string]json.RawMessage
	must.Have(0, json.Unmarshal([]byte(event), &raw))
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

// deepColumns are the columns of an event and of its body, with dots.
func deepColumns(event string) (names []string, values map[string]string) {
	_, values = columns(event)
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
	must.Have(0, e.Encode(s))
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
			must.Have(0, d.Decode(&v))
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

// pasted begins within a line, and has text behind it.
func pasted(form spelling) spelling {
	return func(events []string) string {
		return "I found this: " + strings.TrimSuffix(form(events), "\n") + " and that was all.\n"
	}
}
