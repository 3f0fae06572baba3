package ijson

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// addSeeds gives a fuzz target one document for each part of the profile.
func addSeeds(f *testing.F) {
	for _, doc := range []string{
		"", " ", "null", "\ufeff{}", `{"a":1}`, `{"a":1,"\u0061":2}`, `{"b":[1,-1,0],"a":{"x":true,"y":false}}`,
		`[9007199254740991,-9007199254740991,9007199254740992,-0,01,1.0,1e2]`,
		`"\"\\\/\b\f\n\r\t\u0000\u001f\u00e9\ud83d\ude02"`, `"\ud800"`, "\"\xff\"", "\"\ufffe\"", `"\ufdd0"`,
		"{\"\ue000\":1,\"\U00010000\":2}", "{\"\U00010000\":1,\"\ue000\":2}", `{"\n":1,"\"":2,"a":3}`,
		`{"abcdefgh":1,"abcdefghi":2,"abcdefgi":3}`, `{"a":1}{}`, `{"a":1} `, `{"a":`, `[1 2]`, `{"a/b":{"m~n":[[]]}}`,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth+1),
		string(eventDocument()),
	} {
		f.Add([]byte(doc))
	}
}

// FuzzParse holds the whole package to its reference on any bytes.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		must.Do(t, checkDocument(doc))
	})
}

// FuzzIsCanonical is FuzzParse for the recogniser alone, and so much faster. It
// tries the canonical form too, which the fuzzer would seldom hit on.
func FuzzIsCanonical(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, want := IsCanonical(doc), referenceIsCanonical(doc)
		must.That(t, got == want, "IsCanonical = %v, want %v", got, want)
		canonical, fault := Canonical(doc)
		must.That(t, fault != nil || IsCanonical(canonical), "canonical form %q is not recognised", canonical)
	})
}
