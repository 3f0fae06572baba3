package trustfile

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

func key(n byte) trust.PublicKey { return trust.PublicKey(private(n).Public().(ed25519.PublicKey)) }

// TestAssembleReadsBack: exactly the content of the draft is pinned, in the same bytes every
// time.
func TestAssembleReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Draft{
			Audit:            map[string]trust.PublicKey{"audit-1": key(1)},
			Signer:           map[string]trust.PublicKey{"signer-1": key(2)},
			Nodes:            map[string]trust.PublicKey{},
			Registries:       map[int64][sha256.Size]byte{},
			MinimumWitnesses: rapid.IntRange(0, 5).Draw(t, "minimum"),
		}
		for i := range rapid.IntRange(1, 9).Draw(t, "nodes") {
			d.Nodes["node-"+string(rune('a'+i))] = key(byte(10 + i))
		}
		for range rapid.IntRange(1, 4).Draw(t, "registries") {
			d.Registries[rapid.Int64Range(1, 1<<53-1).Draw(t, "generation")] = [sha256.Size]byte{7}
		}
		doc, root := must.Two(Assemble(d))(t)
		again, _, _ := Assemble(d)
		must.That(t, bytes.Equal(doc, again), "another order")
		must.That(t, root.MinimumWitnesses() == d.MinimumWitnesses && len(root.Registries()) == len(d.Registries) &&
			len(root.Keys(trust.Node)) == len(d.Nodes), "read back as %s", doc)
		for id, want := range d.Nodes {
			k, ok := root.Key(trust.Node, id)
			must.That(t, ok && k.Public == want, "%s is %v", id, k)
		}
	})
}

func TestAssembleRefuses(t *testing.T) {
	whole := func() Draft {
		return Draft{Audit: map[string]trust.PublicKey{"a": key(1)}, Signer: map[string]trust.PublicKey{"s": key(2)},
			Nodes: map[string]trust.PublicKey{"n": key(3)}, Registries: map[int64][sha256.Size]byte{1: {}}, MinimumWitnesses: 1}
	}
	tests := []struct {
		name   string
		change func(*Draft)
	}{
		{"no nodes", func(d *Draft) { d.Nodes = nil }},
		{"no registries", func(d *Draft) { d.Registries = nil }},
		{"weak key", func(d *Draft) { d.Nodes["m"] = trust.PublicKey{} }},
		{"one key in two roles", func(d *Draft) { d.Nodes["m"] = key(1) }},
		{"bad id", func(d *Draft) { d.Nodes["m/1"] = key(4) }},
		{"negative minimum", func(d *Draft) { d.MinimumWitnesses = -1 }},
		{"generation 0", func(d *Draft) { d.Registries[0] = [sha256.Size]byte{} }},
	}
	must.Two(Assemble(whole()))(t)
	for _, tt := range tests {
		d := whole()
		tt.change(&d)
		doc, root, err := Assemble(d)
		var faults trust.Faults
		check.That(t, errors.As(err, &faults) && doc == nil && root == nil, "%s: %s, %v", tt.name, doc, err)
	}
}

func TestReadKey(t *testing.T) {
	want := key(7)
	spki := must.Get(x509.MarshalPKIXPublicKey(ed25519.PublicKey(want[:])))(t)
	armour := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	for name, source := range map[string][]byte{
		"raw": want[:], "DER": spki, "PEM": armour("PUBLIC KEY", spki),
		"PEM after text": append([]byte("Node a:\n"), armour("PUBLIC KEY", spki)...),
		"base64url":      []byte(public(7)), "base64url and newline": []byte(public(7) + "\r\n"),
	} {
		got, err := ReadKey(source)
		check.That(t, err == nil && got == want, "%s: %x, %v", name, got, err)
	}
	other := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	p256 := must.Get(x509.MarshalPKIXPublicKey(other.Public()))(t)
	for name, tt := range map[string]struct {
		source []byte
		says   string
	}{
		"empty":              {nil, "0 bytes"},
		"private key":        {armour("PRIVATE KEY", spki), "must not leave its owner"},
		"EC private key":     {armour("EC PRIVATE KEY", spki), "must not leave its owner"},
		"certificate":        {armour("CERTIFICATE", spki), "found a certificate"},
		"other PEM":          {armour("X509 CRL", spki), "X509 CRL"},
		"another algorithm":  {p256, "another algorithm"},
		"trailing bytes":     {append(slices.Clone(spki), 0), "none of these"},
		"64 bytes":           {private(7), "64 bytes"},
		"padded base64":      {[]byte(public(7) + "="), "none of these"},
		"base64 of 31 bytes": {[]byte(encode(want[:31])), "none of these"},
	} {
		got, err := ReadKey(tt.source)
		check.That(t, err != nil && strings.Contains(err.Error(), tt.says) &&
			got == (trust.PublicKey{}), "%s: %x, %v", name, got, err)
	}
}

// FuzzReadKey: no source panics, and a key that is read survives its own text.
func FuzzReadKey(f *testing.F) {
	f.Add([]byte(public(7)))
	f.Add([]byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"))
	f.Add([]byte("0*0\x05\x06\x03+ep\x03!\x00"))
	f.Fuzz(func(t *testing.T, source []byte) {
		k, err := ReadKey(source)
		if err != nil {
			return
		}
		if again, err := ReadKey([]byte(encode(k[:]))); err != nil || again != k {
			t.Fatalf("%x reads back as %x, %v", k, again, err)
		}
	})
}

// TestReadKeyAsX509: of the encodings near a key's, ReadKey accepts only the ones that differ
// in the key alone, and crypto/x509 reads the same key from them.
func TestReadKeyAsX509(t *testing.T) {
	want := key(7)
	spki := must.Get(x509.MarshalPKIXPublicKey(ed25519.PublicKey(want[:])))(t)
	for i := range spki {
		for bit := range 8 {
			der := slices.Clone(spki)
			der[i] ^= 1 << bit
			got, err := ReadKey(der)
			if inKey := i >= len(spki)-len(want); (err == nil) != inKey {
				t.Errorf("%x: %x, %v", der, got, err)
			} else if inKey {
				public, err := x509.ParsePKIXPublicKey(der)
				if standard, ok := public.(ed25519.PublicKey); !ok || !slices.Equal(got[:], standard) {
					t.Errorf("%x: %x, but crypto/x509 has %v, %v", der, got, public, err)
				}
			}
		}
	}
}

func TestPins(t *testing.T) {
	want := sha256.Sum256([]byte(`{"generation":2,"z":1}`))
	for _, text := range []string{encode(want[:]), strings.ToLower(hexOf(want[:]))} {
		got, ok := ReadPin(text)
		check.That(t, ok && got == want, "%s: %x", text, got)
	}
	for _, text := range []string{"", "registry.json", strings.ToUpper(hexOf(want[:])), encode(want[:31])} {
		_, ok := ReadPin(text)
		check.That(t, !ok, "%q was read as a pin", text)
	}
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }
