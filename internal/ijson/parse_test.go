package ijson

import (
	"fmt"
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

// The ways to break the profile that share a code: the code, and the beginning of what
// was expected.
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

// TestParseRefuses holds one document for each way to break the profile, with
// the exact place that is reported.
func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, doc     string
		code, pointer string
		offset        int
	}{
		{"no bytes", "", CodeEmpty, "", 0},
		{"white space only", " \t\r\n", CodeEmpty, "", 0},

		{"byte order mark", "\ufeff{}", mark, "", 0},
		{"byte order mark alone", "\ufeff", mark, "", 0},
		{"half a byte order mark", "\xef\xbb{}", CodeInvalidUTF8, "", 0},
		{"UTF-16 byte order mark", "\xff\xfe{\x00}\x00", CodeInvalidUTF8, "", 0},
		{"UTF-16 without a mark", "{\x00}\x00", CodeSyntax, "", 1},

		{"name twice", `{"a":1,"b":2,"a":1}`, duplicate, "/a", 13},
		{"name twice, once escaped", `{"a":1,"\u0061":2}`, duplicate, "/a", 7},
		{"name twice, escaped differently", `{"\u00e9":1,"\u00E9":2}`, duplicate, "/é", 12},
		{"name twice, deep", `{"x":[{"y":{"é":1,"\u00E9":2}}]}`, duplicate, "/x/0/y/é", 19},
		{"empty name twice", `{"":1,"":2}`, duplicate, "/", 6},
		{"name twice, to be escaped in a pointer", `{"a/b~c":1,"a/b~c":2}`, duplicate, "/a~1b~0c", 11},
		{"name twice, with null", `{"a":1,"a":null}`, duplicate, "/a", 7},

		{"stray byte in a string", "{\"a\":\"xy\xffz\"}", CodeInvalidUTF8, "/a", 8},
		{"stray byte in a name", "{\"a\":{\"b\xff\":1}}", CodeInvalidUTF8, "/a", 8},
		{"stray byte between values", "[1,\xff]", CodeInvalidUTF8, "/1", 3},
		{"overlong encoding", "\"\xc0\xaf\"", CodeInvalidUTF8, "", 1},
		{"raw surrogate", "[\"\xed\xa0\x80\"]", CodeInvalidUTF8, "/0", 2},
		{"beyond U+10FFFF", "[\"\xf4\x90\x80\x80\"]", CodeInvalidUTF8, "/0", 2},
		{"character cut off by a quote", "[\"\xe2\x82\"]", CodeInvalidUTF8, "/0", 2},
		{"character cut off by the end", "[\"\xe2\x82", CodeInvalidUTF8, "/0", 2},

		{"high surrogate alone", `{"a":"x\ud800y"}`, surrogate, "/a", 7},
		{"low surrogate alone", `["","\uDC00"]`, surrogate, "/1", 5},
		{"surrogates the wrong way round", `"\udc00\ud800"`, surrogate, "", 1},
		{"two high surrogates", `"\ud83d\ud83d"`, surrogate, "", 1},
		{"surrogate in a name", `{"a":{"\ud800":1}}`, surrogate, "/a", 7},
		{"surrogate before another escape", `"\ud800\n1234"`, surrogate, "", 1},
		{"escape like a surrogate outside a string", `[\ud800]`, CodeSyntax, "/0", 1},

		{"noncharacter raw", "[1,\"ab\ufdd0\"]", noncharacter, "/1", 6},
		{"noncharacter raw, last of its range", "\"\ufdef\"", noncharacter, "", 1},
		{"noncharacter escaped", `{"a":["","\uFFFE"]}`, noncharacter, "/a/1", 10},
		{"noncharacter U+FFFF", "\"12345678\uffff\"", noncharacter, "", 9},
		{"noncharacter as a surrogate pair", `"\ud83f\udfff"`, noncharacter, "", 1},
		{"noncharacter of the last plane", "\"\U0010ffff\"", noncharacter, "", 1},
		{"noncharacter in a name", "{\"a\":{\"b\U0001fffe\":1}}", noncharacter, "/a/b\U0001fffe", 8},
		{"noncharacter escaped in a name", `{"\t\ufdd0":1}`, noncharacter, "/\t\ufdd0", 4},

		{"fraction", `{"a":1.5}`, number, "/a", 5},
		{"fraction of zero", `[1.0]`, number, "/0", 1},
		{"exponent", `[0,1e3]`, number, "/1", 3},
		{"capital exponent", `1E2`, number, "", 0},
		{"huge exponent", `[1e10000000]`, number, "/0", 1},
		{"leading zero", `[01]`, number, "/0", 1},
		{"leading zero, negative", `{"a":-01}`, number, "/a", 5},
		{"plus sign", `[ +1]`, number, "/0", 2},
		{"minus zero", `-0`, number, "", 0},
		{"minus alone", `[-]`, number, "/0", 1},
		{"minus at the end", `-`, number, "", 0},
		{"no digits before the point", `[.5]`, number, "/0", 1},
		{"no digits after the point", `[5.]`, number, "/0", 1},
		{"exponent cut off by the end", `[5e`, number, "/0", 1},
		{"hexadecimal", `[0x10]`, number, "/0", 1},
		{"digit groups", `1_000`, number, "", 0},
		{"minus infinity", `-Infinity`, number, "", 0},
		{"number and literal without a space", `1true`, number, "", 0},
		{"2^53", `9007199254740992`, number, "", 0},
		{"-2^53", `[-9007199254740992]`, number, "/0", 1},
		{"2^64+1", `18446744073709551617`, number, "", 0},
		{"seventeen digits", `10000000000000000`, number, "", 0},
		{"many digits", strings.Repeat("1", 1000), number, "", 0},

		{"null", `null`, null, "", 0},
		{"null in an object", `{"a":{"b":null}}`, null, "/a/b", 10},
		{"null in an array", `[1, null]`, null, "/1", 4},

		{"an array too deep", nested(MaxDepth + 1), tooDeep, strings.Repeat("/0", MaxDepth), MaxDepth},
		{"an object too deep", strings.Repeat(`{"a":`, MaxDepth) + "{}", tooDeep,
			strings.Repeat("/a", MaxDepth), 5 * MaxDepth},
		{"far too deep", strings.Repeat("[", 100_000), tooDeep, strings.Repeat("/0", MaxDepth), MaxDepth},

		{"a second document", `{"a":1}{"b":2}`, CodeTrailingData, "", 7},
		{"a second value on a line", `1 2`, CodeTrailingData, "", 2},
		{"a brace more", "{} \n}", CodeTrailingData, "", 4},
		{"a comma after", `[],`, CodeTrailingData, "", 2},
		{"NUL after", "{}\x00", CodeTrailingData, "", 2},
		{"not UTF-8 after", "{}\xff", CodeTrailingData, "", 2},
		{"letters after a literal", `truey`, CodeTrailingData, "", 4},

		{"object cut off", `{"a":{"b":1`, CodeSyntax, "/a", 11},
		{"name cut off", `{"ab`, CodeSyntax, "", 4},
		{"no value", `{"a":`, CodeSyntax, "/a", 5},
		{"array cut off", `[1,`, CodeSyntax, "", 3},
		{"literal cut off", `[tru`, CodeSyntax, "/0", 4},
		{"escape cut off", `"\ud83d\u`, CodeSyntax, "", 9},
		{"misspelt literal", `{"a":trve}`, CodeSyntax, "/a", 7},
		{"capital literal", `[True]`, CodeSyntax, "/0", 1},
		{"not a number", `[NaN]`, CodeSyntax, "/0", 1},
		{"no comma", `[1 2]`, CodeSyntax, "", 3},
		{"no comma between members", `{"a":1 "b":2}`, CodeSyntax, "", 7},
		{"no colon", `{"a" 1}`, CodeSyntax, "/a", 5},
		{"trailing comma", `[1,]`, CodeSyntax, "", 2},
		{"trailing comma in an object", `{"a":1,}`, CodeSyntax, "", 6},
		{"leading comma", `[,1]`, CodeSyntax, "", 1},
		{"name that is a number", `{1:2}`, CodeSyntax, "", 1},
		{"name that is a bad number", `{01:2}`, CodeSyntax, "", 1},
		{"name without value", `{"a"}`, CodeSyntax, "/a", 4},
		{"wrong bracket", `{"a":[1}`, CodeSyntax, "/a", 7},
		{"closing bracket only", `]`, CodeSyntax, "", 0},
		{"raw control character", "[\"a\x1f\"]", CodeSyntax, "/0", 3},
		{"raw newline", "[\"a\n\"]", CodeSyntax, "/0", 3},
		{"unknown escape", `["\x41"]`, CodeSyntax, "/0", 2},
		{"bad hex escape", `["\u12G4"]`, CodeSyntax, "/0", 2},
		{"bad hex escape like a surrogate", `["\ud8zz"]`, CodeSyntax, "/0", 2},
		{"comment", `[/**/1]`, CodeSyntax, "/0", 1},
		{"single quotes", `['a']`, CodeSyntax, "/0", 1},
		{"vertical tab", "\v1", CodeSyntax, "", 0},
		{"no-break space", "\u00a01", CodeSyntax, "", 0},
		{"byte order mark after a space", " \ufeff1", CodeSyntax, "", 1},
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
	tests := []struct{ name, doc string }{
		{"object", `{}`},
		{"white space around", " \t\r\n{} \t\r\n"},
		{"white space within", "{ \"a\" :\t[ 1 ,\n2 ] }"},
		{"string alone", `"a"`},
		{"number alone", `0`},
		{"boolean alone", `false`},
		{"names that differ in case", `{"a":1,"A":2}`},
		{"names that fold alike", `{"s":1,"\u017f":2,"k":3,"\u212a":4}`},
		{"one name in two objects", `{"a":{"a":{"a":1}},"b":{"a":1}}`},
		{"names that differ in normalisation", "{\"\u00e9\":1,\"e\u0301\":2}"},
		{"2^53-1", `9007199254740991`},
		{"-(2^53-1)", `[-9007199254740991]`},
		{"sixteen digits", `1000000000000000`},
		{"surrogate pair", `"\ud83d\ude02"`},
		{"replacement character", "[\"\ufffd\",\"\\ufffd\"]"},
		{"neighbours of noncharacters", "\"\ufdcf\ufdf0\U0001fffd\U00020000\U0010fffd\""},
		{"byte order mark within a string", "\"\ufeff\""},
		{"escaped NUL and raw DEL", "\"\\u0000\x7f\""},
		{"every short escape", `"\"\\\/\b\f\n\r\t"`},
		{"arrays to the last level", nested(MaxDepth)},
		{"a string at the last level", strings.Repeat("[", MaxDepth) + `"a"` + strings.Repeat("]", MaxDepth)},
		{"objects to the last level", strings.Repeat(`{"a":`, MaxDepth-1) + "{}" + strings.Repeat("}", MaxDepth-1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, fault := Parse([]byte(test.doc))
			must.That(t, fault == nil, "Parse(%q): %v", test.doc, fault)
			if want := strings.Trim(test.doc, " \t\r\n"); string(v.Raw()) != want {
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
		if got := fault.Error(); got != test.want {
			t.Errorf("Parse(%.80q):\n got %s\nwant %s", test.doc, got, test.want)
		}
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
	if fault != nil {
		t.Fatal(fault)
	}
	if got := len(v.Members()); got != members {
		t.Fatalf("%d members, want %d", got, members)
	}
	for i := range members {
		u, ok := v.Member("name" + strconv.Itoa(i))
		must.That(t, ok && u.Int() == int64(i), "Member(name%d) = %v, %v", i, u, ok)
	}
	if _, ok := v.Member("name"); ok {
		t.Error("Member finds a name that is not there")
	}

	_, fault = Parse([]byte("{" + doc.String()[1:] + `,"name7":1}`))
	check.That(t, fault.breaks(duplicate) && fault.Path == "/name7", "a name twice among many: %v", fault)
}
