package unwrap

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/seal"
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

// TestFlat: an event whose members, and the members of its body, are on one level is read if its hash
// holds, and there is nothing else.
func TestFlat(t *testing.T) {
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	event := log.Append(seal.Entry{Type: "test.event", Data: seal.Object{"text": "12"}}, key)
	flat := seal.Object{"type": "log", "zone": "7"}
	for name, value := range event {
		if name != "body" {
			flat[name] = value
		}
	}
	for name, value := range event["body"].(seal.Object) {
		flat["event.body."+name] = value
	}
	whole := string(seal.Canonical(flat))
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"as it is":               {whole, 1},
		"data as text":           {strings.Replace(whole, `{"text":"12"}`, `"{\"text\":\"12\"}"`, 1), 1},
		"data in one list":       {strings.Replace(whole, `{"text":"12"}`, `["{\"text\":\"12\"}"]`, 1), 1},
		"data on the same level": {strings.Replace(whole, `data":{"text":"12"}`, `data.text":"12"`, 1), 1},
		"two events":             {`{"rows":[` + whole + "," + whole + "]}", 0},
		"bytes of another":       {strings.Replace(whole, `"7"`, numbersOf(genuine(1)[0][1:]), 1), 0},
		"half of another event":  {`{"rows":[` + whole + `,{"a.log_id":"node/berlin","a.salt":"x"}]}`, 0},
		"altered":                {strings.Replace(whole, `"12"`, `"13"`, 1), 0},
		"a second one":           {strings.Replace(whole, `"7"`, quoted(genuine(1)[0]), 1), 1},
		"half of another":        {strings.Replace(whole, `"7"`, quoted(genuine(1)[0][200:]), 1), 0},
	} {
		r := new(Finder).Find([]byte(c.text))
		if len(r.Matches) != c.want || len(r.Matches) == 1 && !r.Matches[0].Holds && name != "a second one" {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "a second one" || c.want == 0 {
			check.That(t, len(r.Pieces) > 0, "%s: nothing is open", name)
		}
	}
}

// numbersOf writes a text as a list of its bytes.
func numbersOf(text string) string {
	var out []string
	for _, c := range []byte(text) {
		out = append(out, strconv.Itoa(int(c)))
	}
	return "[" + strings.Join(out, ",") + "]"
}
