package form

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

// read parses a document and returns the faults that the function records, as "code pointer",
// and the expected value where a code does not state it.
func read(t *testing.T, doc string, f func(*Reader, *ijson.Value)) []string {
	t.Helper()
	v, fault := ijson.Parse([]byte(doc))
	must.That(t, fault == nil, "%s: %v", doc, fault)
	var r Reader
	f(&r, v)
	var got []string
	for _, f := range r.Faults() {
		if f.Expected == "" || f.Found == "" || f.Expected == f.Found {
			t.Errorf("%s: the fault says too little: %+v", doc, f)
		}
		if at, ok := find(v, f.Path); !ok || at.Offset() != f.Offset {
			t.Errorf("%s: pointer %q and offset %d do not agree", doc, f.Path, f.Offset)
		}
		one := strings.TrimSpace(f.Code + " " + f.Path)
		if f.Code == BadValue || f.Code == Unordered {
			one += ": " + f.Expected
		}
		got = append(got, one)
	}
	return got
}

// find returns the value at a pointer.
func find(v *ijson.Value, pointer string) (*ijson.Value, bool) {
	if v.Pointer() == pointer {
		return v, true
	}
	for _, m := range v.Members() {
		if w, ok := find(m.Value, pointer); ok {
			return w, true
		}
	}
	for _, e := range v.Elements() {
		if w, ok := find(e, pointer); ok {
			return w, true
		}
	}
	return nil, false
}

