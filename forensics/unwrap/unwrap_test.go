package unwrap

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/worst"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// genuine are events with texts that encoders like to change.
func genuine(n int) []string {
	texts := []string{`plain`, `<b>&amp;</b> 'x' it''s`, "é 日本 \u2028 😀", `quote " backslash \ slash /`,
		"line\nfeed\ttab\u0001", `{"body":{"data":{}}}`, `\u003c %22 =3D ]]> $x`, strings.Repeat("long ", 100)}
	var some []string
	for i := range n {
		some = append(some, texts[i%len(texts)])
	}
	return eventsWith(some...)
}

// eventsWith are events that have these texts.
func eventsWith(texts ...string) (all []string) {
	log := seal.NewLog("acme", "node/berlin")
	key := seal.Key{ID: "berlin", Private: make([]byte, 64)}
	for i, text := range texts {
		e := log.Append(seal.Entry{Type: "test.event", Data: seal.Object{"n": int64(i), "text": text}}, key)
		all = append(all, string(seal.Canonical(e)))
	}
	return all
}

func quoted(s string) string {
	b := must.Have(json.Marshal(s))
	return string(b)
}

// forms are ways to write a line within a text.
var forms = map[string]func(string) string{
	"bare":          func(s string) string { return s },
	"prefix":        func(s string) string { return `Mar  2 09:00:00 host app[7]: it's 5" high {"a: ` + s + " end" },
	"JSON":          func(s string) string { return `{"log":` + quoted(s+"\n") + `,"stream":"stdout"}` },
	"prefixed JSON": func(s string) string { return `F {"log":` + quoted("<34> x: "+s) + `}` },
	"twice JSON":    func(s string) string { return quoted(`{"m":` + quoted(s) + `}`) },
	"CSV":           func(s string) string { return `2026,"a ""b"" c","` + strings.ReplaceAll(s, `"`, `""`) + `",x` },
	"JSON in CSV":   func(s string) string { return `7,"` + strings.ReplaceAll(quoted(s), `"`, `""`) + `"` },
	"CSV in JSON":   func(s string) string { return quoted(`7,"` + strings.ReplaceAll(s, `"`, `""`) + `"`) },
	"XML":           func(s string) string { return "<e a='1'>" + html.EscapeString(s) + "</e>" },
	"XML of JSON":   func(s string) string { return "<e>" + html.EscapeString(quoted(s)) + "</e>" },
	"bytea in COPY": byteaInCopyOf,
	"query":         func(s string) string { return "GET /?x=" + url.QueryEscape(s) + "&y=1" },
	"base64":        func(s string) string { return "data: " + base64.StdEncoding.EncodeToString([]byte(s)) + " ok" },
	"base64 in JSON": func(s string) string {
		return `{"data":"` + strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(quoted(s))), "/", `\/`) + `"}`
	},
	"hex":  func(s string) string { return `\x` + hex.EncodeToString([]byte(s)) },
	"COPY": func(s string) string { return "7\t" + strings.ReplaceAll(s, `\`, `\\`) + "\t\\N" },
	"SQL":  func(s string) string { return "INSERT INTO t VALUES (1,'" + strings.ReplaceAll(s, `'`, `''`) + "');" },
	"MySQL": func(s string) string {
		return "(1,'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`).Replace(s) + "')"
	},
	"shell":     func(s string) string { return "curl -d '" + strings.ReplaceAll(s, `'`, `'\''`) + "' x" },
	"Slack":     func(s string) string { return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s) },
	"all \\u":   escapedUnits,
	"all %":     each("%%%02x"),
	"UTF-16":    wide,
	"Python":    func(s string) string { return `b'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + `'` },
	"pretty":    func(s string) string { return "note:\n" + indented(s) + "\nend" },
	"extended":  func(s string) string { return `{"_id":{"$oid":"65"},` + s[1:len(s)-1] + `,"@timestamp":"x"}` },
	"unordered": func(s string) string { return unordered(s) },
	"MIME":      func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte(s)), 76) },
	"printable": printableText,
	"troff":     func(s string) string { return ".IP\n" + strings.ReplaceAll(s, `\`, `\(rs`) },
	"printable, broken in the protocol": func(s string) string {
		return strings.NewReplacer("=", "=3D", " ", "=20", "svc.aud", "svc.aud=\r\n", `"body`, "\"bod=\r\ny").Replace(s)
	},
	"MongoDB":        func(s string) string { return extendedNumbers.ReplaceAllString(s, `:{"$$numberLong": "$1"}$2`) },
	"MongoDB, times": func(s string) string { return extendedTimes.ReplaceAllString(s, `{"$$date":$1}`) },
	"wrapping":       func(s string) string { return `{"a":{"b":[1,{"c":` + s + `}]},"d":null}` },
}

func escapedUnits(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	return b.String()
}

func indented(s string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s), "> "[:0], "  "); err != nil {
		panic(err)
	}
	return b.String()
}

func unordered(s string) string {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		panic(err)
	}
	out := `{"skip_hash": ` + string(m["skip_hash"])
	for _, name := range []string{"signature", "body", "key_id", "hash", "previous_hash"} {
		out += `, "` + name + `": ` + string(m[name])
	}
	return out + "}"
}

func lines(s string, n int) string {
	var b strings.Builder
	for len(s) > n {
		b.WriteString(s[:n] + "\r\n")
		s = s[n:]
	}
	return b.String() + s + "\r\n"
}

func printableText(s string) string {
	s = strings.ReplaceAll(s, "=", "=3D")
	var b strings.Builder
	n := 0
	for _, c := range []byte(s) {
		if n > 70 && c != '=' {
			b.WriteString("=\r\n")
			n = 0
		}
		b.WriteByte(c)
		n++
	}
	return b.String()
}

