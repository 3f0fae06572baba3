package schemas_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/schemas"
)

// programs are those that print a document, if not svc-verify does.
var programs = map[string]string{"node-check": "svc-harness"}

// versions are those of the documents that are past the first.
var versions = map[string]string{"crosscheck": "v2", "findings": "v2", "gaps": "v2", "show": "v2"}

// TestNearMissesOfOutputs changes one value of a document of a program; the
// violation must be at that value.
func TestNearMissesOfOutputs(t *testing.T) {
	const digest = `"` + "abababababababababababababababababababababababababababababababab" + `"`
	const trusted = `,"trust_sha256":` + digest
	const state = `,"stretches":[{"first_sequence":1,"last_sequence":2,"stores":["present","absent"]}]`
	const one = `{"name":"a","rule":"single","parts":1,"paths":["a"],"state":"faithful","events":1,"shared":1,"lossy":0,"altered":0,"differs":0,"named":0,"lacking":0}`
	const why = `{"code":"cause.copy-order","message":"a","logs":["node/n"],"stores":[],"sources":[],"key_ids":[],"sequence":1,"for":["a"],"against":[],"findings":[0],"next":"b"}`
	const gap = `{"tenant_id":"","log_id":"node/n","first_sequence":1,"last_sequence":2,"count":2,"cut_batches":[],"anchors":[],"holders":[],"unreadable":[],"hypotheses":[]}`
	docs := map[string]string{
		"progress":   `,"doing":"a","done":0,"of":8,"events":0,"events_per_second":0,"seconds_left":0`,
		"node-check": `,"verdict":"rejected","faults":[{"pointer":"/tenant_id","expected":"a string","found":"nothing"}]`,
		"receive":    `,"requests":0,"refused":0,"events":0,"skipped":0,"rejected":0`,
		"batches":    `,"batches":[],"totals":{"distinct":0,"redelivered":0,"conflicting":0,"incomplete":0,"absent":0}`,
		"events":     `,"events":[{"tenant_id":"t","log_id":"node/n","sequence":1,"occurred_at":"","type":"x","key_id":"n","hash":` + digest + `,"copies":1,"deliveries":1}],"more":0`,
		"findings":   trusted + `,"verdict":"","causes":[` + why + `],"findings":[]`,
		"gaps":       `,"gaps":[` + gap + `],"missing":2,"verdict":"verified"`,
		"show":       trusted + `,"verdict":"rejected","signatures_verified":false,"events":[],"more":0`,
		"crosscheck": trusted + `,"verdict":"verified","left_out":[],"other_stores":false,"causes":[],"compared":1,"bundles":[],"statements":[],"journals":[],"pauses":[],"stores":[` + one + `,` + one + `],"presence":[{"tenant_id":"t","log_id":"node/n","unsound":0` + state + `,"omitted":0}],"findings":[]`,
	}
	tests := []struct {
		schema, pointer string
		bad             []any
	}{
		{"progress", "/done", []any{-1, "0", 1.5}},
		{"node-check", "/verdict", []any{"", "Rejected", "verified"}},
		{"node-check", "/faults", []any{[]any{}, "", repeat(257, map[string]any{"pointer": "", "expected": "a", "found": "b"})}},
		{"node-check", "/faults/0/found", []any{"", "\x1b[2J", "\u202e"}},
		{"receive", "/events", []any{-1, "0"}},
		{"batches", "/totals/absent", []any{-1}},
		{"events", "/events/0/sequence", []any{0}},
		{"events", "/events/0/hash", []any{"", strings.Repeat("AB", 32)}},
		{"findings", "/trust_sha256", []any{"ab", strings.Repeat("ab", 33)}},
		{"gaps", "/gaps/0/count", []any{0}},
		{"gaps", "/gaps/0/unreadable", []any{repeat(17, map[string]any{"source": "a", "offset": 0, "length": 1})}},
		{"show", "/signatures_verified", []any{true}},
		{"crosscheck", "/verdict", []any{"", "Verified"}},
		{"crosscheck", "/presence/0/stretches/0/stores/1", []any{"", "lost"}},
		{"crosscheck", "/stores", []any{repeat(65, map[string]any{"name": "a", "rule": "single", "parts": 1, "paths": []any{}, "state": "lossy", "events": 0, "shared": 0, "lossy": 0, "altered": 0, "differs": 0, "named": 0, "lacking": 0})}},
		{"crosscheck", "/stores/0/rule", []any{"", "folder"}},
		{"crosscheck", "/stores/0/state", []any{"", "broken"}},
		{"findings", "/causes/0/code", []any{"", "event.key-unknown"}},
		{"findings", "/causes/0/findings", []any{[]any{}, "0"}},
		{"findings", "/verdict", []any{"Verified", "good"}},
	}
	for _, tt := range tests {
		t.Run(tt.schema+tt.pointer, func(t *testing.T) {
			doc := []byte(`{"schema":"` + cmp.Or(programs[tt.schema], "svc-verify") + `/` + tt.schema + `/` + cmp.Or(versions[tt.schema], "v1") + `"` + docs[tt.schema] + `}`)
			conforms(t, example{tt.schema, doc})
			root := decode(t, doc)
			for _, value := range tt.bad {
				set(t, root, tt.pointer, value)
				if v := validate(t, tt.schema, root); !slices.ContainsFunc(v, func(v schemas.Violation) bool { return v.Pointer == tt.pointer }) {
					t.Errorf("%.60v: the violations are %v", value, v)
				}
			}
		})
	}
}