func TestObjects(t *testing.T) {
	const missing = BadValue + `: the member "a"`
	open := func(r *Reader, v *ijson.Value) { r.Object(v, "a", "b?") }
	for doc, want := range map[string][]string{
		`{"a":1}`:               nil,
		`{"a":1,"b":2}`:         nil,
		`{"b":2}`:               {missing},
		`{"a":1,"c":2}`:         {UnknownMember + " /c"},
		`{"A":1,"b":2}`:         {missing, UnknownMember + " /A"},
		`{"a":1,"\u017fa":2}`:   {UnknownMember + " /\u017fa"},
		`{"a":1,"b?":2}`:        {UnknownMember + " /b?"},
		`[]`:                    {BadValue + ": an object"},
		`{}`:                    {missing},
		`{"a":1,"x":1,"y":[1]}`: {UnknownMember + " /x", UnknownMember + " /y"},
	} {
		if got := read(t, doc, open); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", doc, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	type accessor func(Object)
	tests := []struct {
		name      string
		get       accessor
		good, bad []string
	}{
		{"counter", func(o Object) { o.Counter("x") }, []string{"1", "9007199254740991"},
			[]string{"0", "-1", `"1"`, "true", "[]"}},
		{"int", func(o Object) { o.Int("x", -2, 2) }, []string{"-2", "2"}, []string{"-3", "3"}},
		{"identifier", func(o Object) { o.Identifier("x") }, []string{`"a/b"`, `"` + strings.Repeat("a", 128) + `"`},
			[]string{`""`, `"a b"`, `"` + strings.Repeat("a", 129) + `"`, "1"}},
		{"subject", func(o Object) { o.Subject("x") }, []string{`"a.b"`, `"` + strings.Repeat("a", 100) + `"`},
			[]string{`"a/b"`, `"` + strings.Repeat("a", 101) + `"`}},
		{"one of", func(o Object) { o.OneOf("x", "allow", "deny") }, []string{`"allow"`},
			[]string{`"Allow"`, `"allow "`, `""`, "true"}},
		{"digest", func(o Object) { o.Digest("x") }, []string{`"` + digest + `"`},
			[]string{`"` + strings.ToUpper(digest) + `"`, `"` + digest[1:] + `"`, `"` + digest + `0"`, "0"}},
		{"bytes", func(o Object) { o.Bytes("x", 1, 2) }, []string{`"AQ"`, `"AQI"`},
			[]string{`""`, `"AQID"`, `"AR"`, `"AQ=="`, `"A"`, `"AQ\n"`, `"` + strings.Repeat("A", 1000) + `"`}},
		{"time", func(o Object) { o.Time("x") }, []string{`"2026-02-28T23:59:59.999Z"`},
			[]string{`"2026-02-29T00:00:00.000Z"`, `"2026-02-28T23:59:59Z"`, `"2026-02-28t23:59:59.999z"`, "1"}},
		{"list", func(o Object) { o.List("x", 1, 2) }, []string{"[1]", "[1,2]"}, []string{"[]", "[1,2,3]", "{}", "1"}},
		{"object", func(o Object) { o.Object("x", "y") }, []string{`{"y":1}`}, []string{`{}`, `[]`, `"y"`}},
		{"map", func(o Object) { o.r.Map(o.Get("x"), 2) }, []string{`{"p":1}`, `{"p":1,"q":2}`},
			[]string{"{}", `{"p":1,"q":2,"r":3}`, "[]"}},
		{"protocol", func(o Object) { o.Object("x", "protocol").Protocol("v1", "v0") }, []string{`{"protocol":"v0"}`},
			[]string{`{"protocol":"v2"}`, `{"protocol":1}`, `{"protocol":"V1"}`}},
	}
	for _, tt := range tests {
		for i, text := range slices.Concat(tt.good, tt.bad) {
			got := read(t, `{"x":`+text+`}`, func(r *Reader, v *ijson.Value) { tt.get(r.Object(v, "x")) })
			if bad := i >= len(tt.good); bad != (len(got) == 1) {
				t.Errorf("%s %s: faults %q", tt.name, text, got)
			}
		}
		if got := read(t, `{}`, func(r *Reader, v *ijson.Value) { tt.get(r.Object(v, "x?")) }); got != nil {
			t.Errorf("%s: a value that is not there is a fault: %q", tt.name, got)
		}
	}
}

func TestRefusedBytesAreNotReturned(t *testing.T) {
	read(t, `{"x":"AQID"}`, func(r *Reader, v *ijson.Value) {
		if b := r.Object(v, "x").Bytes("x", 4, 4); b != nil {
			t.Errorf("3 bytes were returned where 4 were wanted: %v", b)
		}
	})
}

func TestAscending(t *testing.T) {
	for doc, want := range map[string][]string{
		`["a","b","c"]`: nil,
		`["a"]`:         nil,
		`["b","a","c"]`: {Unordered + ` /1: an entry after "b"`},
		`["a","a","b"]`: {Unordered + " /1: each entry once"},
		`["a","b","a"]`: {Unordered + ` /2: an entry after "b"`},
		`["a","B"]`:     {Unordered + ` /1: an entry after "a"`},
	} {
		got := read(t, doc, func(r *Reader, v *ijson.Value) {
			var keys []string
			for _, e := range v.Elements() {
				keys = append(keys, e.Text())
			}
			r.Ascending(v.Elements(), keys)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", doc, got, want)
		}
	}
}

func TestFaultsAreBounded(t *testing.T) {
	var doc strings.Builder
	for i := range 10 * MaxFaults {
		fmt.Fprintf(&doc, `,"%d%s":1`, i, strings.Repeat("x", 1000))
	}
	v, fault := ijson.Parse([]byte("{" + doc.String()[1:] + "}"))
	must.That(t, fault == nil, "%v", fault)
	var r Reader
	r.Object(v)
	if len(r.Faults()) != MaxFaults || len(r.Faults()[0].Found) > 300 {
		t.Errorf("%d faults, the first with %d bytes", len(r.Faults()), len(r.Faults()[0].Found))
	}
}

func TestOnlyHarmlessFaultsDoNotHinder(t *testing.T) {
	for _, code := range []string{BadValue, UnknownProtocol, TooLarge, "", "other"} {
		if !Hinders(code) {
			t.Errorf("%s does not hinder", code)
		}
	}
	for _, code := range []string{UnknownMember, Unordered} {
		if Hinders(code) {
			t.Errorf("%s hinders", code)
		}
	}
}
