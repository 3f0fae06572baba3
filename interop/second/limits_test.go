package second_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestTrustLimits: the second verifier takes as many node keys and octets as the
// specification says, and no more. The keys have no form, so that reading stops at
// the first of them, which is quick.
func TestTrustLimits(t *testing.T) {
	all := must.Get(fixtures.Cases())(t)
	var cases []fixtures.Case
	with := func(trust []byte) {
		c := all[0]
		c.Name, c.Trust = fmt.Sprint("case-", len(cases)), trust
		cases = append(cases, c)
	}
	with(trustWith("nodes", 65536))
	with(trustWith("nodes", 65537))
	with(trustWith("audit_keys", 1024))
	with(trustWith("audit_keys", 1025))
	with(bytes.Repeat([]byte(" "), 16<<20))
	with(bytes.Repeat([]byte(" "), 16<<20+1))

	found := second(t, cases)
	for i, want := range []string{
		"/nodes/n0: ", "/nodes: not an object of 1 to 65536 members",
		"/audit_keys/n0: ", "/audit_keys: not an object of 1 to 1024 members",
		"expected a value", "too long",
	} {
		if got := strings.Join(found[i].Faults, "; "); !strings.Contains(got, want) {
			t.Errorf("case %d: refused with %q, want %q", i, got, want)
		}
	}
}

// trustWith is a trust file in which one section has n keys without form.
func trustWith(section string, n int) []byte {
	var keys strings.Builder
	for i := range n {
		fmt.Fprintf(&keys, `,"n%d":"x"`, i)
	}
	key := json.RawMessage(`{"1":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`)
	members := map[string]json.RawMessage{"audit_keys": key, "protected_signer_keys": key, "registries": key, "nodes": key}
	members[section] = json.RawMessage("{" + keys.String()[1:] + "}")
	doc, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return doc
}
