package ijson

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// nested returns n arrays, each within the one before.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// The ways to break the profile that share a code: the code, and the beginning of Expected.
var (
	mark         = CodeSyntax + ": UTF-8 without a byte order mark"
	noncharacter = CodeSyntax + ": text without noncharacters"
	number       = CodeSyntax + ": an integer within"
	null         = CodeSyntax + ": a value other than null"
	duplicate    = CodeAmbiguous + ": each name once"
	surrogate    = CodeAmbiguous + ": surrogates only as a pair"
	tooLong      = fmt.Sprintf("%s: at most %d bytes", CodeTooLarge, MaxSize)
	tooDeep      = fmt.Sprintf("%s: at most %d levels", CodeTooLarge, MaxDepth)
)

// breaks reports whether a fault is of a kind: one of those above, or a code for all else.
func (f *Fault) breaks(kind string) bool {
	if f == nil {
		return false
	}
	said := f.Code + ": " + f.Expected
	of := slices.IndexFunc([]string{mark, noncharacter, number, null, duplicate, surrogate, tooLong, tooDeep},
		func(one string) bool { return strings.HasPrefix(said, one) })
	return strings.HasPrefix(said, kind) && (of < 0) == (f.Code == kind)
}

// rowsOf returns the rows of a table in testdata. A field in which not all can be seen is quoted as
// in Go, behind a back quote.
func rowsOf(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile(filepath.Join("testdata", name)))(t))) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, field := range row {
			if quoted, ok := strings.CutPrefix(field, "`"); ok {
				row[i] = must.Get(strconv.Unquote(quoted))(t)
			}
		}
		rows = append(rows, row)
	}
	must.That(t, len(rows) > 15, "%d rows", len(rows))
	return rows
}

// refusal is a document that breaks the profile, and the reported fault.
type refusal struct {
	name, code string
	offset     int
	pointer    string
	doc        string
}

// TestParseRefuses holds one document for each way to break the profile, with
// the exact place that is reported.
func TestParseRefuses(t *testing.T) {
	tests := []refusal{
		{"many digits", number, 0, "", strings.Repeat("1", 1000)},
		{"an array too deep", tooDeep, MaxDepth, strings.Repeat("/0", MaxDepth), nested(MaxDepth + 1)},
		{"an object too deep", tooDeep, 5 * MaxDepth, strings.Repeat("/a", MaxDepth),
			strings.Repeat(`{"a":`, MaxDepth) + "{}"},
		{"far too deep", tooDeep, MaxDepth, strings.Repeat("/0", MaxDepth), strings.Repeat("[", 100_000)},
	}
	kinds := map[string]string{"mark": mark, "noncharacter": noncharacter, "number": number, "null": null,
		"duplicate": duplicate, "surrogate": surrogate}
	for _, row := range rowsOf(t, "refused.tsv") {
		code, offset := cmp.Or(kinds[row[1]], row[1]), must.Get(strconv.Atoi(row[2]))(t)
		tests = append(tests, refusal{row[0], code, offset, row[3], row[4]})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, fault := Parse([]byte(test.doc))
			must.That(t, fault != nil, "Parse(%.80q) accepts, want %s", test.doc, test.code)
			check.That(t, v == nil, "Parse(%.80q) returns a value with a fault", test.doc)
			check.That(t, fault.breaks(test.code) && fault.Path == test.pointer && fault.Offset == test.offset,
				"Parse(%.80q): %+v, want %s at %q, byte %d", test.doc, fault, test.code, test.pointer, test.offset)
			check.That(t, !IsCanonical([]byte(test.doc)), "IsCanonical(%.80q) is true for a refused document", test.doc)
		})
	}
}

