package unwrap

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// TestNamed: an event whose members, and the members of its body, each follow their name is read if its hash holds.
// What else is there, or is left of another event, stays open.
func TestNamed(t *testing.T) {
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
		"two events":             {`{"rows":[` + whole + "," + whole + "]}", 2},
		"bytes of another":       {strings.Replace(whole, `"7"`, numbersOf(genuine(1)[0][1:]), 1), 1},
		"half of another event": {`{"rows":[` + whole + `,{"log_id":"node/a","salt":"x","key_id":"x","skip_hash":"` +
			strings.Repeat("0", 64) + `"}]}`, 1},
		"altered":              {strings.Replace(whole, `"12"`, `"13"`, 1), 0},
		"bytes of one between": {strings.Replace(whole, `"hash":`, `"f":`+numbersOf(genuine(1)[0][1:])+`,"hash":`, 1), 0},
		"without a key":        {strings.Replace(whole, `"key_id":"berlin",`, "", 1), 0},
		"an empty key":         {strings.Replace(whole, `"key_id":"berlin"`, `"key_id":""`, 1), 0},
		"another column":       {strings.Replace(whole, `"key_id":"berlin"`, `"key_id":"","own":"x"`, 1), 0},
		"two keys":             {strings.Replace(whole, `"key_id":"berlin"`, `"key_id":"a","b.key_id":"berlin"`, 1), 0},
		"two sequences":        {strings.Replace(whole, `"type":"log"`, `"sequence":7`, 1), 1},
		"a short digest":       {strings.Replace(whole, `"skip_hash":"`, `"skip_hash":"0`, 1), 0},
		"a second one":         {strings.Replace(whole, `"7"`, quoted(genuine(1)[0]), 1), 2},
		"half of another":      {strings.Replace(whole, `"7"`, quoted(genuine(1)[0][200:]), 1), 1},
	} {
		r := new(Finder).Find([]byte(c.text))
		if len(r.Matches) != c.want || len(r.Matches) > 0 && !r.Matches[0].Holds {
			t.Errorf("%s: %.300v", name, r)
		}
		if strings.Contains(name, "of another") || c.want == 0 {
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

// notation writes objects, and values, in the way of a language.
type notation struct {
	object, member, join, end string // with NAME and VALUE in a member
	value                     func(any) string
}

func (n notation) writeObject(o seal.Object) string {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		value := ""
		if inner, ok := o[name].(seal.Object); ok {
			value = n.writeObject(inner)
		} else {
			value = n.value(o[name])
		}
		members = append(members, strings.NewReplacer("NAME", name, "VALUE", value).Replace(n.member))
	}
	return n.object + strings.Join(members, n.join) + n.end
}

func plainValue(v any) string { return fmt.Sprint(v) }

func quotedValue(v any) string {
	if text, ok := v.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(v)
}

// TestNotations: events are read in the notations of languages, if their data has no objects within it.
func TestNotations(t *testing.T) {
	typed := func(v any) string {
		if text, ok := v.(string); ok {
			return "String(" + strconv.Quote(text) + ")"
		}
		return fmt.Sprintf("Number(%v)", v)
	}
	for name, n := range map[string]notation{
		"Go":       {"map[", "NAME:VALUE", " ", "]", plainValue},
		"Java":     {"{", "NAME=VALUE", ", ", "}", plainValue},
		"Rust":     {"Object {", `"NAME": VALUE`, ", ", "}", typed},
		"EDN":      {"{", ":NAME VALUE", ", ", "}", quotedValue},
		"Lua":      {"{", "NAME = VALUE", ", ", "}", quotedValue},
		"HCL":      {"{\n", "  NAME = VALUE\n", "", "}", quotedValue},
		"protobuf": {"{\n", "  NAME: VALUE\n", "", "}", quotedValue},
		"PHP":      {"Array\n(\n", "    [NAME] => VALUE\n", "", ")\n", plainValue},
		"PHP, dumped": {"array(2) {\n", "  [\"NAME\"]=>\n  VALUE\n", "", "}\n", func(v any) string {
			if text, ok := v.(string); ok {
				return fmt.Sprintf("string(%d) %q", len(text), text)
			}
			return fmt.Sprintf("int(%v)", v)
		}},
		"XML": {"", "<NAME>VALUE</NAME>", "", "", plainValue},
	} {
		log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
		var whole, altered strings.Builder
		for i := range 6 {
			data := seal.Object{"n": int64(i), "key_id": "berlin/2", "sequence": int64(7), "word": "a-b"}
			event := n.writeObject(log.Append(seal.Entry{Type: "test.event", Data: data}, key))
			fmt.Fprintf(&whole, "event %s\n", event)
			if i == 3 {
				event = strings.Replace(event, "a-b", "a-c", 1)
			}
			fmt.Fprintf(&altered, "event %s\n", event)
		}
		for text, want := range map[string]int{whole.String(): 6, altered.String(): 5} {
			r := new(Finder).Find([]byte(text))
			check.That(t, len(r.Matches) == want && len(r.Pieces) == 6-want, "%s: %d events, open %v of %d", name,
				len(r.Matches), r.Pieces, len(text))
		}
	}
}

// TestNamedOnLines: of events on several lines, one that cannot be read costs no other, and one that is not
// whole leaves its line open.
func TestNamedOnLines(t *testing.T) {
	log, key := seal.NewLog("acme", "node/berlin"), seal.Key{ID: "berlin", Private: make([]byte, 64)}
	n := notation{"", "NAME: VALUE\n", "", "", plainValue}
	var events []string
	for i := range 4 {
		event := log.Append(seal.Entry{Type: "test.event", Data: seal.Object{"n": int64(i)}}, key)
		event["body"].(seal.Object)["data"] = fmt.Sprintf(`{"n":%d}`, i)
		events = append(events, n.writeObject(event))
	}
	broken := strings.Replace(events[1], "salt:", "salt: "+strings.Repeat("B", 22)+"\nsalt:", 1)
	half := events[3][:strings.Index(events[3], "signature")]
	before := events[0] + broken + events[2]
	r := new(Finder).Find([]byte(before + half))
	at := r.Open - len(before)
	check.That(t, len(r.Matches) == 2 && len(r.Pieces) > 0 && at >= 0 && at < len("body: data"),
		"%d events, %v, open at %d of %d", len(r.Matches), r.Pieces, r.Open, len(before))
}

// TestNamesAreCounted: the search for names is bounded, and its work is counted.
func TestNamesAreCounted(t *testing.T) {
	for _, unit := range []string{"data ", "data{", `data:{"a":`, "data a b c d ", "type=a sequence=1 data={} ", `data "`,
		"key_id='", "data.a=1 ", "data><b>"} {
		text := event.Protocol + " " + strings.Repeat(unit, 1<<16/len(unit))
		var f Finder
		f.Find([]byte(text))
		most := int64(costOfAll+costOfNames+8)*int64(len(text)) + costOfAll<<12
		few := strings.HasPrefix(unit, "data ") && f.Looked < 8*int64(len(text))
		check.That(t, f.Looked <= most && !few, "%q: %d octets looked at in %d", unit, f.Looked, len(text))
	}
}
