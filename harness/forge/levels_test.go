package forge

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// Whatever a level makes again comes out as it was if nothing was changed.
func TestEachLevelWithoutChange(t *testing.T) {
	scene := build(t, "revoked")
	b := must.Get(Open(scene, "tx-2026-0001"))(t)
	want := seal.Canonical(b.Document)
	for name, level := range map[string]func() error{
		"log": func() error {
			head, err := b.RewriteLog([]uint64{28, 67}, func(seal.Object) {})
			if err != nil {
				return err
			}
			return b.Restamp(head, scene.Keys)
		},
		"parts":     func() error { return b.Recast(func(*Parts) error { return nil }) },
		"signature": func() error { return b.Recompose(func(s []byte) ([]byte, error) { return s, nil }, nil) },
		"leaf": func() error {
			der, err := b.Leaf(b.Issuer(), func(*x509.Certificate) {})
			b.Adopt(der)
			return err
		},
	} {
		if err := level(); err != nil || !bytes.Equal(seal.Canonical(b.Document), want) {
			t.Errorf("%s: the bundle changed: %v", name, err)
		}
	}
}

// An author who writes a log again without a change writes the same one.
func TestRewriteWithoutChange(t *testing.T) {
	scene := build(t, "issued")
	for node, journal := range scene.Journals {
		a := NewAuthor(harness.Tenant, "node/"+node, journal, seal.Key{})
		a.Restart()
		written := a.Rewrite(journal, scene.Keys.Node, func(int, seal.Object) {})
		check.That(t, bytes.Equal(seal.Canonical(seal.Objects(written)), seal.Canonical(seal.Objects(journal))),
			"%s: another journal", node)
	}
}

// TestChangesOfAnEvent: each change leaves the rest of the event unchanged.
func TestChangesOfAnEvent(t *testing.T) {
	scene := build(t, "issued")
	genuine := seal.CloneObject(scene.Tenant[3])
	key := scene.Keys.Audit[seal.Text(genuine, "key_id")]
	for name, c := range map[string]struct {
		change  func(seal.Object)
		members []string
	}{
		"nothing, sealed again": {Resign(key, func(seal.Object) {}), nil},
		"nothing, hashed again": {Rehash(func(seal.Object) {}), nil},
		"salt":                  {AlterSalt, []string{"body"}},
		"salt, hashed again":    {Rehash(AlterSalt), []string{"body", "hash"}},
		"salt, sealed again":    {Resign(key, AlterSalt), []string{"body", "hash", "signature"}},
		"time":                  {Shift(-time.Hour), []string{"body"}},
		"sequence":              {Resequence(2), []string{"body"}},
		"type":                  {SetBody("type", "policy.changed"), []string{"body"}},
		"link":                  {AlterHash("previous_hash"), []string{"previous_hash"}},
		"signature":             {AlterSignature, []string{"signature"}},
		"key":                   {RenameKey("audit-1999-1"), []string{"key_id"}},
	} {
		event := seal.CloneObject(genuine)
		c.change(event)
		var changed []string
		for member := range event {
			if !bytes.Equal(seal.Canonical(event[member]), seal.Canonical(genuine[member])) {
				changed = append(changed, member)
			}
		}
		if slices.Sort(changed); !slices.Equal(changed, c.members) {
			t.Errorf("%s: expected other %v, found other %v", name, c.members, changed)
		}
	}
}

// TestLines: a line that is written differently has the same meaning, and one whose time is
// altered has another.
func TestLines(t *testing.T) {
	line := seal.Canonical(build(t, "issued").Tenant[3])
	for name, write := range map[string]func([]byte) []byte{"spaced": Spaced, "escaped": Escaped} {
		got, err := seal.Parse(write(bytes.Clone(line)))
		check.That(t, err == nil && bytes.Equal(seal.Canonical(got), line) && !bytes.Equal(write(bytes.Clone(line)), line),
			"%s: %s, %v", name, seal.Canonical(got), err)
	}
	var text string
	err := json.Unmarshal(Quoted(line), &text)
	check.That(t, err == nil && text == string(line), "quoted: %q, %v", text, err)
	check.That(t, !bytes.Contains(Hidden(line), []byte("occurred_at")), "a hidden event can be read")
	altered := AlterTime(bytes.Clone(line))
	different := 0
	for i := range line {
		if line[i] != altered[i] {
			different++
		}
	}
	check.Equal(t, different, 1, "octets are others")
}

// TestEverySignatureIsAnother: no way to sign wrongly gives the right signature.
func TestEverySignatureIsAnother(t *testing.T) {
	scene := build(t, "issued")
	status := seal.Member(scene.Bundle("tx-2026-0001"), "status")
	key := scene.Keys.Audit[seal.Text(status, "key_id")]
	seen := map[string]bool{seal.Text(status, "signature"): true}
	add := func(name, signature string) {
		raw, err := seal.Unbase64(signature)
		check.That(t, err == nil && len(raw) == 64 && !seen[signature], "%s: %s, %v", name, signature, err)
		seen[signature] = true
	}
	for name, sign := range WrongSignatures {
		signature := must.Get(sign(key.Private, statement(status)))(t)
		add(name, seal.Base64(signature))
	}
	added := must.Get(AddGroupOrder(seal.Text(status, "signature")))(t)
	add("group order", added)
	add("digit", seal.Text(AlteredSignature(status), "signature"))
	check.That(t, check.Err(AddGroupOrder("AAAA")) != nil, "the order was added to three octets")
}
