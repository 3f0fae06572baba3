package trustfile

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"maps"

	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// private returns the n-th test key.
func private(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(n byte) string { return encode(private(n).Public().(ed25519.PublicKey)) }

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// parse reads a trust file in which the text of each given member is replaced,
// or the member removed where the text is empty.
func parse(t must.T, changes map[string]string) *trust.Root {
	members := map[string]json.RawMessage{}
	for name, text := range map[string]string{
		"audit_keys":            `{"audit-1": "` + public(1) + `"}`,
		"protected_signer_keys": `{"signer-1": "` + public(2) + `"}`,
		"registries":            `{"1": "` + encode(make([]byte, 32)) + `"}`,
		"nodes": `{"node-a": "` + public(3) + `", "node-b": "` + public(4) + `", "node-b/2": "` +
			public(5) + `"}`,
		"minimum_audit_witnesses": "2",
	} {
		members[name] = json.RawMessage(text)
	}
	for name, text := range changes {
		members[name] = json.RawMessage(text)
	}
	maps.DeleteFunc(members, func(_ string, text json.RawMessage) bool { return len(text) == 0 })
	doc := must.Get(json.Marshal(members))(t)
	return must.Get(trust.Parse(doc))(t)
}
