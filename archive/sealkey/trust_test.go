package sealkey_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/must"
)

var (
	begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	end   = time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC)
)

// entry is a pin as JSON.
func entry(p sealkey.Public) map[string]any {
	return map[string]any{"ed25519": form.EncodeBase64URL(p.Ed25519()), "ml_dsa_65": form.EncodeBase64URL(p.MLDSA65()),
		"valid_from": form.FormatTime(begin), "valid_until": form.FormatTime(end)}
}

func file(t testing.TB, keys map[string]any) []byte {
	t.Helper()
	return must.Get(json.Marshal(map[string]any{"protocol": sealkey.TrustProtocol, "keys": keys}))(t)
}

// TestTrustFaults: each way to get the file wrong has its code.
func TestTrustFaults(t *testing.T) {
	p := fixed(t, "office", 1).Public()
	other := fixed(t, "other", 2).Public()
	change := func(member string, value any) []byte {
		e := entry(p)
		e[member] = value
		return file(t, map[string]any{"office": e})
	}
	mixed := entry(other)
	mixed["ml_dsa_65"] = form.EncodeBase64URL(p.MLDSA65())
	authority := bytes.Replace(file(t, map[string]any{"office": entry(p)}), []byte(`"keys"`), []byte(`"authorities":`+
		`{"tsa":{"certificates":["MAAA"],"valid_from":"2026-01-01T00:00:00.000Z"}},"keys"`), 1)
	for name, c := range map[string]struct {
		doc  []byte
		code string
	}{
		"good":                       {file(t, map[string]any{"office": entry(p), "other": entry(other)}), ""},
		"no key":                     {file(t, map[string]any{}), form.BadValue},
		"a name with a space":        {file(t, map[string]any{"the office": entry(p)}), form.BadValue},
		"weak":                       {change("ed25519", form.EncodeBase64URL(make([]byte, 32))), sealkey.WeakKey},
		"short":                      {change("ml_dsa_65", form.EncodeBase64URL(p.MLDSA65()[1:])), form.BadValue},
		"another pair's half":        {file(t, map[string]any{"office": entry(p), "other": mixed}), sealkey.DuplicateKey},
		"the same under a name":      {file(t, map[string]any{"office": entry(p), "other": entry(p)}), sealkey.DuplicateKey},
		"no time is left":            {change("valid_until", form.FormatTime(begin)), form.BadValue},
		"an unknown member":          {change("valid", "always"), form.UnknownMember},
		"another protocol":           {[]byte(`{"protocol":"svc.seal-trust.v2","keys":{}}`), form.UnknownProtocol},
		"an authority without":       {[]byte(`{"protocol":"svc.seal-trust.v1","authorities":{"tsa":{}}}`), form.BadValue},
		"a certificate that is none": {authority, form.BadValue},
		"a member twice": {[]byte(`{"protocol":"svc.seal-trust.v1","protocol":"svc.seal-trust.v1"}`),
			ijson.CodeAmbiguous},
		"more than can be there": {[]byte(strings.Repeat(" ", sealkey.MaxTrust+1)), form.TooLarge},
	} {
		_, err := sealkey.ParseTrust(c.doc)
		var faults sealkey.Faults
		if c.code == "" && err == nil {
			continue
		}
		check.That(t, errors.As(err, &faults) && faults[0].Code == c.code, "%s: %v, want %s", name, err, c.code)
	}
}

// describe describes a statement with a number.
func describe(m *codec.Members, signer *sealkey.ID) {
	number := 1
	codec.Number(m, "n", &number, 1, 9)
	m.Protocol(protocol)
	m.Inner("signer", signer.DescribeMembers)
}

