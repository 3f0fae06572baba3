package form

import (
	"errors"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/ijson"
)

func TestMarshal(t *testing.T) {
	doc, err := MarshalCanonical(struct {
		B string `json:"b"`
		A int    `json:"a"`
	}{"<é>", 1})
	if want := `{"a":1,"b":"<é>"}`; string(doc) != want || err != nil {
		t.Errorf("%s, %v, want %s", doc, err, want)
	}
	for _, v := range []any{nil, 1.5, "\ufffe", uint64(1) << 60, func() {}} {
		if doc, err := MarshalCanonical(v); err == nil {
			t.Errorf("no error, but %s", doc)
		}
	}
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, doc, code string }{
		{"canonical", `{"a":1}`, ""},
		{"as large as may be", `{"a":` + strings.Repeat("1", 10) + `}`, ""},
		{"too large", `{"a":` + strings.Repeat("1", 11) + `}`, TooLarge},
		{"no document", `{"a":`, ijson.CodeSyntax},
		{"another member", `{"a":1,"b":2}`, UnknownMember},
		{"a space", `{"a": 1}`, NotCanonical},
		{"behind it", "{\"a\":1}\n", NotCanonical},
	} {
		var got int64
		err := ReadCanonical([]byte(tt.doc), 16, func(r *Reader, v *ijson.Value) { got = r.Object(v, "a").Counter("a") })
		var fault *ijson.Fault
		if errors.As(err, &fault); (fault == nil) != (tt.code == "") || fault != nil && fault.Code != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		if tt.code == "" && got == 0 {
			t.Errorf("%s: not read", tt.name)
		}
	}
}
