package read

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
)

const traced = `{"body":{"data":{},"log_id":"node/a","occurred_at":"2026-03-02T09:01:01.627Z",` +
	`"protocol":"svc.audit-event.v1","salt":"y74wi7X-AX2bLpPOK271jw",` +
	`"sequence":28,"tenant_id":"acme","type":"x"},"hash":"cd","key_id":"a","previous_hash":"9a","signature":"TC",` +
	`"skip_hash":"9a"}`

func quotedJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// each writes every octet of a text by a format.
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
	"UTF-16": wide,
}
