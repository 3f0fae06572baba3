package bundle

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// registry is a signer registry in canonical form.
const registry = `{"created_at":"2026-03-02T09:00:05.366Z","generation":2,"protocol":"svc.signer-registry.v1",` +
	`"signers":[{"algorithms":["ed25519"],` +
	`"issuer_public_key_sha256":["16797bf244623598aa0944aa4918592da4309d6b4be499525b41b32b7f369a8b"],` +
	`"key_id":"signer-2026-1","public_key":"kvgqABAPVmKPEliSG_zWHn8GwDRzZugy2yhxGP7xxD8"}]}`

func readRegistry(doc string) (Registry, *ijson.Fault) {
	v, fault := ijson.Parse([]byte(doc))
	if fault != nil {
		return Registry{}, fault
	}
	return ReadRegistry(v)
}

// TestProtocols: no part has another protocol than its own.
func TestProtocols(t *testing.T) {
	const protocol, other = `"protocol":"svc.`, `"protocol":"svx.`
	for _, name := range []string{"revoked", "capability"} {
		doc := scene(t, name)[0]
		at := 0
		for part := range bytes.SplitAfterSeq(doc, []byte(protocol)) {
			if at += len(part); at < len(doc) {
				changed := slices.Concat(doc[:at-len(protocol)], []byte(other), doc[at:])
				check.Equal(t, first(Open(changed)), form.UnknownProtocol, "%s: the protocol at %d", name, at)
			}
		}
	}
}

// TestIsCheckpoint: an envelope of a checkpoint, of either version.
func TestIsCheckpoint(t *testing.T) {
	for doc, is := range map[string]bool{
		`{"statement":{"protocol":"svc.audit-checkpoint.v1"}}`: true,
		`{"statement":{"protocol":"svc.audit-checkpoint.v0"}}`: true,
		`{"statement":{"protocol":"svc.witness-receipt.v1"}}`:  false,
		`{"statement":["svc.audit-checkpoint.v1"]}`:            false,
		`{"statement":{"protocol":["svc.audit-checkpoint"]}}`:  false,
		`{"protocol":"svc.audit-checkpoint.v1"}`:               false,
		`["svc.audit-checkpoint.v1"]`:                          false,
	} {
		v, fault := ijson.Parse([]byte(doc))
		if fault != nil || IsCheckpoint(v) != is {
			t.Errorf("%s: %v, it is one: %t", doc, fault, !is)
		}
	}
}

// TestReadRegistry: a registry has the digest of its canonical form, however it is written;
// another document is refused.
func TestReadRegistry(t *testing.T) {
	for _, doc := range []string{registry, strings.ReplaceAll(registry, ",", " ,\n") + "\n"} {
		got, fault := readRegistry(doc)
		if fault != nil || got.Digest != sha256.Sum256([]byte(registry)) || got.Generation != 2 || len(got.Signers) != 1 {
			t.Errorf("%s: %+v, %v", doc, got, fault)
		}
	}
	for _, change := range [][2]string{{registry, ""}, {registry, "{"}, {registry, "[2]"}, {registry, `{"generation":2}`},
		{":2,", `:"2",`}, {":2,", ":0,"}, {":2,", `:2,"generation":2,`}, {".v1", ".v2"}, {"ed25519", "ed448"},
		{`"signers":[`, `"signers":[],"others":[`}, {"16797b", "16797B"}, {"kvgq", "kvg"}, {".366Z", ".366+00:00"}} {
		doc := strings.Replace(registry, change[0], change[1], 1)
		if got, fault := readRegistry(doc); fault == nil || doc == registry {
			t.Errorf("%s: %+v", doc, got)
		}
	}
}
