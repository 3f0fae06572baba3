package form

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

// Each reading refuses every value of another type, an absent member and a value
// out of its bounds, with the member's name, and repeats no text.
func TestReader(t *testing.T) {
	const secret = "a secret?"
	for name, c := range map[string]struct {
		read func(*Reader)
		good []any
		bad  []any
	}{
		"text":    {func(r *Reader) { r.Text("m", SubjectID) }, []any{"a"}, []any{"", "a/b"}},
		"word":    {func(r *Reader) { r.Word("m", "a", "b") }, []any{"a", "b"}, []any{"c"}},
		"number":  {func(r *Reader) { r.Number("m", 1, 3) }, []any{int64(1), int64(3)}, []any{int64(0), int64(4)}},
		"flag":    {func(r *Reader) { r.Flag("m") }, []any{true, false}, nil},
		"object":  {func(r *Reader) { r.Object("m") }, []any{seal.Object{}}, nil},
		"objects": {func(r *Reader) { r.Objects("m") }, []any{[]any{}, []any{seal.Object{}}}, []any{[]any{"a"}}},
		"texts":   {func(r *Reader) { r.Texts("m") }, []any{[]any{}, []any{"a"}}, []any{[]any{int64(1)}}},
		"time": {func(r *Reader) { r.Time("m") }, []any{"2026-03-02T09:00:00.000Z"},
			[]any{"2026-03-02T09:00:00,000Z", "2026-03-02"}},
	} {
		read := func(o seal.Object) error {
			r := Read(o)
			c.read(r)
			return r.Close()
		}
		for _, value := range c.good {
			check.OK(t, read(seal.Object{"m": value}), "%s, %v", name, value)
		}
		for _, value := range append(c.bad, secret, nil, 1.5) {
			if err := read(seal.Object{"m": value}); err == nil || !strings.HasPrefix(err.Error(), "m: expected ") {
				t.Errorf("%s, %v: %v", name, value, err)
			} else if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error repeats a value: %v", name, err)
			}
		}
		if err := read(seal.Object{}); err == nil || !strings.HasSuffix(err.Error(), "found no such member") {
			t.Errorf("%s, absent: %v", name, err)
		}
		var unknown *UnknownError
		err := read(seal.Object{"m": c.good[0], "n": true})
		check.That(t, errors.As(err, &unknown) && unknown.Name == "n", "%s, a further member: %v", name, err)
	}
}

// The first fault is the one that is reported.
func TestFirstFault(t *testing.T) {
	r := Read(seal.Object{"b": true, "c": true})
	r.Text("a", SubjectID)
	r.Text("b", SubjectID)
	err := r.Close()
	check.That(t, err != nil && strings.HasPrefix(err.Error(), "a: ") && err == r.Err(), "%v", err)
	r = Read(seal.Object{"b": true})
	if r.Know("b"); r.Has("c") || r.Close() != nil {
		t.Error(r.Close())
	}
}

// A document is read as the value that it was made of, and another one is refused.
func TestDocument(t *testing.T) {
	type value struct {
		Text string `json:"text"`
		More Object `json:"more,omitempty"`
	}
	var again value
	check.OK(t, Restore(Document(value{"a", Object{"n": int64(2)}}), &again), "restored")
	check.That(t, again.Text == "a" && again.More["n"] == int64(2), "%v", again)
	check.That(t, Restore(seal.Object{"text": int64(1)}, &again) != nil, "a number is read as a text")
	defer func() { check.That(t, recover() != nil, "a fraction is a document") }()
	Document(map[string]any{"n": 1.5})
}

func TestOneOf(t *testing.T) {
	words := []string{"a", "b"}
	found, err := OneOf("b", words)
	check.That(t, err == nil && found == "b", "%q, %v", found, err)
	check.Fails(t, check.Err(OneOf("c", words)), `expected one of a, b, found "c"`, "another word")
}
