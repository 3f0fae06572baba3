package inspect_test

import (
	"fmt"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/verify/inspect"
)

// TestSigned: everything in an envelope is listed, whatever is around it, and nothing else.
func TestSigned(t *testing.T) {
	for doc, want := range map[string][]inspect.Signed{
		`{"a":[{"key_id":"k","statement":{"protocol":"p","x":"","decision":"no","sequence":7,"status":[]}}]}`: {
			{Path: "/a/0", Protocol: "p", KeyID: "k", Says: []inspect.Claim{{"sequence", "7"}, {"decision", "no"},
				{"status", "an array"}}}},
		`{"key_id":["k"],"body":{"reason":true}}`: {{Protocol: "unknown", Says: []inspect.Claim{
			{"reason", "true"}}}},
		`{"statement":{"key_id":"k","body":{}},"body":"none"}`: {{Path: "/statement", Protocol: "unknown", KeyID: "k"}},
		`{"key_id":"k","a":{"statement":{}}}`:                  nil,
		`{"key_id":"k","statement":{}`:                         nil,
	} {
		o := inspect.Of(bundle.Open([]byte(doc)), []byte(doc))
		check.That(t, o.Form == "malformed" && len(o.Faults) > 0 && o.Parts == nil, "%s: %+v", doc, o)
		check.Equal(t, fmt.Sprint(o.Signed), fmt.Sprint(want), "%s", doc)
	}
	check.Equal(t, inspect.Of(bundle.Open(nil), nil).Form, "empty", "nothing")
}
