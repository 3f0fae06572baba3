package kv

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
)

func invalidAnswer(text string) answer { return failWith(http.StatusBadRequest, text) }

// secret is the answer to a read.
type secret struct {
	Data     json.RawMessage `json:"data"` // null if it is gone
	Metadata versionDocument `json:"metadata"`
}

func (e *Engine) read(t *target) answer {
	asked, err := strconv.ParseInt(cmp.Or(t.version, "0"), 10, 64)
	if err != nil {
		return invalidAnswer("expected a version that is a number")
	}
	r := t.held
	if r == nil {
		return absentAnswer()
	}
	if asked <= 0 {
		asked = r.Current
	}
	v, there := r.Versions[asked]
	switch {
	case !there:
		return absentAnswer()
	case v.Destroyed || v.Deleted != "":
		return answer{status: http.StatusNotFound, data: secret{nil, r.describe(asked)}}
	}
	return foundAnswer(secret{v.Data, r.describe(asked)})
}

func (e *Engine) write(t *target) answer {
	raw, given := t.body["data"]
	if !given {
		return invalidAnswer("no data provided")
	}
	data, ok := encodeSecret(raw)
	if !ok {
		return invalidAnswer("data: expected an object, not too deep, with numbers in the range of a float64")
	}
	at := formatNow()
	r := newRecord(at)
	if t.held != nil {
		r = t.held.clone()
	}
	if fault := checkAndSet(t.body["options"], r); fault != "" {
		return invalidAnswer(fault)
	}
	r.add(at, data)
	if a := e.keep(t, r); a.status != http.StatusNoContent {
		return a
	}
	return foundAnswer(r.describe(r.Current))
}

// encodeSecret brings a secret into the form that it is read in: each number through
// a float64, members in order.
func encodeSecret(raw json.RawMessage) (json.RawMessage, bool) {
	var data map[string]any
	if json.Unmarshal(raw, &data) != nil {
		return nil, false
	}
	b, err := json.Marshal(data)
	return b, err == nil
}

// checkAndSet compares the version that a writer expects with the record's, and returns the
// fault.
func checkAndSet(raw json.RawMessage, r *record) string {
	var options map[string]json.RawMessage
	if raw != nil && json.Unmarshal(raw, &options) != nil {
		return "options: expected an object"
	}
	expected, given := options["cas"]
	if !given {
		return ""
	}
	n, ok := parseInteger(expected)
	switch {
	case !ok:
		return "error parsing check-and-set parameter"
	case n != r.Current:
		return "check-and-set parameter did not match the current version"
	}
	return ""
}

// parseInteger reads an integer, as a number or a text; null is 0.
func parseInteger(raw json.RawMessage) (int64, bool) {
	var n json.Number
	if json.Unmarshal(raw, &n) != nil {
		return 0, false
	}
	if n == "" {
		return 0, true
	}
	i, err := strconv.ParseInt(n.String(), 10, 64)
	return i, err == nil
}

// keep puts a record in its place.
func (e *Engine) keep(t *target, r *record) answer {
	if err := e.put(t.key, r); err != nil {
		e.log.Error("a change could not be kept", "error", err.Error())
		return wrappedAnswer(http.StatusInternalServerError, "the change could not be kept")
	}
	return doneAnswer()
}

// change changes versions of a record, if there is one.
func (e *Engine) change(t *target, numbers []int64, f func(*version)) answer {
	if t.held == nil {
		return doneAnswer()
	}
	r := t.held.clone()
	r.change(numbers, f)
	return e.keep(t, r)
}

func (e *Engine) remove(t *target) answer {
	var current []int64
	if t.held != nil {
		current = []int64{t.held.Current}
	}
	return e.change(t, current, removeVersion)
}

// changeVersions handles a call that changes versions; none refuses one without a version.
func changeVersions(none string, f func(*version)) func(*Engine, *target) answer {
	return func(e *Engine, t *target) answer { return e.changeVersions(t, none, f) }
}

// changeVersions changes the versions that the body names, one or a list.
func (e *Engine) changeVersions(t *target, none string, f func(*version)) answer {
	raw := t.body["versions"]
	if raw == nil {
		return invalidAnswer(none)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	if len(list) == 0 {
		return invalidAnswer(none)
	}
	var numbers []int64
	for _, one := range list {
		n, ok := parseInteger(one)
		if !ok {
			return invalidAnswer("versions: expected numbers")
		}
		numbers = append(numbers, n)
	}
	return e.change(t, numbers, f)
}

func (e *Engine) readMetadata(t *target) answer {
	r := t.held
	if r == nil {
		return absentAnswer()
	}
	return foundAnswer(r.metadata())
}

func (e *Engine) deleteMetadata(t *target) answer {
	if t.held == nil {
		return doneAnswer()
	}
	return e.keep(t, nil)
}
