package ijson

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"

	"pgregory.net/rapid"
)

// TestCanonical checks the canonical forms of documents.
func TestCanonical(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"white space", " { \"a\" : [ 1 , true ] } \n", `{"a":[1,true]}`},
		{"order", `{"b":1,"a":2,"":3,"B":4}`, `{"":3,"B":4,"a":2,"b":1}`},
		{"order within", `[{"b":{"d":1,"c":2},"a":0}]`, `[{"a":0,"b":{"c":2,"d":1}}]`},
		{"a name and its beginning", `{"ab":1,"a":2,"abcdefgh1":3,"abcdefgh":4}`,
			`{"a":2,"ab":1,"abcdefgh":4,"abcdefgh1":3}`},
		{"names that part after eight bytes", `{"abcdefgh2":1,"abcdefgh1":2}`, `{"abcdefgh1":2,"abcdefgh2":1}`},
		{"digits sort as text", `{"10":1,"9":2,"1":3}`, `{"1":3,"10":1,"9":2}`},
		{"order by code unit", "{\"\ue000\":1,\"\U00010000\":2,\"\ud7ff\":3}",
			"{\"\ud7ff\":3,\"\U00010000\":2,\"\ue000\":1}"},
		{"order of escaped names", `{"a":1,"\n":2,"\u0000":3,"\"":4,"\\":5}`, `{"\u0000":3,"\n":2,"\"":4,"\\":5,"a":1}`},
		{"escapes", `"\u0061\/\u0022\u005c\u0008\u001F\u007f\u00e9"`, "\"a/\\\"\\\\\\b\\u001f\x7fé\""},
		{"surrogate pair", `"\ud83d\ude02"`, `"😂"`},
		{"integers", `[0,-1,9007199254740991,-9007199254740991]`, `[0,-1,9007199254740991,-9007199254740991]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, fault := Canonical([]byte(test.doc))
			must.That(t, fault == nil, "Canonical(%q): %v", test.doc, fault)
			check.That(t, string(got) == test.want, "Canonical(%q) = %q, want %q", test.doc, got, test.want)
			check.That(t, IsCanonical([]byte(test.want)), "IsCanonical(%q) = false", test.want)
			is, want := IsCanonical([]byte(test.doc)), test.doc == test.want
			check.That(t, is == want, "IsCanonical(%q) = %v, want %v", test.doc, is, want)
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, doc := range []string{"", "null", "1.0", "-0", `{"a":1,"a":1}`, `"\ufffe"`, "[1", nested(MaxDepth + 1)} {
		got, fault := Canonical([]byte(doc))
		check.That(t, fault != nil && got == nil, "Canonical(%q) = %q, want a fault", doc, got)
	}
}

// TestCanonicalKeepsCanonicalBytes: canonical bytes are used as they were read, also a value
// within a document that is not canonical.
func TestCanonicalKeepsCanonicalBytes(t *testing.T) {
	doc := []byte(` {"z":{"a":1,"b":[]}, "y":{"b":1,"a":2}}`)
	v, fault := Parse(doc)
	must.That(t, fault == nil, "%v", fault)
	z, _ := v.Member("z")
	if got := z.Canonical(); &got[0] != &doc[6] {
		t.Errorf("the canonical form of %s is a copy", z.Raw())
	}
	y, _ := v.Member("y")
	if got, want := string(y.Canonical()), `{"a":2,"b":1}`; got != want {
		t.Errorf("the canonical form of %s is %s, want %s", y.Raw(), got, want)
	}
	got, want := string(v.Canonical()), `{"y":{"a":2,"b":1},"z":{"a":1,"b":[]}}`
	check.That(t, got == want, "the canonical form of %s is %s, want %s", doc, got, want)
}

// TestIsCanonicalNearMisses holds bytes that differ from canonical ones in one
// point that neither TestCanonical nor TestParseRefuses has.
func TestIsCanonicalNearMisses(t *testing.T) {
	for _, doc := range []string{
		`{"a":1} `, ` {"a":1}`, `{"a": 1}`, `{"a" :1}`, `{"a":1, "b":2}`, `[ ]`, `{ }`, "[1\n]",
		`"\u000a"`, `"\u001F"`, `"\u0020"`, `"\u007f"`, `"\U0000"`, `"\u000"`, `"\u00`, `"\u`, `"\`, `"`, `"\"`, `"\/"`,
		`"\a"`,
		`{"b":1,"a":2}`, `{"ab":1,"a":2}`, `{"abcdefgh":1,"abcdefgh":2}`, `{"abcdefghb":1,"abcdefgha":2}`,
		`{"é":1,"z":2}`, "{\"\uffee\":1,\"\U00010000\":2}", `{"\n":1,"\t":2}`, `{"\"":1,"!":2}`,
		`{"a":1,"a":2}`, `{"é":1,"é":2}`, `{"\n":1,"\n":2}`,
		`tru`, `truee`, `fals`, `nul`, `{`, `[`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[1`, `[1,`, `[}`, `{]`, `{1`,
		`{,"a":1}`, `[,1]`, `[1,]`, `[1,,2]`, `{"a":1,}`, `{"a"}`, `{"a":}`, `[1]]`, `[1}`, `}`, `,`, `:`,
		`-`, `+1`, `--1`, `1-`, `0x1`, `1.`, `00`,
	} {
		check.That(t, !IsCanonical([]byte(doc)), "IsCanonical(%q) = true", doc)
		check.That(t, !referenceIsCanonical([]byte(doc)), "the reference accepts %q", doc)
	}
}

// TestIsCanonicalEveryByte compares the recogniser with its definition on every
// byte at every place of a string, a name and a number, so that it is in
// each lane of the eight bytes looked at together, and after them.
func TestIsCanonicalEveryByte(t *testing.T) {
	for _, pattern := range []string{`"0123456789abcdefghi"`, `{"0123456789abcdefghi":1}`, `[1234567890123456]`,
		`"é\u0010é"`} {
		for i := range pattern {
			for c := range 256 {
				doc := []byte(pattern)
				doc[i] = byte(c)
				got, want := IsCanonical(doc), referenceIsCanonical(doc)
				check.That(t, got == want, "IsCanonical(%q) = %v, want %v", doc, got, want)
			}
		}
	}
}

// TestIsCanonicalEveryEscape compares the recogniser with its definition on
// every escape sequence of a character in the first two hundred.
func TestIsCanonicalEveryEscape(t *testing.T) {
	for c := range 200 {
		for _, escape := range []string{fmt.Sprintf(`\u%04x`, c), fmt.Sprintf(`\u%04X`, c), `\` + string(rune(c))} {
			for _, doc := range []string{`"` + escape + `"`, `{"` + escape + `":1}`} {
				got, want := IsCanonical([]byte(doc)), referenceIsCanonical([]byte(doc))
				check.That(t, got == want, "IsCanonical(%q) = %v, want %v", doc, got, want)
			}
		}
	}
}

// TestIsCanonicalSmallWorld compares the recogniser with its definition on every
// sequence of up to five of these pieces.
func TestIsCanonicalSmallWorld(t *testing.T) {
	pieces := []string{`{`, `}`, `[`, `]`, `,`, `"a":`, `"b":1`, `""`, `\`, `1`, `0`, `-`, ` `, `true`}
	accepted := 0
	var try func(doc string, more int)
	try = func(doc string, more int) {
		got, want := IsCanonical([]byte(doc)), referenceIsCanonical([]byte(doc))
		check.That(t, got == want, "IsCanonical(%q) = %v, want %v", doc, got, want)
		if got {
			accepted++
		}
		for _, piece := range pieces {
			if more > 0 {
				try(doc+piece, more-1)
			}
		}
	}
	try("", 5)
	check.That(t, accepted >= 100, "only %d canonical documents among them: the pieces are badly chosen", accepted)
}

// TestAscendText compares the order of names with the order of their UTF-16 code units as the
// standard library makes them.
func TestAscendText(t *testing.T) {
	// Characters on both sides of each boundary of the two orders.
	name := rapid.StringOf(rapid.RuneFrom([]rune("\x00\"\\aéz\ud7ff\ue000\ufdcf\ufffd\U00010000\U0001f602\U0010fffd")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		doc := append(append([]byte(`{`+quote(a)+`:1,`), quote(b)...), `:2}`...)
		want := false
		x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
		for i := 0; ; i++ {
			if i == len(x) || i == len(y) {
				want = len(x) < len(y)
				break
			}
			if x[i] != y[i] {
				want = x[i] < y[i]
				break
			}
		}
		check.Equal(t, IsCanonical(doc), want, "IsCanonical(%q) =", doc)
	})
}

// quote writes a string as RFC 8785 does. NUL is the one control character that
// it knows.
func quote(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\x00", `\u0000`).Replace(s) + `"`
}

func TestIsCanonicalRefusesTooManyBytes(t *testing.T) {
	doc := []byte(`"` + strings.Repeat("a", MaxSize-1) + `"`)
	check.That(t, !IsCanonical(doc), "a document of %d bytes is accepted", len(doc))
	doc[MaxSize-1] = '"'
	check.That(t, IsCanonical(doc[:MaxSize]), "a document of %d bytes is refused", MaxSize)
}

func TestIsCanonicalAllocatesNothing(t *testing.T) {
	doc := eventDocument()
	if n := testing.AllocsPerRun(100, func() { IsCanonical(doc) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
