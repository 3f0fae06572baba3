package seal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

var documents = []string{
	`{}`, ` {"a":[1,-2,{"b":true}],"c":"\u00e9\n"} `, `{"a":9007199254740991}`, `{"a":9007199254740992}`,
	`{"a":1.0}`, `{"a":1e3}`, `{"a":-0}`, `{"a":01}`, `{"a":null}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1,"A":2}`,
	`{"a":"\ud800"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\uffff"}`, `{"a":"\ufdd0"}`, "{\"a\":\"\xff\"}", `{"a":"�"}`,
	`[1]`, `1`, ``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a" 1}`, `{"a":[1}`,
	`{"a":1}}`, `{"a":1} 2`, "\ufeff{}",
	`{"a":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`,
	`{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
}

// FuzzParse holds the producer's reader against the verifier's: they share no
// code, and must take the same documents.
func FuzzParse(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := seal.Parse(b)
		_, fault := ijson.Parse(b)
		object := bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{"))
		canonical, _ := ijson.Canonical(b)
		want := fault == nil && object && !bytes.ContainsRune(canonical, '\ufffd')
		must.Equal(t, err == nil, want, "%q: %v, the verifier's reader says %v", b, err, fault)
		check.That(t, err != nil || bytes.Equal(seal.Canonical(got), canonical), "%q became %s", b, seal.Canonical(got))
	})
}
