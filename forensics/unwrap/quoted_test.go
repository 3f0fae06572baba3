package unwrap

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestQuoted: the short way for an event in a JSON string finds the same as the whole search,
// which reads the same text with many spaces behind it.
func TestQuoted(t *testing.T) {
	events := genuine(8)
	short := 0
	rapid.Check(t, func(t *rapid.T) {
		event := rapid.SampledFrom(events).Draw(t, "event")
		other := rapid.SampledFrom(events).Draw(t, "other")
		altered := rapid.Bool().Draw(t, "altered")
		if altered {
			event = strings.Replace(event, `"sequence":`, `"sequence":9`, 1)
		}
		around := rapid.SampledFrom([]string{"", "1.5", "x", "2026-03-02T09:00:00Z", `a\\`, other, other[:len(other)/2],
			strings.ReplaceAll(other, `"`, `'`), fmt.Sprintf("%x", other),
			`","previous_hash":"","skip_hash":"","log_id":"","salt":"`})
		form := rapid.SampledFrom([]string{`{"a":%[1]s,"b":%[2]s,"c":%[3]s}`, `{"c":%[3]s,"e":"x%[2]s","b":%[2]s`, `%[2]s`,
			`[%[1]s, %[2]s]`, `x \%[2]s`, "a: %[1]s\nb: %[2]s\nc: %[3]s\n", `{"a":%[1]s,"b":%[2]s}{"b":%[2]s}`})
		text := fmt.Sprintf(form.Draw(t, "form"), quoted(around.Draw(t, "before")), quoted(event),
			quoted(around.Draw(t, "behind")))
		var f Finder
		got := f.Find([]byte(text))
		short += map[bool]int{true: 1}[f.around != nil]
		want := new(Finder).Find([]byte(text + strings.Repeat(" ", mostAround)))
		for i := range want.Matches {
			wrong := altered && strings.Contains(string(want.Matches[i].Body), `"sequence":9`)
			want.Matches[i].Holds = !wrong && i < len(got.Matches) && got.Matches[i].Holds
			if s := want.Matches[i].Steps; len(s) > 1 && s[0] == "marks around lines" {
				want.Matches[i].Steps = s[1:]
			}
		}
		for i := range want.Pieces {
			want.Pieces[i].End = min(want.Pieces[i].End, len(text)) // without the spaces
		}
		a, b := fmt.Sprintf("%+v %+v", got.Matches, got.Pieces), fmt.Sprintf("%+v %+v", want.Matches, want.Pieces)
		if a != b {
			t.Fatalf("%s\n got %s\nwant %s", text, a, b)
		}
	})
	check.That(t, short > 0, "the short way was tried %d times", short)
}
