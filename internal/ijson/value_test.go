package ijson

import (
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"

	"github.com/google/go-cmp/cmp"
)

// mustParse parses a document that has to be acceptable.
func mustParse(t *testing.T, doc string) *Value {
	t.Helper()
	v, fault := Parse([]byte(doc))
	must.That(t, fault == nil, "Parse(%q): %v", doc, fault)
	return v
}

// walk calls visit for v and every value within it, in document order.
func walk(v *Value, visit func(*Value)) {
	visit(v)
	for _, u := range v.Elements() {
		walk(u, visit)
	}
	for _, m := range v.Members() {
		walk(m.Value, visit)
	}
}

// TestValueTree writes out everything that a tree records about a document.
func TestValueTree(t *testing.T) {
	type node struct {
		Pointer string
		Offset  int
		Kind    Kind
		Raw     string
		Depth   int
	}
	const doc = ` {"b":[true,{"":"x"},[ ]], "a/b~c" : -5,"\u00e9":{}}`
	want := []node{
		{"", 1, Object, doc[1:], 3},
		{"/b", 6, Array, `[true,{"":"x"},[ ]]`, 2},
		{"/b/0", 7, Bool, `true`, 0},
		{"/b/1", 12, Object, `{"":"x"}`, 1},
		{"/b/1/", 16, String, `"x"`, 0},
		{"/b/2", 21, Array, `[ ]`, 1},
		{"/a~1b~0c", 37, Number, `-5`, 0},
		{"/é", 49, Object, `{}`, 1},
	}
	var got []node
	walk(mustParse(t, doc), func(v *Value) {
		got = append(got, node{v.Pointer(), v.Offset(), v.Kind(), string(v.Raw()), v.Depth()})
	})
	check.Equal(t, mustParse(t, doc).Count(), len(want), "Count() =")
	diff := cmp.Diff(want, got)
	check.That(t, diff == "", "tree (-want +got):\n%s", diff)
}

func TestScalars(t *testing.T) {
	v := mustParse(t, `["\u0061\ud83d\ude02\n\/é",-9007199254740991,0,true,false,{}]`)
	e := v.Elements()
	got, want := e[0].Text(), "a😂\n/é"
	check.That(t, got == want, "Text() = %q, want %q", got, want)
	if got := e[1].Int(); got != -9007199254740991 {
		t.Errorf("Int() = %d", got)
	}
	if got := e[2].Int(); got != 0 {
		t.Errorf("Int() = %d, want 0", got)
	}
	if !e[3].Bool() || e[4].Bool() {
		t.Errorf("Bool() = %v, %v, want true, false", e[3].Bool(), e[4].Bool())
	}
}

// TestWrongKind holds the accessors to their zero results on values of
// another kind.
func TestWrongKind(t *testing.T) {
	for _, doc := range []string{`{"a":1}`, `[1]`, `"true"`, `7`, `true`} {
		v := mustParse(t, doc)
		if v.Kind() != Object {
			_, ok := v.Member("a")
			check.That(t, !ok && v.Members() == nil, "%s has members", doc)
		}
		check.That(t, v.Kind() == Array || v.Elements() == nil, "%s has elements", doc)
		check.That(t, v.Kind() == String || v.Text() == "", "%s has text", doc)
		check.That(t, v.Kind() == Number || v.Int() == 0, "%s has an integer", doc)
		check.That(t, v.Kind() == Bool || !v.Bool(), "%s is true", doc)
	}
}

// TestMember looks names up in objects on both sides of indexFrom.
func TestMember(t *testing.T) {
	for _, fill := range []int{0, indexFrom - 4, indexFrom - 3, 2 * indexFrom} {
		doc := `{"sig\u006eature":1,"hash":2,"Hash":{"x":3}`
		for i := range fill {
			doc += `,"n` + strconv.Itoa(i) + `":0`
		}
		v := mustParse(t, doc+"}")
		got, want := len(v.Members()), fill+3
		check.That(t, got == want, "%d members, want %d", got, want)
		for name, want := range map[string]string{"signature": "1", "hash": "2", "Hash": `{"x":3}`} {
			if u, ok := v.Member(name); !ok || string(u.Raw()) != want {
				t.Errorf("%d more members: Member(%q) = %v, want %s", fill, name, ok, want)
			}
		}
		for _, name := range []string{"", "HASH", "ha\u017fh", "x", `sig\u006eature`, "hash "} {
			_, ok := v.Member(name)
			check.That(t, !ok, "%d more members: Member(%q) finds something", fill, name)
		}
	}
}

// TestRawIsClosed: appending to a part of the document must not write into the
// rest of it.
func TestRawIsClosed(t *testing.T) {
	doc := []byte(`[1,2]`)
	v, _ := Parse(doc)
	_ = append(v.Elements()[0].Raw(), "99"...)
	check.That(t, string(doc) == `[1,2]`, "the document became %s", doc)
}

func TestDepth(t *testing.T) {
	for doc, want := range map[string]int{
		`1`: 0, `"[["`: 0, `[]`: 1, `{"a":1}`: 1, `[[],1]`: 2, `[1,[[]],[]]`: 3,
		`{"a":{"b":{}},"c":[]}`:             3,
		strings.Repeat(" ", 3) + nested(32): 32,
	} {
		check.Equal(t, mustParse(t, doc).Depth(), want, "depth of %s", doc)
	}
}

func TestKindString(t *testing.T) {
	want := []string{"no value", "an object", "an array", "a string", "a number", "a boolean"}
	for k, name := range want {
		check.Equal(t, Kind(k).String(), name, "Kind(%d) =", k)
	}
}