// TestForms: an event is found in every form, with the bytes that it had or the
// values, and at its place.
func TestForms(t *testing.T) {
	var f Finder
	for name, form := range forms {
		for i, line := range genuine(8) {
			text := "before " + form(line) + "\nafter\n"
			if name == "UTF-16" {
				text = form(line)
			}
			r := f.Find([]byte(text))
			if len(r.Matches) != 1 {
				t.Errorf("%s %d: %d matches, pieces %v\n%.150s", name, i, len(r.Matches), r.Pieces, text)
				continue
			}
			m := r.Matches[0]
			if !Holds(m.Body) || !m.Rebuilt && name != "pretty" && name != "unordered" && string(m.Body) != line {
				t.Errorf("%s %d: %v\n%.150s\n%.150s", name, i, m.Steps, m.Body, line)
			}
			check.That(t, len(r.Pieces) == 0 && m.Start >= 0 && m.End <= len(text) && m.Start < m.End,
				"%s %d: pieces %v, found at %d to %d of %d", name, i, r.Pieces, m.Start, m.End, len(text))
		}
	}
}

// TestManyForms: one text can hold events in many forms.
func TestManyForms(t *testing.T) {
	var text strings.Builder
	n := 0
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		if name == "UTF-16" {
			continue
		}
		for _, line := range genuine(8) {
			text.WriteString(forms[name](line) + "\n")
			n++
		}
	}
	var f Finder
	r := f.Find([]byte(text.String()))
	for _, m := range r.Matches {
		check.That(t, Holds(m.Body), "%v: %.200s", m.Steps, m.Body)
	}
	if len(r.Matches) != n || len(r.Pieces) > 0 {
		t.Errorf("%d of %d, %d pieces", len(r.Matches), n, len(r.Pieces))
		for _, p := range r.Pieces {
			t.Logf("%.300q", text.String()[p.Start:p.End])
		}
	}
}

// TestDeep: of pieces of an event it is said that they are wrapped too deep only if
// they are, whatever bytes of escapes stand in an event that is damaged.
func TestDeep(t *testing.T) {
	damaged := strings.NewReplacer(`"previous_hash":`, `"previous_hash `, "svc.", "sic.").Replace(genuine(1)[0])
	deep := damaged
	for range MaxLevels + 1 {
		deep = quoted(deep)
	}
	tests := map[string]struct {
		text string
		deep bool
	}{"damaged": {damaged, false}, "nine strings": {deep, true}}
	for name, octets := range map[string]string{"ampersand": "R&D", "less": "a < b", "percent": "100 %", "equals": "a = b",
		"apostrophe": "it's", "line break": "a\nb", "escape": "a\x1bb", "reference": "&amp;", "number sign": "# 1",
		"backslash": `C:\Data`, "all": `%&<='"\`} {
		tests[name] = struct {
			text string
			deep bool
		}{strings.Replace(damaged, `plain`, octets, 1), false}
	}
	for name, test := range tests {
		var f Finder
		r := f.Find([]byte(test.text))
		check.That(t, len(r.Matches) == 0 && len(r.Pieces) != 0 && r.Deep == test.deep,
			"%s: %d events, pieces %v, too deep: %v", name, len(r.Matches), r.Pieces, r.Deep)
	}
}

// TestDisclosed: an event that a broken bundle discloses is distinguished from one that a
// store keeps in a list of objects.
func TestDisclosed(t *testing.T) {
	event := genuine(1)[0]
	const link = `{"body_sha256":"b","key_id":"k","previous_hash":"p","sequence":3,"signature":"s"}`
	for name, c := range map[string]struct {
		text      string
		disclosed bool
	}{
		"at the begin of a path":    {`{"approvals":[],"audit_path":{"links":[{"event":` + event + `},`, true},
		"behind a link":             {`b"},` + link + `,{"event":` + event + `}]`, true},
		"ahead of a link":           {`"},{"event":` + event + `},` + link, true},
		"in lines that were broken": {"\"audit_pa\nth\":{\"links\":[{\"ev\r\nent\":\n" + event + `}`, true},
		"quoted":                    {`"{\"audit_path\":{\"links\":[{\"event\":` + strings.ReplaceAll(event, `"`, `\"`) + `},"`, true},
		"in a list of a store":      {`[{"event":` + event + `},{"event":7}]`, false},
		"behind a whole path": {`{"audit_path":{"links":[` + link + `]},"manifest":{"a":1},"witness_receipts":[]}` +
			"\n" + `[{"event":` + event + `}]`, false},
		"on a line":   {event + "\n", false},
		"as a member": {`{"audit_path":{},"event":` + event + `}`, false},
	} {
		r := new(Finder).Find([]byte(c.text))
		if len(r.Matches) != 1 || r.Matches[0].Kind != Event || r.Matches[0].Disclosed != c.disclosed {
			t.Errorf("%s: %+v, want one event, disclosed %v", name, r.Matches, c.disclosed)
		}
	}
}

// TestWorkIsLinear: of twice as much, twice as much is looked at.
func TestWorkIsLinear(t *testing.T) {
	n := 8_000
	if testing.Short() {
		n = 2_000
	}
	for _, texts := range []func(int) map[string]string{worst.Texts, worst.Wrapped} {
		half, whole := texts(n), texts(2*n)
		for _, name := range slices.Sorted(maps.Keys(half)) {
			var f, g Finder
			f.Find([]byte(half[name]))
			g.Find([]byte(whole[name]))
			if float64(g.Looked) > 2.2*float64(f.Looked) {
				t.Errorf("%s: %d octets looked at in %d, %d in %d", name, f.Looked, len(half[name]), g.Looked, len(whole[name]))
			}
		}
	}
}
