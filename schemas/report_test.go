package schemas

import (
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// leaf is a whole document of the schema seal-leaf, and key one of the form of seal-key.
var (
	leaf = `{"digest":"` + strings.Repeat("ab", 64) + `","path":"a","size":1}`
	key  = `{"ed25519_seed":"x","ml_dsa_65_seed":"x","name":"a","protocol":"svc.seal-key.v1"}`
)

// TestExamine: each fault is named by its rule and place, and a near miss passes.
func TestExamine(t *testing.T) {
	for _, c := range []struct {
		name, schema, text, verdict, want string
	}{
		{"a document", "", leaf + "\n", "valid", "seal-leaf:1"},
		{"by its schema", "seal-leaf", leaf, "valid", "seal-leaf:1"},
		{"a member less", "seal-leaf", `{"path":"a","size":1}`, "invalid", "seal-leaf:1 1:1 schema"},
		{"lines", "", leaf + "\n\n" + leaf, "valid", "seal-leaf:2"},
		{"two forms", "", leaf + "\n" + key, "invalid", "seal-key:1 seal-leaf:1 2:17/ed25519_seed schema " +
			"2:38/ml_dsa_65_seed schema"},
		{"an indented document", "", "{\n \"path\":\"é\", \"size\":-1,\n\"digest\":\"" + strings.Repeat("ab", 64) + "\"}",
			"invalid", "seal-leaf:1 2:21/size schema"},
		{"a member in a member", "trust", `{"audit_keys":{"a/b":1}}`, "invalid", "trust:1 1:1 schema 1:1 schema " +
			"1:1 schema 1:22/audit_keys/a~1b schema"},
		{"a name twice", "", `{"path":"a","path":"b"}`, "invalid", "1:13/path specification"},
		{"a fraction", "seal-leaf", strings.Replace(leaf, ":1}", ":1.0}", 1), "invalid", "1:160/size specification"},
		{"an unknown form", "", `{"protocol":"svc.seal-key.v9"}`, "unrecognised", "1:1 recognition"},
		{"members of none", "", `{"x":1}`, "unrecognised", "1:1 recognition"},
		{"members of two", "", `{"statement":{},"signatures":{}}`, "unrecognised", "1:1 recognition"},
		{"a list", "", `[` + leaf + `]`, "unrecognised", "1:1 recognition"},
		{"no JSON", "", "\x1b[2J", "unrecognised", "1:1 recognition"},
		{"no JSON by a schema", "trust", "x", "invalid", "1:1 specification"},
		{"nothing", "", " \n", "unrecognised", "1:1 recognition"},
		{"an unknown line among others", "", leaf + "\n{}", "unrecognised", "seal-leaf:1 2:1 recognition"},
	} {
		f, err := ExamineFile("f", c.schema, []byte(c.text))
		must.That(t, err == nil, "%s: %v", c.name, err)
		got := ""
		for _, form := range f.Forms {
			got += fmt.Sprintf(" %s:%d", form.Name, form.Documents)
		}
		for _, x := range f.Faults {
			got += fmt.Sprintf(" %d:%d%s %s", x.Line, x.Column, x.Path, x.Rule)
			check.That(t, x.Expected != "" && x.Found != "", "%s: %+v", c.name, x)
		}
		check.Equal(t, strings.TrimPrefix(got, " "), c.want, "%s", c.name)
		check.Equal(t, string(f.Verdict), c.verdict, "%s", c.name)
	}
}

// TestExpectations: a fault names the expected and the found value, quoted.
func TestExpectations(t *testing.T) {
	for _, c := range []struct{ schema, text, want string }{
		{"seal-leaf", strings.Replace(leaf, ":1}", ":-1}", 1), "at least 0|-1"},
		{"seal-leaf", strings.Replace(leaf, ":1}", `:"1"}`, 1), `an integer|"1"`},
		{"seal-leaf", strings.Replace(leaf, `"a"`, `""`, 1), `the path of the object as text (SPEC 15.1)|""`},
		{"seal-leaf", strings.Replace(leaf, `"a"`, `[1,2]`, 1), "a string|an array of 2 elements"},
		{"seal-leaf", strings.Replace(leaf, `"a"`, `{"a":1}`, 1), "a string|an object of 1 member"},
		{"seal-leaf", strings.Replace(leaf, `"path":"a",`, "", 1), "the member path|no such member"},
		{"seal-leaf", strings.Replace(leaf, `{`, `{"\u202e":1,`, 1),
			`only members that the format names|the member "\u202e"`},
		{"version", `{"schema":"svc-verify/version/v2","version":"a","go":"b","modules":[],"build":[],"corpus_sha256":"` +
			strings.Repeat("ab", 32) + `"}`, `svc-verify/version/v1|"svc-verify/version/v2"`},
		{"archive-object", `{"path":"a","verdict":"x"}`, `one of verified, rejected, inconclusive|"x"`},
		{"trust", `{"audit_keys":{"\u001b":"` + strings.Repeat("A", 43) + `"}}`, `an identifier (SPEC 1.5)|the name "\x1b"`},
		{"archive-change", `{"path":"a","class":"moved","accepted":{}}`, "not allowed|an object of 0 members"},
	} {
		f := must.Get(ExamineFile("f", c.schema, []byte(c.text)))(t)
		last := f.Faults[len(f.Faults)-1]
		found := false
		for _, x := range f.Faults {
			found = found || x.Expected+"|"+x.Found == c.want
		}
		check.That(t, found, "%s %s: %q, found %q; expected %q", c.schema, c.text, last.Expected, last.Found, c.want)
	}
}

// TestLimitsOfExamine: faults above the limit are counted, and input that cannot be examined
// is an error.
func TestLimitsOfExamine(t *testing.T) {
	many := "{" + members(mostFaults+3) + "}"
	f := must.Get(ExamineFile("f", "trust", []byte(many)))(t)
	check.That(t, len(f.Faults) == mostFaults && f.MoreFaults == 7, "%d faults and %d more", len(f.Faults), f.MoreFaults)
	f = must.Get(ExamineFile("f", "", []byte(strings.Repeat("{}\n", mostFaults+2))))(t)
	check.That(t, len(f.Faults) == mostFaults && f.MoreFaults == 2, "%d faults and %d more", len(f.Faults), f.MoreFaults)

	long := `{"keys":{"` + strings.Repeat("x", 1<<16) + `":[` + strings.Repeat("1,", 1<<10) + `1]}}`
	_, err := ExamineFile("f", "seal-trust", []byte(long))
	check.That(t, err != nil && strings.Contains(err.Error(), "too long"), "long names: %v", err)
	_, err = ExamineFile("f", "", []byte(leaf+"\n{"+strings.Repeat(" ", 16<<20)+"}"))
	check.That(t, err != nil && strings.Contains(err.Error(), "line 2"), "a long line: %v", err)
	_, err = ExamineFile("f", "", make([]byte, MaxFile+1))
	check.That(t, err != nil, "a file above the limit was examined")
}

func members(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"m%d":1`, i))
	}
	return strings.Join(all, ",")
}

// TestReportsVerdict: the verdict is the worst of a file's, in whatever order.
func TestReportsVerdict(t *testing.T) {
	file := func(v Verdict) *File { return &File{Name: "f", Verdict: v} }
	for _, c := range []struct {
		want Verdict
		all  []*File
	}{
		{Valid, []*File{file(Valid), file(Valid)}},
		{Unrecognised, []*File{file(Valid), file(Unrecognised)}},
		{Invalid, []*File{file(Invalid), file(Unrecognised), file(Valid)}},
		{Invalid, []*File{file(Valid), file(Unrecognised), file(Invalid)}},
	} {
		check.Equal(t, NewReport(c.all).Verdict, c.want, "%d files", len(c.all))
	}
}

// TestDocument: hostile names and paths are quoted, and the answer names its limits.
func TestDocument(t *testing.T) {
	f := must.Get(ExamineFile("\x1b[2J", "", []byte(`{"audit_keys":{"\u202e":1},"nodes":{},"registries":{}}`)))(t)
	var text strings.Builder
	must.Do(t, answer.WriteText(&text, NewReport([]*File{f}).Document(), false))
	for _, want := range []string{"1 file: invalid\n", `invalid  "\x1b[2J": trust`, `1:25 "/audit_keys/\u202e"`,
		"does not show that a document is genuine", "Next: svc-verify schema trust\n"} {
		check.That(t, strings.Contains(text.String(), want), "there is no %q:\n%s", want, text.String())
	}
}

// TestFormsAreDistinct: a form names one schema only, so that a document cannot be taken for another.
func TestFormsAreDistinct(t *testing.T) {
	found := map[string]string{}
	for _, name := range Names() {
		id, pointer, _ := strings.Cut(ID(name), "#")
		schema := sources()[id]
		if pointer != "" {
			schema = schema["$defs"].(object)[name].(object)
		}
		for _, path := range markers[:2] {
			for _, form := range formsOf(schema, path) {
				check.That(t, found[form] == "", "%s is of %s and %s", form, found[form], name)
				found[form] = name
			}
		}
	}
	check.That(t, len(found) > 60, "%d forms", len(found))
}
