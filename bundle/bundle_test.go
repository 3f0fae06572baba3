package bundle

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

// scene returns the bundles of a scene.
func scene(t testing.TB, name string) [][]byte {
	t.Helper()
	s := must.Get(harness.Build(name, 1, harness.Options{}))(t)
	var docs [][]byte
	for _, e := range s.Exports {
		docs = append(docs, seal.Canonical(e.Bundle))
	}
	return docs
}

func TestOpen(t *testing.T) {
	for _, name := range []string{"issued", "revoked", "capability", "rotated-keys", "legacy"} {
		for _, doc := range scene(t, name) {
			in := Open(doc)
			must.That(t, in.Bundle != nil && len(in.Faults) <= 0, "%s: %v", name, in.Faults)
			check.That(t, in.Values >= 200 && !in.Empty(), "%s: %d values", name, in.Values)
		}
	}
}

// TestWhiteSpaceChangesNothing: digests are of canonical bytes, whatever the
// file looks like.
func TestWhiteSpaceChangesNothing(t *testing.T) {
	for _, doc := range scene(t, "capability") {
		spaced := bytes.ReplaceAll(doc, []byte(`,"`), []byte(",\n\t \""))
		spaced = append([]byte(" \r\n"), append(spaced, '\n')...)
		if a, b := Open(doc), Open(spaced); !reflect.DeepEqual(a.Bundle, b.Bundle) || a.SHA256 == b.SHA256 {
			t.Error("white space changes a bundle, or not the digest of its file")
		}
	}
}

// edit replaces the first occurrence of a text in a bundle.
func edit(t *testing.T, doc []byte, from, to string) []byte {
	t.Helper()
	must.That(t, bytes.Contains(doc, []byte(from)), "the bundle has no %s", from)
	return bytes.Replace(doc, []byte(from), []byte(to), 1)
}