func TestParseAccepts(t *testing.T) {
	tests := append(rowsOf(t, "accepted.tsv"),
		[]string{"arrays to the last level", nested(MaxDepth)},
		[]string{"a string at the last level", strings.Repeat("[", MaxDepth) + `"a"` + strings.Repeat("]", MaxDepth)},
		[]string{"objects to the last level", strings.Repeat(`{"a":`, MaxDepth-1) + "{}" + strings.Repeat("}", MaxDepth-1)})
	for _, test := range tests {
		t.Run(test[0], func(t *testing.T) {
			v, fault := Parse([]byte(test[1]))
			must.That(t, fault == nil, "Parse(%q): %v", test[1], fault)
			if want := strings.Trim(test[1], " \t\r\n"); string(v.Raw()) != want {
				t.Errorf("Raw() = %q, want %q", v.Raw(), want)
			}
		})
	}
}

func TestParseRefusesTooManyBytes(t *testing.T) {
	doc := make([]byte, MaxSize+1)
	_, fault := Parse(doc)
	check.That(t, fault.breaks(tooLong) && fault.Offset == MaxSize, "Parse of %d bytes: %v, want %s", len(doc), fault,
		tooLong)
	// One byte less is read, and fails at the first byte.
	_, fault = Parse(doc[:MaxSize])
	check.That(t, fault.breaks(CodeSyntax) && fault.Offset == 0, "Parse of %d bytes: %v, want %s", MaxSize, fault,
		CodeSyntax)
}

// TestFaultError shows whole sentences, and that text from the document cannot
// reach a terminal in them.
func TestFaultError(t *testing.T) {
	tests := []struct{ doc, want string }{
		{`{"a":1e3}`, `json.syntax in "/a" at byte 5: expected an integer within 9007199254740991 of zero in plain decimal, found "1e3"`},
		{`[1 2]`, `json.syntax in the document at byte 3: expected a comma and an element, or the end of the array, found "2]"`},
		{`{"a" 1}`, `json.syntax in "/a" at byte 5: expected a colon and a value, found "1}"`},
		{`[1,2`, `json.syntax in the document at byte 4: expected the rest of the value, found the end of the document`},
		{
			"{\"\u202e\":1,\"\\u202e\":2}",
			`json.ambiguous in "/\u202e" at byte 9: expected each name once in an object, found "\u202e" again`,
		},
		{"1\x1b[2J", `json.trailing-data in the document at byte 1: expected only white space after the value, found "\x1b[2J"`},
		{
			`{"` + strings.Repeat("n", 1000) + `":null}`,
			`json.syntax in "/` + strings.Repeat("n", safetext.Value-1) +
				`"... at byte 1004: expected a value other than null, found null`,
		},
	}
	for _, test := range tests {
		_, fault := Parse([]byte(test.doc))
		if fault == nil {
			t.Errorf("Parse(%.80q) accepts", test.doc)
			continue
		}
		got := fault.Error()
		check.That(t, got == test.want, "Parse(%.80q):\n got %s\nwant %s", test.doc, got, test.want)
	}
}

// TestLargeObject would not end in reasonable time if reading names or looking
// them up were quadratic.
func TestLargeObject(t *testing.T) {
	const members = 100_000
	var doc strings.Builder
	for i := range members {
		fmt.Fprintf(&doc, `,"name%d":%d`, i, i)
	}
	v, fault := Parse([]byte("{" + doc.String()[1:] + "}"))
	must.That(t, fault == nil, "%v", fault)
	got := len(v.Members())
	must.That(t, got == members, "%d members, want %d", got, members)
	for i := range members {
		u, ok := v.Member("name" + strconv.Itoa(i))
		must.That(t, ok && u.Int() == int64(i), "Member(name%d) = %v, %v", i, u, ok)
	}
	_, ok := v.Member("name")
	check.That(t, !ok, "Member finds a name that is not there")

	_, fault = Parse([]byte("{" + doc.String()[1:] + `,"name7":1}`))
	check.That(t, fault.breaks(duplicate) && fault.Path == "/name7", "a name twice among many: %v", fault)
}
