package ijson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// dense are documents of very many values, most of them of few bytes.
func dense(size int) map[string][]byte {
	list := func(element string) []byte {
		return []byte("[" + strings.Repeat(element+",", size/(len(element)+1)) + element + "]")
	}
	object := func(member func(i int) string) []byte {
		b := []byte{'{'}
		for i := 0; len(b) < size; i++ {
			b = append(b, member(i)+","...)
		}
		return append(b, `"last":1}`...)
	}
	in := func(before string, b []byte, after string) []byte {
		return slices.Concat([]byte(before), b, []byte(after))
	}
	return map[string][]byte{
		"numbers":                list("1"),
		"empty objects":          list("{}"),
		"empty arrays":           list("[]"),
		"lists of one":           list("[1]"),
		"deep":                   list(`{"a":{"a":{}}}`),
		"strings":                list(`""`),
		"spaces":                 list(" 1"),
		"members":                object(func(i int) string { return fmt.Sprintf(`"%x":1`, i) }),
		"escaped names":          object(func(i int) string { return fmt.Sprintf(`"%x\u0041":1`, i) }),
		"members with lists":     object(func(i int) string { return fmt.Sprintf(`"%x":[1,1,[],{"a":{}}]`, i) }),
		"members in members":     object(func(i int) string { return fmt.Sprintf(`"%x":{"a":{"a":{}}}`, i) }),
		"numbers in a member":    in(`{"a":`, list("1"), `,"b":2}`),
		"members in lists":       list(`{"a":1,"b":2}`),
		"objects of 40":          list(many(40)),
		"lists of many":          list("[" + strings.Repeat("1,", 1500) + "1]"),
		"lists of many, nested":  in(strings.Repeat(`[1,{"a":`, 12), list("1"), strings.Repeat("},2]", 12)),
		"just not too many":      list(`"1234567"`),
		"long strings":           list(`"` + strings.Repeat("x", 1000) + `"`),
		"names before others":    in(`{"a":[`+many(40)+",", list("1")[1:], `,"b":{"x":1}}`),
		"nearly all in one name": in(`{"`, bytes.Repeat([]byte("x"), size), `":1}`),
	}
}

// many is an object of so many members.
func many(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestMemory: reading a document allocates at most eight bytes for each of its own,
// and something for each, whatever it holds.
func TestMemory(t *testing.T) {
	const size, most, free = 1 << 20, 8, 2 << 20
	all := dense(size)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, fault := Parse(all[name])
		runtime.ReadMemStats(&after)
		must.That(t, fault == nil, "%s: %v", name, fault)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%-24s %d values, %.1f bytes for each", name, v.Count(), float64(took)/float64(len(all[name])))
		check.That(t, took <= int64(most*len(all[name])+free),
			"%s: %d bytes for a document of %d", name, took, len(all[name]))
	}
}

// TestFolded: of a document whose values are not all kept the tree is the same.
func TestFolded(t *testing.T) {
	for name, doc := range dense(12_000) {
		v, fault := Parse(doc)
		must.That(t, fault == nil, "%s: %v", name, fault)
		count := 0
		got := tree(t, v, doc, &count)
		var want any
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		must.Do(t, d.Decode(&want))
		check.That(t, reflect.DeepEqual(got, want), "%s: another tree", name)
		check.That(t, v.Count() == count, "%s: %d values, want %d", name, v.Count(), count)
	}
}

// tree converts a value to the types of encoding/json, and checks the properties of each
// value.
func tree(t *testing.T, v *Value, doc []byte, count *int) any {
	*count++
	if raw := doc[v.Offset():]; !bytes.HasPrefix(raw, v.Raw()) {
		t.Fatalf("%s: %.40q does not stand at %d", v.Pointer(), v.Raw(), v.Offset())
	}
	depth := 0
	switch v.Kind() {
	case Object:
		all := map[string]any{}
		for _, m := range v.Members() {
			if want := v.Pointer() + "/" + m.Name; m.Value.Pointer() != want || m.Value.Name() != m.Name {
				t.Fatalf("%q at %s, want %s", m.Value.Name(), m.Value.Pointer(), want)
			}
			all[m.Name] = tree(t, m.Value, doc, count)
			depth = max(depth, m.Value.Depth())
			if u, ok := v.Member(m.Name); !ok || u.Offset() != m.Value.Offset() || u.Pointer() != m.Value.Pointer() {
				t.Fatalf("%s: the member of that name is another", m.Value.Pointer())
			}
		}
		if _, ok := v.Member("no such member"); ok || len(all) != v.Len() {
			t.Fatalf("%s: %d members, of %d", v.Pointer(), len(all), v.Len())
		}
		depth++
		checkDepth(t, v, depth)
		return all
	case Array:
		all := []any{}
		for i, u := range v.Elements() {
			want := fmt.Sprintf("%s/%d", v.Pointer(), i)
			must.That(t, u.Pointer() == want && u.Name() == "", "at %s, want %s", u.Pointer(), want)
			all = append(all, tree(t, u, doc, count))
			depth = max(depth, u.Depth())
		}
		must.That(t, len(all) == v.Len(), "%s: %d elements, of %d", v.Pointer(), len(all), v.Len())
		checkDepth(t, v, depth+1)
		return all
	case String:
		return v.Text()
	case Number:
		return json.Number(v.Raw())
	}
	return v.Bool()
}

func checkDepth(t *testing.T, v *Value, want int) {
	must.That(t, v.Depth() == want, "%s: depth %d, want %d", v.Pointer(), v.Depth(), want)
}

// TestFaultsInFolded: a fault behind or within very many values is reported at its place.
func TestFaultsInFolded(t *testing.T) {
	start := "[" + strings.Repeat("1,", 5000)
	random := rand.New(rand.NewPCG(1, 1))
	for name, test := range map[string]struct{ rest, code, pointer string }{
		"null":        {`null]`, null, "/5000"},
		"number":      {`01]`, number, "/5000"},
		"name":        {`{"a":1,"b":{"c":1,"c":2}}]`, duplicate, "/5000/b/c"},
		"escaped":     {`{"a":1,"\u0061":2}]`, duplicate, "/5000/a"},
		"among many":  {many(50)[:len(many(50))-1] + fmt.Sprintf(`,"m%d":1}]`, random.IntN(50)), duplicate, ""},
		"text":        {`{"a":"\ufdd0"}]`, noncharacter, "/5000/a"},
		"name's text": {`{"\ufdd0":1}]`, noncharacter, "/5000/\ufdd0"},
		"depth":       {strings.Repeat("[", 40), tooDeep, "/5000" + strings.Repeat("/0", 31)},
		"end":         {"", CodeSyntax, ""},
	} {
		_, fault := Parse([]byte(start + test.rest))
		check.That(t, fault.breaks(test.code) && (test.pointer == "" || fault.Path == test.pointer), "%s: %+v", name, fault)
	}
}