func TestFaultsOfForm(t *testing.T) {
	issued := scene(t, "issued")[0]
	tests := []struct{ name, from, to, code, pointer string }{
		{"unknown protocol", `"protocol":"svc.evidence-bundle.v1"`, `"protocol":"svc.evidence-bundle.v2"`,
			form.UnknownProtocol, "/protocol"},
		{"unknown member", `"protocol":"svc.evidence-bundle.v1"`,
			`"protocol":"svc.evidence-bundle.v1","public_key":"x"`, form.UnknownMember, "/public_key"},
		{"lifetime 0", `"lifetime_seconds":604800`, `"lifetime_seconds":0`, form.BadValue,
			"/approvals/0/statement/terms/lifetime_seconds"},
		{"lifetime as text", `"lifetime_seconds":604800`, `"lifetime_seconds":"604800"`, form.BadValue,
			"/approvals/0/statement/terms/lifetime_seconds"},
		{"lifetime with exponent", `"lifetime_seconds":604800`, `"lifetime_seconds":6048e2`, ijson.CodeSyntax,
			"/approvals/0/statement/terms/lifetime_seconds"},
		{"unknown usage", `"clientAuth"`, `"ocspSigning"`, form.BadValue,
			"/approvals/0/statement/terms/extended_key_usages/0"},
		{"unknown decision", `"decision":"allow"`, `"decision":"Allow"`, form.BadValue, "/approvals/0/statement/decision"},
		{"names out of order", `"names":["dns:payments.acme.example","uri:spiffe://acme.example/payments-api"]`,
			`"names":["uri:spiffe://acme.example/payments-api","dns:payments.acme.example"]`, form.Unordered,
			"/approvals/0/statement/terms/names/1"},
		{"no names", `"names":["dns:payments.acme.example","uri:spiffe://acme.example/payments-api"]`, `"names":[]`,
			form.BadValue, "/approvals/0/statement/terms/names"},
		{"tenant with a slash", `"tenant_id":"acme-corp"`, `"tenant_id":"acme/corp"`, form.BadValue,
			"/approvals/0/statement/tenant_id"},
		{"escape in a key id", `"key_id":"mesh-berlin-1"`, `"key_id":"\u001b[2Jmesh-berlin-1"`, form.BadValue,
			"/approvals/0/key_id"},
		{"log id without kind", `"log_id":"tenant/acme-corp"`, `"log_id":"acme-corp"`, form.BadValue,
			"/audit_path/links/11/event/body/log_id"},
		{"service decision with a node", `"trust_domain":"service"`, `"node_id":"x","trust_domain":"service"`,
			form.UnknownMember, "/decisions/service/statement/node_id"},
		{"v0 with witnesses", `"svc.audit-checkpoint.v1"`, `"svc.audit-checkpoint.v0"`, form.UnknownMember,
			"/checkpoint/statement/required_witnesses"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Open(edit(t, issued, tt.from, tt.to))
			must.That(t, len(in.Faults) != 0, "no fault")
			if f := in.Faults[0]; f.Code != tt.code || f.Path != tt.pointer {
				t.Errorf("%s at %s, want %s at %s", f.Code, f.Path, tt.code, tt.pointer)
			}
			if hinders := form.Hinders(tt.code); hinders != (in.Bundle == nil) {
				t.Errorf("the fault hinders: %t, but the bundle is there: %t", hinders, in.Bundle != nil)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	issued := string(scene(t, "issued")[0])
	name := `"dns:` + strings.Repeat(strings.Repeat("a", 60)+".", 4) + `a"`
	link := `{"body_sha256":"` + strings.Repeat("0", 64) + `","previous_hash":"` + strings.Repeat("0", 64) +
		`","sequence":1,"skip_hash":"` + strings.Repeat("0", 64) + `"},`
	for _, tt := range []struct {
		name string
		doc  string
		code string
	}{
		{"16 MiB", issued + strings.Repeat(" ", form.MaxBundle-len(issued)), ""},
		{"over 16 MiB", issued + strings.Repeat(" ", form.MaxBundle-len(issued)+1), form.TooLarge},
		{"4097 links", strings.Replace(issued, `"links":[`, `"links":[`+strings.Repeat(link, 4097-12), 1), form.BadValue},
		{"4096 links", strings.Replace(issued, `"links":[`, `"links":[`+strings.Repeat(link, 4096-12), 1), ""},
		{"a name of 249 bytes", strings.Replace(issued, `"dns:payments.acme.example"`, name, 1), ""},
		{"a certificate of 64 KiB", strings.Replace(issued, `"certificates":["`,
			`"certificates":["`+strings.Repeat("A", 90000), 1), form.BadValue},
		{"nesting", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), ijson.CodeTooLarge},
	} {
		in := Open([]byte(tt.doc))
		if code := first(in); code != tt.code {
			t.Errorf("%s: %q, want %q (%v)", tt.name, code, tt.code, in.Faults)
		}
	}
}

func first(in *Input) string {
	if len(in.Faults) == 0 {
		return ""
	}
	return in.Faults[0].Code
}

func TestNothing(t *testing.T) {
	for doc, empty := range map[string]bool{"": true, " \n\t\r": true, "null": false, "{}": false, "[]": false,
		"0": false, "\ufeff": false, "\x00": false} {
		in := Open([]byte(doc))
		check.That(t, in.Bundle == nil && len(in.Faults) != 0 && in.Empty() == empty, "%q: empty %t, faults %v", doc,
			in.Empty(), in.Faults)
	}
}

func TestNames(t *testing.T) {
	good := []string{"dns:a", "dns:*.a.example", "dns:xn--bcher-kva.example",
		"dns:" + strings.Repeat("a", 63),
		"dns:1.2.3.a4", "dns:4.a", "dns:a.0xg", "dns:1-2", "dns:" + strings.Repeat("a.", 126) + "a",
		"dns:*." + strings.Repeat("a.", 125) + "a", "ip:192.0.2.1", "ip:2001:db8::1", "uri:spiffe://a/b", "uri:urn:x",
		"uri:a:%41", "uri:http://[v1.a]/?#x", "email:a@b", "email:!~@~!"}
	bad := []string{"", "dns:", "dns:A", "dns:a.", "dns:.a", "dns:a..b", "dns:-a", "dns:a-", "dns:a_b", "dns:*",
		"dns:a.*.b", "dns:*.", "dns:" + strings.Repeat("a", 64),
		"dns:" + strings.Repeat("a.", 127) + "a", "dns:" + strings.Repeat("a.", 126) + "aa",
		"dns:*." + strings.Repeat("a.", 125) + "aa",
		"dns:1.2.3.4", "dns:42", "dns:*.1", "dns:a.0x1f", "dns:a.0x", "dns:a b", "dns:\u0430", "ip:192.0.2.01",
		"ip:::ffff:192.0.2.1", "ip:2001:DB8::1", "ip:2001:db8:0::1", "ip:fe80::1%eth0", "ip:1.2.3",
		"uri:", "uri:a", "uri::b", "uri:/a:b", "uri:a:", "uri:h ttp://x", "uri:a:%", "uri:a:%2", "uri:a:%zz",
		"uri:a:^", "uri:1a:b", "uri:a%20:b", "email:@b", "email:a@", "email:a@b@c", "email:ab", "email:a b@c",
		"email:a@b ", "email:a\x01@b", "email:a@\nb", "email:a@b\x7f", "email:a@b\x80", "email:\u00e4@b", "other:x",
		"dns", "DNS:a",
		"uri:a:" + strings.Repeat("x", 1024), "dns:a\x1b", "dns:a\u00a0"}
	for _, s := range good {
		check.That(t, validName(s), "%q is refused", s)
	}
	for _, s := range bad {
		check.That(t, !validName(s), "%q is accepted", s)
	}
}

// FuzzOpen: whatever is read is read the same from its canonical form, and
// nothing that is wrong is handed on.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"issued", "revoked", "capability", "legacy"} {
		for _, doc := range scene(f, name) {
			f.Add(doc)
		}
	}
	f.Add([]byte(`{"protocol":"svc.evidence-bundle.v1"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		in := Open(doc)
		if (in.Bundle == nil) != slices.ContainsFunc(in.Faults, func(f ijson.Fault) bool { return form.Hinders(f.Code) }) {
			t.Fatalf("bundle there: %t, faults %v", in.Bundle != nil, in.Faults)
		}
		if in.Bundle == nil {
			return
		}
		canonical, fault := ijson.Canonical(doc)
		must.That(t, fault == nil, "%v", fault)
		again := Open(canonical)
		must.That(t, reflect.DeepEqual(in.Bundle, again.Bundle) && len(in.Faults) == len(again.Faults),
			"the canonical form is another bundle")
	})
}

// FuzzEvent: an event that is read without a fault, and written anew from the fields read, is
// the same document; and its hash is the value that would be signed.
func FuzzEvent(f *testing.F) {
	s := must.Get(harness.Build("revoked", 1, harness.Options{}))(f)
	for _, e := range s.Tenant {
		f.Add(seal.Canonical(e))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, fault := ijson.Parse(doc)
		if fault != nil {
			return
		}
		r := reader{Reader: &form.Reader{}}
		sealed := r.readEvent(v)
		if len(r.Faults()) > 0 {
			return
		}
		e := sealed.Unverified()
		hash := e.Link.Hash()
		must.That(t, bytes.Equal(sealed.Payload, hash[:]), "the payload is not the hash")
		body, _ := v.Member("body")
		must.That(t, e.Link.Body == sha256.Sum256(body.Canonical()), "the body's digest is not of its canonical form")
		got := seal.Canonical(rewritten(v, e, sealed.KeyID, sealed.Signature))
		must.That(t, bytes.Equal(got, v.Canonical()), "written anew:\n%s\nwas:\n%s", got, v.Canonical())
	})
}

// rewritten builds an event from its parsed fields; the open parts of the body come from the
// document.
func rewritten(v *ijson.Value, e Event, keyID string, signature []byte) seal.Object {
	source, _ := v.Member("body")
	salt, _ := source.Member("salt")
	body := seal.Object{
		"protocol": event.Protocol, "tenant_id": e.TenantID, "log_id": e.LogID, "sequence": int64(e.Link.Sequence),
		"occurred_at": seal.Time(e.OccurredAt), "type": e.Type, "salt": salt.Text(),
	}
	if e.TransactionID != "" {
		body["transaction_id"] = e.TransactionID
	}
	switch e.Type {
	case IssuanceCompleted:
		body["data"] = seal.Object{"manifest_sha256": e.Manifest.String()}
	case CertificateRevoked:
		body["data"] = seal.Object{"manifest_sha256": e.Manifest.String(),
			"revocation_receipt_sha256": e.RevocationReceipt.String()}
	default:
		data, _ := source.Member("data")
		body["data"] = plain(data)
	}
	return seal.Object{
		"body": body, "previous_hash": e.Link.Previous.String(), "skip_hash": e.Link.Skip.String(),
		"hash":   e.Recorded.String(),
		"key_id": keyID, "signature": seal.Base64(signature),
	}
}

// plain turns a value into one that the harness's encoder accepts.
func plain(v *ijson.Value) any {
	switch v.Kind() {
	case ijson.Object:
		o := seal.Object{}
		for _, m := range v.Members() {
			o[m.Name] = plain(m.Value)
		}
		return o
	case ijson.Array:
		list := []any{}
		for _, e := range v.Elements() {
			list = append(list, plain(e))
		}
		return list
	case ijson.Number:
		return v.Int()
	case ijson.Bool:
		return v.Bool()
	}
	return v.Text()
}

// TestForeign: a document that does not claim to be a bundle is distinguished from a damaged
// bundle.
func TestForeign(t *testing.T) {
	for doc, foreign := range map[string]bool{
		"":                                        false,
		" \n":                                     false,
		`{"protocol":"svc.evidence-bundle.v1"}`:   false,
		`{"protocol":"svc.evidence-bundle.v2"}`:   false,
		`{"protocol":"svc.evidence-bund`:          false,
		"\xef\xbb\xbf{":                           false,
		`{"manifest":{}}`:                         false,
		`{"audit_path":{}}`:                       false,
		`{"protocol":"svc.audit-event.v1"}`:       true,
		`{"statement":{"protocol":"svc.x.v1"}}`:   true,
		`{"audit_keys":{}}`:                       true,
		`[{"protocol":"svc.evidence-bundle.v1"}]`: true,
		"# Proofs\n":                              true,
		"PK\x03\x04":                              true,
	} {
		got := Open([]byte(doc)).Foreign
		check.That(t, got == foreign, "%q: foreign is %v", doc, got)
	}
}
