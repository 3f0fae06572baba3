package kv

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
)

func invalid(text string) answer { return failure(http.StatusBadRequest, text) }

// secret is the answer to a read.
type secret struct {
	Data     json.RawMessage `json:"data"` // null if it is gone
	Metadata versionDocument `json:"metadata"`
}

func (e *Engine) read(t *target) answer {
	asked, err := strconv.ParseInt(cmp.Or(t.version, "0"), 10, 64)
	if err != nil {
		return invalid("expected a version that is a number")
	}
	r := t.held
	if r == nil {
		return absent()
	}
	if asked <= 0 {
		asked = r.Current
	}
	v, there := r.Versions[asked]
	switch {
	case !there:
		return absent()
	case v.Destroyed || v.Deleted != "":
		return answer{status: http.StatusNotFound, data: secret{nil, r.describe(asked)}}
	}
	return found(secret{v.Data, r.describe(asked)})
}

func (e *Engine) write(t *target) answer {
	raw, given := t.body["data"]
	if !given {
		return invalid("no data provided")
	}
	data, ok := encode(raw)
	if !ok {
		return invalid("data: expected an object, not too deep, with numbers in the range of a float64")
	}
	at := now()
	r := newRecord(at)
	if t.held != nil {
		r = t.held.clone()
	}
	if fault := checkAndSet(t.body["options"], r); fault != "" {
		return invalid(fault)
	}
	r.add(at, data)
	if a := e.keep(t, r); a.status != http.StatusNoContent {
		return a
	}
	return found(r.describe(r.Current))
}

// encode brings a secret into the form that it is read in: each number through
// a float64, members in order.
func encode(raw json.RawMessage) (json.RawMessage, bool) {
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
	n, ok := number(expected)
	switch {
	case !ok:
		return "error parsing check-and-set parameter"
	case n != r.Current:
		return "check-and-set parameter did not match the current version"
	}
	return ""
}

// number reads an integer, as a number or a text; null is 0.
func number(raw json.RawMessage) (int64, bool) {
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
		return wrapped(http.StatusInternalServerError, "the change could not be kept")
	}
	return done()
}

// change changes versions of a record, if there is one.
func (e *Engine) change(t *target, numbers []int64, f func(*version)) answer {
	if t.held == nil {
		return done()
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
	return e.change(t, current, remove)
}

// changing handles a call that changes versions; none refuses one without a version.
func changing(none string, f func(*version)) func(*Engine, *target) answer {
	return func(e *Engine, t *target) answer { return e.changeVersions(t, none, f) }
}

// changeVersions changes the versions that the body names, one or a list.
func (e *Engine) changeVersions(t *target, none string, f func(*version)) answer {
	raw := t.body["versions"]
	if raw == nil {
		return invalid(none)
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	if len(list) == 0 {
		return invalid(none)
	}
	var numbers []int64
	for _, one := range list {
		n, ok := number(one)
		if !ok {
			return invalid("versions: expected numbers")
		}
		numbers = append(numbers, n)
	}
	return e.change(t, numbers, f)
}

func (e *Engine) readMetadata(t *target) answer {
	r := t.held
	if r == nil {
		return absent()
	}
	return found(r.metadata())
}

func (e *Engine) deleteMetadata(t *target) answer {
	if t.held == nil {
		return done()
	}
	return e.keep(t, nil)
}
