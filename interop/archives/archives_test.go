package archives

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/premis"
	record "github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// peers is the folder that install.sh filled.
func peers(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("ARCHIVES_PEERS")
	if _, err := os.Stat(filepath.Join(folder, "python/bin/python")); folder == "" || err != nil {
		must.That(t, os.Getenv("CI") == "", "ARCHIVES_PEERS is %q: make archives installs what it names", folder)
		t.Skip("make archives installs the peers")
	}
	return folder
}

// run runs a program, and returns both its streams and whether it accepts.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, accepts bool) {
	t.Helper()
	c := exec.Command(name, args...) // #nosec G204
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	must.That(t, c.ProcessState != nil, "%v", err)
	return out.String(), errs.String(), err == nil
}

// python runs a program in Python with the libraries of requirements.txt.
func python(t *testing.T, args ...string) (stdout, stderr string, accepts bool) {
	t.Helper()
	return run(t, filepath.Join(peers(t), "python/bin/python"), args...)
}

// TestPeers fails if a peer is not there.
func TestPeers(t *testing.T) {
	for _, library := range []string{"bagit", "cryptography"} {
		_, said, ok := python(t, "-c", "import "+library)
		check.That(t, ok, "%s: %s", library, said)
	}
	for _, program := range []string{"xmllint", "openssl", "s3fs", "java"} {
		check.Do(t, check.Err(exec.LookPath(program)))
	}
}

// valid reports whether a document is of the schema of PREMIS 3.0.
func valid(t *testing.T, document []byte) bool {
	t.Helper()
	file := filepath.Join(t.TempDir(), "premis.xml")
	must.Do(t, os.WriteFile(file, document, 0o600))
	_, said, ok := run(t, "xmllint", "--noout", "--nonet", "--schema", filepath.Join(peers(t), "premis-v3-0.xsd"), file)
	if !ok {
		t.Logf("%.500s", said)
	}
	return ok
}

// TestPremis: our output is PREMIS 3.0 by its schema.
func TestPremis(t *testing.T) {
	history := must.Get(os.ReadFile("../../archive/premis/testdata/history.xml"))(t)
	var hostile, bare bytes.Buffer
	text := "]]><event/>\x00\u202e\ufffe<!-- &lol;\xff " + strings.Repeat("ü", 1000)
	objects := func(yield func(premis.Object, error) bool) {
		for _, kind := range []object.Kind{object.Bundle, object.Case, object.Logs, object.Other, ""} {
			yield(premis.Object{Kind: kind, SHA512: make([]byte, 64), Object: record.Object{Path: text + string(kind),
				Size: 1 << 40, Read: 1, Verified: 1, Verdict: "verified", Wrong: "altered"}}, nil)
		}
	}
	runs := func(yield func(ledger.Run, error) bool) { yield(ledger.Run{Record: record.Record{Tool: text}}, nil) }
	changes := func(int64) premis.Changes {
		return func(yield func(record.Change, error) bool) {
			yield(record.Change{Path: text, Acceptance: &record.Acceptance{By: text, Reason: text}}, nil)
			yield(record.Change{Path: text, Class: text, After: &record.State{Code: text, Wrong: text}}, nil)
		}
	}
	must.Do(t, premis.Write(&hostile, "a", objects, runs, changes))
	objects, runs = func(func(premis.Object, error) bool) {}, func(func(ledger.Run, error) bool) {}
	must.Do(t, premis.Write(&bare, "a", objects, runs, nil))
	for name, document := range map[string][]byte{"history": history, "hostile": hostile.Bytes(), "bare": bare.Bytes()} {
		check.That(t, valid(t, document), "%s is not of the schema", name)
	}
	for _, tag := range []string{"messageDigest", "eventDateTime", "agentIdentifier", "objectIdentifier", "formatName"} {
		check.That(t, !valid(t, bytes.ReplaceAll(history, []byte(tag+">"), []byte(tag+"s>"))),
			"the schema takes any name in place of %s", tag)
	}
}
