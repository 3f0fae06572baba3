package unwrap

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// bodyNames are the names of the members of a body (SPEC 4.1).
var bodyNames = []string{"data", "log_id", "occurred_at", "protocol", "salt", "sequence", "tenant_id", "transaction_id",
	"type"}

// flatEvent has the members of an event, of its body, and of its data, which a store keeps on one
// level. Of several with one name the first counts, in the order of their paths.
type flatEvent struct {
	outer, body, data map[string]any
	others            []byte // the other texts
	several           bool   // there are members of another event
}

// common are names that other records have too.
var common = []string{"data", "protocol", "sequence", "type"}

// mostFlat is the largest size of a value whose members are joined.
const mostFlat = 2 << 20

// findFlat finds the evidence in a JSON value that has each member of an event and of its body by
// a name of its own, and no other evidence. The event counts only if its hash holds: what else was
// lost does not show.
func findFlat(f *Finder, text []byte) bool {
	has := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	if len(text) > mostFlat || !has(event.Protocol) || !has("skip_hash") {
		return false
	}
	f.Looked += int64(len(text))
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	if d.UseNumber(); d.Decode(&value) != nil {
		return false
	}
	e := flatEvent{outer: map[string]any{}, body: map[string]any{}, data: map[string]any{}}
	e.addMembers(value)
	body := e.rebuildEvent(false)
	if !Holds(body) {
		body = e.rebuildEvent(true)
	}
	if e.several || !Holds(body) || MayHold(e.others) {
		return false
	}
	f.result = Result{Matches: append(f.result.Matches[:0], Match{Kind: Event, Body: body, End: len(text), Rebuilt: true,
		Holds: true}), Pieces: f.result.Pieces[:0], Open: -1}
	return true
}

// addMembers adds the members in a value, at any depth.
func (e *flatEvent) addMembers(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, named := range []string{"name", "Name", "key", "Key", "field"} { // a pair of a name and a value
			if name, ok := v[named].(string); ok && len(v) == 2 {
				delete(v, named)
				for _, one := range v {
					e.addMember(name, one)
				}
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			e.addMember(name, v[name])
		}
	case []any:
		for _, one := range v {
			e.addMembers(one)
		}
	case string:
		e.others = append(append(e.others, v...), '\n')
	case json.Number: // perhaps of bytes
		e.others = append(append(e.others, v...), ' ')
	}
}

// addMember adds a member whose name can begin with the names of the objects around it.
func (e *flatEvent) addMember(path string, value any) {
	of, name := e.outer, path[strings.LastIndexAny(path, ".:/")+1:]
	before, inData, isData := strings.Cut(path, "data.")
	switch {
	case isData && (before == "" || strings.HasSuffix(before, ".")):
		of, name = e.data, inData
	case slices.Contains(bodyNames, name):
		of = e.body
	case !slices.Contains(memberNames[1:eventNames], name):
		e.addMembers(value)
		return
	}
	if _, known := of[name]; known {
		e.several = e.several || !slices.Contains(common, name)
		return
	}
	of[name] = onlyValue(value)
	if text, ok := of[name].(string); ok && name == "data" && !strings.HasPrefix(text, "{") {
		of[name] = value
	}
}

// onlyValue returns the only value in a list or an object, which stores write around values.
func onlyValue(value any) any {
	switch v := value.(type) {
	case []any:
		if len(v) == 1 {
			return onlyValue(v[0])
		}
	case map[string]any:
		for _, one := range v {
			if text, ok := one.(string); ok && len(v) == 1 {
				return text
			}
		}
	}
	return value
}

// rebuildEvent returns the event in its canonical form, nil if it has none. Of members of the data
// that are texts, numbers and truth values are such if typed is set.
func (e *flatEvent) rebuildEvent(typed bool) []byte {
	data := maps.Clone(e.data)
	for name, value := range data {
		if text, ok := value.(string); ok && typed && (isNumber(text) || text == "true" || text == "false") {
			data[name] = json.RawMessage(text)
		}
	}
	body := map[string]any{"data": data}
	for name, value := range e.body {
		text, ok := value.(string)
		switch {
		case ok && (name == "data" || name == "sequence"):
			body[name] = json.RawMessage(text)
		case name != "transaction_id" || text != "":
			body[name] = value
		}
	}
	whole := maps.Clone(e.outer)
	whole["body"] = body
	doc, err := json.Marshal(whole)
	if err != nil {
		return nil
	}
	canonical, _ := ijson.Canonical(doc)
	return canonical
}

// isNumber reports whether a text is an integer as JSON writes it.
func isNumber(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}
