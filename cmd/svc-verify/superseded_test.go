package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// proofsOfOne returns two genuine proofs of one transaction: one from before its
// revocation and one of the revocation; and their trust file.
func proofsOfOne(t *testing.T) (issued, revoked, trust []byte) {
	t.Helper()
	cases := must.Get(fixtures.Cases())(t)
	for _, c := range cases {
		switch c.Name {
		case "status.wanted/before-the-revocation-and-revoked-wanted":
			issued = c.Bundle
		case "status.wanted/near-miss-revoked-wanted":
			revoked, trust = c.Bundle, c.Trust
		}
	}
	must.That(t, issued != nil && revoked != nil, "the cases are not there")
	return issued, revoked, trust
}

// TestSuperseded: of two proofs of one transaction the one at the lower checkpoint does
// not stand for the status, whatever their order and wherever they are.
func TestSuperseded(t *testing.T) {
	issued, revoked, trust := proofsOfOne(t)
	spaced := append([]byte(" \n"), issued...)
	forged := bytes.Replace(revoked, []byte(`"decision":"allow"`), []byte(`"decision":"deny"`), 1)
	for _, c := range []struct {
		name   string
		docs   [][]byte
		status string
		code   int
		want   batch.Entries
	}{
		{"the older first", [][]byte{issued, revoked}, "issued", 1, batch.Entries{Verified: 1, Rejected: 1, Revoked: 1,
			Superseded: 1}},
		{"the newer first", [][]byte{revoked, issued}, "issued", 1, batch.Entries{Verified: 1, Rejected: 1, Revoked: 1,
			Superseded: 1}},
		{"the revocation is wanted", [][]byte{issued, revoked}, "revoked", 0, batch.Entries{Verified: 2, Revoked: 1,
			Superseded: 1}},
		{"the revocation comes first and is wanted", [][]byte{revoked, issued}, "revoked", 0, batch.Entries{Verified: 2,
			Revoked: 1, Superseded: 1}},
		{"either", [][]byte{revoked, issued}, "any", 0, batch.Entries{Verified: 2, Revoked: 1, Superseded: 1}},
		{"copies of the older", [][]byte{issued, revoked, issued, spaced}, "revoked", 0, batch.Entries{Verified: 4,
			Revoked: 1, Superseded: 3, Doubled: 1}},
		{"copies of the older, which fail nothing", [][]byte{issued, issued, revoked}, "issued", 1, batch.Entries{
			Verified: 2, Rejected: 1, Revoked: 1, Superseded: 2, Doubled: 1}},
		{"one checkpoint", [][]byte{issued, spaced}, "issued", 0, batch.Entries{Verified: 2, Issued: 2}},
		{"one checkpoint, and another is wanted", [][]byte{issued, spaced}, "revoked", 1, batch.Entries{Rejected: 2,
			Issued: 2}},
		{"the newer is forged", [][]byte{issued, forged}, "issued", 1, batch.Entries{Verified: 1, Rejected: 1, Issued: 1}},
		{"the newer is forged, and wanted", [][]byte{forged, issued}, "revoked", 1, batch.Entries{Rejected: 2, Issued: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name string, doc []byte) string {
				path := filepath.Join(dir, name)
				must.Do(t, os.WriteFile(path, doc, 0o600))
				return path
			}
			args := []string{"verify", "--trust", write("trust.json", trust), "--status", c.status, "--output", "json"}
			var lines []byte
			for i, doc := range c.docs {
				args = append(args, write(string(rune('a'+i))+".json", doc))
				lines = append(append(lines, bytes.TrimSpace(doc)...), '\n')
			}
			c.want.Seen = int64(len(c.docs))
			check := func(code int, stdout string) {
				var got batch.Summary
				must.Do(t, json.Unmarshal([]byte(stdout), &got))
				c.want.Genuine = c.want.Issued + c.want.Revoked + c.want.Superseded
				c.want.Refused = c.want.Genuine - c.want.Verified
				check.That(t, code == c.code && got.Entries == c.want,
					"exit code %d, want %d: %+v, want %+v", code, c.code, got.Entries, c.want)
			}
			code, stdout, _ := call(nil, args...)
			check(code, stdout)
			if !bytes.HasPrefix(c.docs[len(c.docs)-1], []byte(" ")) { // lines cannot differ in the space around them
				code, stdout, _ = call(lines, append(args[:7:7], "-")...)
				check(code, stdout)
			}
		})
	}
}

