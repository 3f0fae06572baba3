package safetext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// leaf and tree are outputs with lists in every place that a type can have one.
type leaf struct {
	Texts []string
	Empty []int `json:"Empty,omitempty"`
}

type tree struct {
	leaf
	*Below
	Leaves  []leaf
	Lists   [][]leaf
	Pair    [2]leaf
	Named   map[string]leaf
	Nothing map[string]int
	One     *leaf
	Absent  *leaf `json:"Absent,omitempty"`
	Any     any
	At      time.Time
	Raw     json.RawMessage
	Bytes   []byte
	Zero    []int `json:"Zero,omitzero"`
	hidden  []int
}

// Below is embedded by its address.
type Below struct{ Deep []leaf }

// TestLists: no list or map of an output is null, wherever it is, and the value itself is
// as it was.
func TestLists(t *testing.T) {
	v := tree{Below: &Below{Deep: []leaf{{}}}, Leaves: []leaf{{}, {Texts: []string{"a"}}}, Lists: [][]leaf{nil, {{}}},
		Named: map[string]leaf{"a": {}}, One: &leaf{}, Any: leaf{}, Raw: json.RawMessage(`[1]`), hidden: nil}
	const want = `{"Texts":[],"Deep":[{"Texts":[]}],"Leaves":[{"Texts":[]},{"Texts":["a"]}],"Lists":[[],[{"Texts":[]}]],` +
		`"Pair":[{"Texts":[]},{"Texts":[]}],"Named":{"a":{"Texts":[]}},"Nothing":{},"One":{"Texts":[]},"Any":{"Texts":[]},` +
		`"At":"0001-01-01T00:00:00Z","Raw":[1],"Bytes":""}`
	for _, in := range []any{v, &v} {
		doc, err := safetext.Marshal(in)
		check.That(t, err == nil && string(doc) == want, "%v\n%s\n%s", err, doc, want)
	}
	check.That(t, v.Texts == nil && v.Deep[0].Texts == nil && v.Leaves[0].Texts == nil && v.Lists[1][0].Texts == nil &&
		v.Named["a"].Texts == nil && v.Nothing == nil && v.One.Texts == nil && v.hidden == nil, "the value was changed")
	doc, err := safetext.MarshalIndent(leaf{Texts: []string{"\u202e"}}, "  ")
	check.That(t, err == nil && string(doc) == "{\n    \"Texts\": [\n      \"\\u202e\"\n    ]\n  }", "%v %s", err, doc)
	for _, in := range []any{nil, 1, "a", []int(nil), map[string]int(nil)} {
		if doc, err := safetext.Marshal(in); err != nil || in != nil && strings.Contains(string(doc), "null") {
			t.Errorf("%v %s", err, doc)
		}
	}
}
