package unwrap

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const traced = `{"body":{"data":{},"log_id":"node/a","occurred_at":"2026-03-02T09:01:01.627Z",` +
	`"protocol":"svc.audit-event.v1","salt":"y74wi7X-AX2bLpPOK271jw",` +
	`"sequence":28,"tenant_id":"acme","type":"x"},"hash":"cd","key_id":"a","previous_hash":"9a","signature":"TC",` +
	`"skip_hash":"9a"}`

func quotedJSON(s string) string {
	b := must.Have(json.Marshal(s))
	return string(b)
}

// each writes every byte of a text by a format.
func each(format string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
}

func wide(s string) string {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// wrappings write a text so that something else is to be seen, and lose nothing.
var wrappings = map[string]func(string) string{
	"as it is":            func(s string) string { return s },
	"in a prefix":         func(s string) string { return "<34>1 2026-03-02 host app: " + s },
	"JSON":                quotedJSON,
	"twice JSON":          func(s string) string { return quotedJSON(quotedJSON(s)) },
	"Unicode escapes":     each(`\u%04x`),
	"escaped escapes":     each(`\\\\u%04X`),
	"hexadecimal escapes": each(`\x%02x`),
	"URL":                 url.QueryEscape,
	"all of a URL":        each("%%%02x"),
	"twice URL":           each("%%25%02X"),
	"XML":                 html.EscapeString,
	"XML references":      each("&#%d;"),
	"XML hexadecimal":     each("&amp;#x%x;"),
	"base64":              func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 of URLs":      func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64, one before":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s)) },
	"base64, two before":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("xy" + s)) },
	"twice base64": func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte("x" + base64.StdEncoding.EncodeToString([]byte("xy"+s))))
	},
	"UTF-16":          wide,
	"lines of 9":      linesOf(9, "\n"),
	"lines of 12":     linesOf(12, "\r\n"),
	"indented lines":  linesOf(10, "\n\t"),
	"lines of base64": func(s string) string { return linesOf(10, "\n")(base64.StdEncoding.EncodeToString([]byte(s))) },
}

// linesOf breaks a text after every so many bytes.
func linesOf(width int, end string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for ; len(s) > width; s = s[width:] {
			b.WriteString(s[:width] + end)
		}
		return b.String() + s
	}
}

// TestTraces: an event is noticed however it is wrapped, and whatever of it was
// changed, as long as it has the names of one.
func TestTraces(t *testing.T) {
	for name, wrap := range wrappings {
		if !HasTraces([]byte(wrap(traced))) {
			t.Errorf("%s: not noticed in %.80q", name, wrap(traced))
		}
	}
	renamed := strings.Replace(traced, "svc.audit-event.v1", "svc.audit-event.v2", 1)
	for _, name := range []string{"as it is", "twice JSON", "escaped escapes", "base64", "UTF-16"} {
		check.That(t, HasTraces([]byte(wrappings[name](renamed))), "%s, of another protocol: not noticed", name)
	}
	for name, other := range map[string]string{
		"nothing": "",
		"an access log": `{"time":"2026-03-02T09:01:01Z","tenant_id":"acme","key_id":"k","signature":"x","salt":"y",` +
			`"occurred_at":"z","log_id":"n"}`,
		"an access log in lines": linesOf(9, "\n")(`{"time":"2026-03-02T09:01:01Z","tenant_id":"acme","key_id":"k"}`),
		"words about hashes":     `the previous_hash did not match`,
		"another chain":          `{"previous_hash":"ab","height":5,"signature":"x"}`,
		"another protocol":       `{"protocol":"svc.audit-batch.v1"}`,
		"broken escapes":         `\u00 %zz &#; &#x; \\\\`,
	} {
		check.That(t, !HasTraces([]byte(other)), "%s: noticed", name)
	}
}

// TestShortestCode: the codes are as long as their search supposes.
func TestShortestCode(t *testing.T) {
	for _, code := range traceCodes {
		check.That(t, len(code) >= shortestCode, "%q has %d digits", code, len(code))
	}
}
