package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// filled returns a report in which every text is the same and every list has
// two of each.
func filled(text string) *Report {
	r := &Report{}
	fill(reflect.ValueOf(r).Elem(), text)
	for i := range r.Logs {
		r.Logs[i].Presence.Last = 100
		for _, item := range legend {
			r.Logs[i].Marks = append(r.Logs[i].Marks, Mark{Kind: item.Kind, First: 1, Last: 2, Count: 1, Name: text})
		}
	}
	return r
}

func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			doc, _ := json.Marshal(text)
			v.SetBytes(doc)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text)
			}
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// unsafeAt returns where a text is unsafe or lost a character that it could not encode.
func unsafeAt(s string) int {
	return max(answertest.UnsafeAt(s), strings.IndexRune(s, unicode.ReplacementChar))
}

// TestHostileHTML: the markup of a page does not depend on the texts in it.
func TestHostileHTML(t *testing.T) {
	want := answertest.Skeleton(htmlOf(t, filled("harmless")))
	must.That(t, strings.Count(want, "\n") >= 200, "a page of %d tags", strings.Count(want, "\n"))
	hostile := answertest.Hostile
	if testing.Short() {
		hostile = hostile[:len(hostile)/4]
	}
	for _, text := range hostile {
		page := htmlOf(t, filled(text))
		if at := unsafeAt(page); at >= 0 {
			t.Errorf("%q: unsafe: %q", text, page[at:min(at+40, len(page))])
		}
		check.That(t, answertest.Skeleton(page) == want, "%q changes the markup", text)
	}
}

func htmlOf(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, HTML(&b, r))
	return b.String()
}

// TestPolicy: the page's policy allows its own style sheet and its own script and nothing else, and
// the page has nothing that it would refuse. A page without an explorer has no script.
func TestPolicy(t *testing.T) {
	for _, explored := range []bool{true, false} {
		r := filled("harmless")
		if !explored {
			r.Explorer = nil
		}
		policyHolds(t, htmlOf(t, r), explored)
	}
}

// digestOf returns the digest of the text between two tags, as a policy writes it.
func digestOf(t *testing.T, page, start, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, start)
	text, _, ended := strings.Cut(rest, end)
	must.That(t, found && ended && text != "", "nothing between %s and %s", start, end)
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func policyHolds(t *testing.T, page string, explored bool) {
	t.Helper()
	want, scripts := "default-src 'none'; style-src "+digestOf(t, page, "<style>", "</style>"), 0
	if explored {
		want += "; script-src " + digestOf(t, page, "<script>", "</script>") +
			"; require-trusted-types-for 'script'; trusted-types 'none'"
		scripts = 2 // with the values, which do not run
	}
	want = `http-equiv="Content-Security-Policy" content="` +
		strings.NewReplacer("+", "&#43;", "'", "&#39;").Replace(want+"; base-uri 'none'; form-action 'none'") + `"`
	check.That(t, strings.Count(page, want) == 1 && strings.Index(page, want) <= strings.Index(page, "<style"),
		"the policy is not %s", want)
	n := strings.Count(strings.ToLower(page), "<script")
	check.That(t, n == scripts, "%d scripts, want %d", n, scripts)
	for _, bad := range []string{" style=", " on[a-z]+=", "javascript:", "(src|href)=\"[^#]", "@import",
		"url\\([^#]", "<iframe", "<object", "<form", "http-equiv=\"refresh"} {
		found := regexp.MustCompile(bad).FindString(page)
		check.That(t, found == "", "the page has %s", found)
	}
	if n := strings.Count(page, "<style"); n != 1 {
		t.Errorf("%d style sheets", n)
	}
}

// TestHostileMarkdown: a report has the same lines whatever the texts in it are,
// and outside of code no sign of it has a meaning.
func TestHostileMarkdown(t *testing.T) {
	harmless := markdownOf(t, filled("harmless"))
	want := strings.Count(harmless, "\n")
	for _, text := range answertest.Hostile {
		doc := markdownOf(t, filled(text))
		if at := unsafeAt(doc); at >= 0 {
			t.Errorf("%q: unsafe: %q", text, doc[at:min(at+40, len(doc))])
		}
		n := strings.Count(doc, "\n")
		check.That(t, n == want, "%q makes %d lines of %d", text, n, want)
		plain := withoutCode(doc)
		for _, bad := range []string{"](", "<", "://", "www.", "@", "\n|---|---|\n"} {
			text := strings.NewReplacer("\\]", "", "\\<", "", "\\(", "").Replace(plain)
			check.That(t, strings.Count(text, bad) == strings.Count(harmless, bad), "%q leaves %q in running text", text, bad)
		}
	}
}

