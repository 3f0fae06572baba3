package unwrap

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// namedEvent is an event whose members, and the members of its body, each follow their name. It counts only if
// its hash holds: nothing else shows that it is whole.
type namedEvent struct {
	members map[string][]any  // the values by their names, as they follow each other
	before  map[string]string // the letters and signs between a name and its value
	in      span
	rest    []byte        // the text between the members
	behind  [][]byte      // the texts behind the last one
	later   []namedMember // of known names, behind the last new one: perhaps the next event's
}

func newNamedEvent() *namedEvent {
	return &namedEvent{members: map[string][]any{}, before: map[string]string{}}
}

// common are the names that other records, or the data, have too.
var common = []string{"data", "protocol", "sequence", "tenant_id", "transaction_id", "type", "key_id"}

// hashed are the members with such names that are in the hash.
var hashed = common[:len(common)-1]

// addMember adds a member. It reports false if it is of another event.
func (e *namedEvent) addMember(m namedMember) bool {
	switch known := len(e.members[m.label()]) > 0; {
	case len(m.values) == 0:
		e.behind = append(e.behind, m.before, m.behind)
	case !known:
		e.addLater()
		e.keepMember(m)
	case slices.Contains(common, m.label()):
		e.later = append(e.later, m)
	default:
		return false
	}
	return true
}

// addLater adds the members that are known.
func (e *namedEvent) addLater() {
	for _, m := range e.later {
		e.keepMember(m)
	}
	e.later = nil
}

func (e *namedEvent) keepMember(m namedMember) {
	if len(e.members) == 0 {
		e.in.from = m.from
	} else {
		for _, text := range append(e.behind, m.before) {
			e.rest = append(append(e.rest, text...), '\n')
		}
	}
	e.before[m.label()] = string(bytes.Join(bytes.FieldsFunc(m.before, func(r rune) bool {
		return strings.ContainsRune("\"'0123456789"+whiteSpace, r)
	}), nil))
	e.in.to, e.behind = m.end, [][]byte{m.behind}
	if all := e.members[m.label()]; m.member == "data" || !slices.Contains(all, m.values[0]) {
		e.members[m.label()] = append(all, m.values...)
	}
}

// searchNamed keeps the named events in a part of a view. It reports whether there are any.
func searchNamed(f *Finder, v *view, from, to int) (found bool) {
	text := v.text[:to]
	if !bytes.Contains(text[from:], []byte(event.Protocol)) {
		return false
	}
	f.Looked += int64(to - from)
	first, e := "", newNamedEvent()
	keep := func() bool {
		body := bodyOf(f, e)
		if body != nil {
			f.keepMatch(v, e.in, Match{Kind: Event, Body: body, Rebuilt: true, Holds: true})
			found, f.byName, f.result.Deep = true, true, false
		}
		return body != nil
	}
	for n := nextName(text, from); n.size() > 0; {
		m := memberBehind(f, text, n)
		if e.addMember(m) {
			if n = m.next; first == "" && len(e.members) > 0 {
				first = m.label()
			}
			continue
		}
		holds := keep()
		if len(e.later) > 0 {
			n = e.later[0].name
		}
		for !holds && n.size() > 0 && n.label() != first { // the next one begins as this one
			n = nextName(text, n.to)
		}
		e = newNamedEvent()
	}
	e.addLater()
	if !keep() && found && len(e.members) >= enoughNames && to == len(v.text) {
		f.noteOpen(v, bytes.LastIndexByte(text[:e.in.from], '\n')+1)
	}
	return found
}

// searchPieces searches the text between the matches for named events if pieces are left there. It reports whether
// there are any.
func searchPieces(f *Finder, v *view) bool {
	pieces, matches := slices.Clone(f.result.Pieces), slices.Clone(f.result.Matches)
	slices.SortFunc(pieces, func(a, b Span) int { return a.Start - b.Start })
	f.result.Pieces, f.budget = nil, f.Looked+costOfNames*int64(len(v.text))+costOfNames<<12
	at := 0
	for _, m := range append(matches, Match{Start: len(v.text) + 1}) {
		n := 0
		for n < len(pieces) && pieces[n].Start < m.Start {
			n++
		}
		if end := min(m.Start, len(v.text)); n > 0 && (at >= end || !searchNamed(f, v, at, end)) {
			f.result.Pieces = append(f.result.Pieces, pieces[:n]...)
		}
		pieces, at = pieces[n:], max(at, m.End)
	}
	return len(f.result.Matches) > len(matches)
}

// bodyOf returns the body of a named event, nil if its hash does not hold or the text between may hold another.
func bodyOf(f *Finder, e *namedEvent) []byte {
	for name := range formsOf {
		if len(e.members[name]) == 0 && name != "transaction_id" && name != "data" {
			return nil
		}
	}
	for choice, most := 0, e.choices(); choice < most && f.Looked <= f.budget; choice++ {
		body := e.writeEvent(choice)
		f.Looked += int64(len(body))
		if Holds(body) && !MayHold(e.rest) {
			return body
		}
	}
	return nil
}

// mostChoices bounds the readings of an event.
const mostChoices = 64

// choices counts the readings of the event: any of several members with one name can count, and texts in the data
// can be numbers or not.
func (e *namedEvent) choices() int {
	n := 1
	for _, name := range hashed {
		n *= max(1, len(e.members[name]))
	}
	if len(e.members["data"]) == 0 {
		n *= 2
	}
	return min(n, mostChoices)
}

// writeEvent writes a reading of the event in its canonical form, nil if it has none.
func (e *namedEvent) writeEvent(choice int) []byte {
	body, whole, data := map[string]any{}, map[string]any{}, map[string]any{}
	for _, name := range hashed {
		if values := e.members[name]; len(values) > 0 {
			body[name] = values[choice%len(values)]
			choice /= len(values)
		}
	}
	for name, values := range e.members {
		value := values[0]
		switch inData, ok := strings.CutPrefix(name, inDataLabel); {
		case ok:
			if text, isText := value.(string); isText && choice > 0 && isConstant(text) {
				value = json.RawMessage(text)
			}
			data[inData] = value
		case slices.Contains(memberNames[1:eventNames], name):
			whole[name] = value
		case !slices.Contains(hashed, name):
			body[name] = value
		}
	}
	if len(data) > 0 {
		body["data"] = data
	}
	body["sequence"] = json.RawMessage(strings.TrimSuffix(body["sequence"].(string), "i"))
	whole["body"], whole["key_id"] = body, e.keyBeside(body["data"])
	doc, err := json.Marshal(whole)
	if err != nil {
		return nil
	}
	canonical, _ := ijson.Canonical(doc)
	return canonical
}

// keyBeside returns the id of the key, which is not in the hash. It is nil if there are several, apart from one in
// the data, or if other text is before it than before the signature.
func (e *namedEvent) keyBeside(data any) any {
	keys := e.members["key_id"]
	if pairs, ok := data.(map[string]any); ok && len(keys) > 1 {
		if i := slices.Index(keys, pairs["key_id"]); i >= 0 {
			keys = slices.Delete(slices.Clone(keys), i, i+1)
		}
	}
	if len(keys) > 1 || e.before["key_id"] != e.before["signature"] {
		return nil
	}
	return keys[0]
}