// TestOpen: an envelope opens under the pinned pair alone.
func TestOpen(t *testing.T) {
	k, stranger := fixed(t, "office", 1), fixed(t, "stranger", 2)
	trusted := must.Get(sealkey.ParseTrust(file(t, map[string]any{"office": entry(k.Public())})))(t)
	wrap := func(by, named *sealkey.Key) []byte {
		return must.Get(by.Wrap(protocol, func(m *codec.Members, _ *sealkey.ID) {
			id := named.Public().ID()
			describe(m, &id)
		}))(t)
	}
	for name, c := range map[string]struct {
		doc      []byte
		protocol string
		code     finding.Code
	}{
		"good":             {wrap(k, k), protocol, ""},
		"stranger":         {wrap(stranger, stranger), protocol, sealkey.KeyUnknown},
		"says the office":  {wrap(stranger, k), protocol, sealkey.SignatureInvalid},
		"another protocol": {wrap(k, k), "svc.test.v2", sealkey.SignatureInvalid},
		"another number": {[]byte(strings.Replace(string(wrap(k, k)), `"n":1`, `"n":2`, 1)), protocol,
			sealkey.SignatureInvalid},
	} {
		v, fault := ijson.Parse(c.doc)
		must.That(t, fault == nil, "%v", fault)
		var r form.Reader
		e := sealkey.ReadEnvelope(&r, v, describe)
		f := r.Faults()
		must.That(t, len(f) == 0, "%s: %v", name, f)
		pin, refusal := trusted.Open(c.protocol, e)
		got := codeOf(refusal)
		check.That(t, got == c.code && (got != "" || pin.Name == "office"), "%s: %q %q, want %q", name, pin.Name, got, c.code)
	}
}

// TestValidity: the end is no part of the time.
func TestValidity(t *testing.T) {
	doc := must.Get(sealkey.PinFile("office", fixed(t, "office", 1).Public(), begin, end))(t)
	trusted := must.Get(sealkey.ParseTrust(doc))(t)
	pin := trusted.Pins()[0]
	for at, want := range map[time.Time]bool{begin: true, begin.Add(-1): false, end.Add(-1): true, end: false} {
		got := pin.At(at, sealkey.Envelope{}) == nil
		check.That(t, got == want, "%v: %v", at, got)
	}
}

func codeOf(f *finding.InDocument) finding.Code {
	if f == nil {
		return ""
	}
	return f.Code
}

// FuzzParseTrust: a file of pins that is read has at least one pair, no duplicate key, and no
// pair that is never valid. Only content that its keys signed opens under it.
func FuzzParseTrust(f *testing.F) {
	k := fixed(f, "office", 1)
	good := must.Get(sealkey.PinFile("office", k.Public(), begin, end))(f)
	f.Add(good)
	f.Add(
		[]byte(`{"protocol":"svc.seal-trust.v1","keys":{},"authorities":{"tsa":{"certificates":["AA"],` +
			`"valid_from":"2026-01-01T00:00:00.000Z"}}}`))
	payload := []byte("payload")
	signed := sign(f, k, protocol, payload)
	f.Fuzz(func(t *testing.T, doc []byte) {
		trusted, err := sealkey.ParseTrust(doc)
		if err != nil {
			var faults sealkey.Faults
			check.That(t, errors.As(err, &faults) && len(faults) != 0, "an error of another kind: %v", err)
			return
		}
		seen := map[sealkey.Digest]bool{}
		for _, p := range trusted.Pins() {
			id := p.Public.ID()
			check.That(t, !seen[id.Ed25519] && !seen[id.MLDSA65] && p.ValidAt(p.From) && p.Name != "", "%+v", p)
			seen[id.Ed25519], seen[id.MLDSA65] = true, true
			again, err := sealkey.NewPublic(p.Public.Ed25519(), p.Public.MLDSA65())
			check.That(t, err == nil && again.ID() == id, "a key that does not come back: %v", err)
			holds := p.Public.Verify(protocol, payload, signed) == nil
			check.That(t, holds == (id == k.Public().ID()), "a signature of another pair: %v", holds)
		}
		check.That(t, len(seen) != 0, "no pair")
	})
}