// TestSupersededAnswers: each form names the proof that counts, and check judges as
// batch does.
func TestSupersededAnswers(t *testing.T) {
	issued, revoked, trust := proofsOfOne(t)
	t.Chdir(must.WriteFiles(t, t.TempDir(), map[string][]byte{"trust.json": trust, "proofs/older.json": issued,
		"proofs/newer.json": revoked}))
	wantAll(t, "verify", answers(t, "verify", "--trust", "trust.json", "--status", "revoked", "proofs"),
		"supersede", "proofs/newer.json", "revoked", "issued", "tx-2026-0001")
	code, stdout, stderr := call(nil, "check", "--full", "--trust", "trust.json", "proofs")
	check.That(t, code == 0 && strings.Contains(stdout, "superseded by proofs/newer.json"),
		"check: exit code %d: %s%s", code, stdout, stderr)
}

// tenantsOfOne writes four genuine proofs of one transaction id, two in the log of each
// of two tenants: before its revocation, and of it. It returns their trust file.
func tenantsOfOne(t *testing.T, dir string) (trust string) {
	t.Helper()
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	write := func(name string, doc seal.Object) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, seal.Canonical(doc), 0o600))
		return path
	}
	for i, name := range []string{"issued.json", "revoked.json"} {
		write("acme-"+name, scene.Exports[i].Bundle)
		other := must.Get(pairs.OtherTenant(scene, scene.Exports[i]))(t)
		write("globex-"+name, other)
	}
	return write("trust.json", scene.Trust)
}

// TestSupersededOfTenants: proofs of equal transactions supersede each other in the log of one
// tenant, and not in another tenant's.
func TestSupersededOfTenants(t *testing.T) {
	t.Chdir(t.TempDir())
	trust := tenantsOfOne(t, ".")
	for name, c := range map[string]struct {
		proofs     []string
		superseded map[string]string
		want       batch.Entries
	}{
		"a revocation in another log": {[]string{"acme-revoked", "globex-issued"}, nil, batch.Entries{Issued: 1, Revoked: 1}},
		"the other way round":         {[]string{"acme-issued", "globex-revoked"}, nil, batch.Entries{Issued: 1, Revoked: 1}},
		"in one log of two": {[]string{"globex-issued", "acme-issued", "acme-revoked"},
			map[string]string{"acme-issued": "acme-revoked"}, batch.Entries{Issued: 1, Revoked: 1, Superseded: 1}},
		"in both": {[]string{"acme-revoked", "globex-revoked", "acme-issued", "globex-issued"},
			map[string]string{"acme-issued": "acme-revoked", "globex-issued": "globex-revoked"},
			batch.Entries{Revoked: 2, Superseded: 2}},
		"near miss: one log": {[]string{"globex-issued", "globex-revoked"},
			map[string]string{"globex-issued": "globex-revoked"}, batch.Entries{Revoked: 1, Superseded: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var files []string
			for _, p := range c.proofs {
				files = append(files, p+".json")
			}
			c.want.Seen, c.want.Verified, c.want.Genuine = int64(len(files)), int64(len(files)), int64(len(files))
			_, out, _ := call(nil, append([]string{"verify", "--trust", trust, "--status", "any", "--json"}, files...)...)
			var s batch.Summary
			err := json.Unmarshal([]byte(out), &s)
			check.That(t, err == nil && s.Entries == c.want, "batch: %+v, want %+v, %v", s.Entries, c.want, err)
			got := map[string]map[string]string{"verify": {}, "check": {}}
			for _, p := range s.Proofs {
				got["verify"][p.Name] = p.SupersededBy
			}
			_, out, _ = call(nil, append([]string{"check", "--trust", trust, "--output", "json"}, files...)...)
			var checked verdict.Result
			must.Do(t, json.Unmarshal([]byte(out), &checked))
			for _, p := range checked.Proofs {
				got["check"][p.Name] = p.SupersededBy
			}
			for command, by := range got {
				check.That(t, len(by) == len(files), "%s names %d proofs", command, len(by))
				for _, p := range c.proofs {
					want := c.superseded[p]
					if want != "" {
						want += ".json"
					}
					check.That(t, by[p+".json"] == want, "%s: %s is superseded by %q, want %q", command, p, by[p+".json"], want)
				}
			}
		})
	}
}