func markdownOf(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Markdown(&b, r))
	return b.String()
}

// withoutCode removes the code from a document: indented lines, and text between fences. A
// fence ends at the next run of as many backticks, and one that was escaped is none.
func withoutCode(doc string) string {
	doc = regexp.MustCompile("(?m)^    .*$").ReplaceAllString(doc, "")
	var out strings.Builder
	for i := 0; i < len(doc); {
		if doc[i] == '\\' && i+1 < len(doc) {
			out.WriteString(doc[i : i+2])
			i += 2
			continue
		}
		n := len(doc[i:]) - len(strings.TrimLeft(doc[i:], "`"))
		if n == 0 {
			out.WriteByte(doc[i])
			i++
			continue
		}
		end := closing(doc[i+n:], n)
		if end < 0 {
			out.WriteString(doc[i : i+n])
			i += n
			continue
		}
		i += n + end + n
	}
	return out.String()
}

// closing returns the place of a run of exactly n backticks in this line.
func closing(s string, n int) int {
	line, _, _ := strings.Cut(s, "\n")
	for i := 0; i < len(line); {
		run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		if run == n {
			return i
		}
		i += max(run, 1)
	}
	return -1
}

// TestHostileCSV: reading back gives one row for each finding, and no cell is a formula.
func TestHostileCSV(t *testing.T) {
	for _, text := range answertest.Hostile {
		var b bytes.Buffer
		must.Do(t, writeCSV(&b, filled(text)))
		rows, err := csv.NewReader(&b).ReadAll()
		must.That(t, err == nil && len(rows) == 3, "%q: %d rows, %v", text, len(rows), err)
		for i, cell := range rows[1] {
			trimmed := strings.TrimLeft(cell, " ")
			if unsafeAt(cell) >= 0 || strings.Contains(cell, "\n") || trimmed != "" &&
				strings.Contains("=+-@\t\r\uff1d", string([]rune(trimmed)[0])) {
				t.Errorf("%q: %s is %q", text, csvHeader[i], cell)
			}
		}
	}
}

// TestHostileTimeline: every form of a timeline is whole, with hostile text in every member.
func TestHostileTimeline(t *testing.T) {
	for _, text := range answertest.Hostile {
		event := query.Event{TenantID: text, LogID: text, Sequence: 1, OccurredAt: "2026-03-02T09:00:00.000Z", Type: text,
			TransactionID: text, KeyID: text}
		data := must.Get(json.Marshal(map[string]string{text: text}))(t)
		rows := func(yield func(query.Row, error) bool) {
			_ = yield(query.Row{Kind: query.FindingRow, Event: event, LastSequence: 2, Code: finding.Code(text),
				Severity: finding.High, Message: text, Incident: text}, nil) &&
				yield(query.Row{Kind: query.EventRow, Event: event, Tags: []string{text}, Data: data}, nil)
		}
		line := Timeline{Logs: []string{text}}
		var shown, page, list, objects bytes.Buffer
		must.Get(line.WriteText(&shown, rows, false))(t)
		must.Get(line.WriteHTML(&page, rows))(t)
		must.Get(line.WriteCSV(&list, rows))(t)
		must.Get(line.WriteLines(&objects, rows))(t)
		must.Two(line.WriteTimesketch(&objects, rows))(t)
		whole := shown.String() + page.String() + strings.ReplaceAll(list.String(), "\r\n", "\n") + objects.String()
		if at := unsafeAt(whole); at >= 0 {
			t.Errorf("%q: unsafe: %q", text, whole[at:])
		}
		if rows, err := csv.NewReader(&list).ReadAll(); err != nil || len(rows) != 3 {
			t.Errorf("%q: %d rows of CSV, %v", text, len(rows), err)
		}
		count := 0
		for doc := range strings.Lines(objects.String()) {
			var r query.Row
			must.Do(t, json.Unmarshal([]byte(doc), &r))
			count++
		}
		check.Equal(t, count, 4, "%q: objects", text)
	}
}
