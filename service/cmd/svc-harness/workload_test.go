package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestWorkloadRefuses: a workload that could never read the secret store does not
// run, and says why; nothing of its token is shown.
func TestWorkloadRefuses(t *testing.T) {
	dir := t.TempDir()
	_, _, ca := testca.New("store").Files(dir)
	token, open, none := filepath.Join(dir, "token"), filepath.Join(dir, "open"), filepath.Join(dir, "none")
	for file, mode := range map[string]os.FileMode{token: 0o600, open: 0o640} {
		must.Do(t, os.WriteFile(file, []byte("s.topsecret\n"), mode))
	}
	const origin, nowhere = "https://127.0.0.1:8200", "127.0.0.1:at-all"
	for _, c := range []struct{ want, store, ca, token string }{
		{"--store", "http://127.0.0.1:8200", ca, token},
		{"--store", origin + "/", ca, token},
		{"--store", "https://", ca, token},
		{"--store", "https://user@127.0.0.1:8200", ca, token},
		{"none", origin, none, token},
		{"expected certificates", origin, token, token},
		{"expected certificates", origin, filepath.Join(dir, "server.key"), token},
		{"--token-file", origin, ca, none},
		{"--token-file", origin, ca, open},
		{"at-all", origin, ca, token}, // all is well but the address to listen at
	} {
		code, stdout, stderr := run("workload", "run", "--listen", nowhere, "--mount", "kv", "--base", "edge/payments",
			"--store", c.store, "--store-ca", c.ca, "--token-file", c.token)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, c.want) && !strings.Contains(stderr, "topsecret"),
			"%+v: exit code %d, stdout %q, stderr %q", c, code, stdout, stderr)
	}
}
