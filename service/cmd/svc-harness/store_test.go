//go:build unix

package main

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// storeFiles writes what a store starts with, and returns its arguments.
func storeFiles(t *testing.T) (ca *testca.Authority, dir string, args []string) {
	t.Helper()
	ca, dir = testca.New("store"), t.TempDir()
	certificate, key, _ := ca.Files(dir)
	args = []string{"store", "run", "--listen", "127.0.0.1:0", "--file", filepath.Join(dir, "store.json"),
		"--tls-cert", certificate, "--tls-key", key, "--mount", "team/kv", "--base", "svc/oslo"}
	for _, role := range []string{"adapter", "consumer", "administrator"} {
		file := filepath.Join(dir, role+".token")
		must.Do(t, os.WriteFile(file, []byte(role+"-secret\n"), 0o600))
		args = append(args, "--"+role+"-token", file)
	}
	return ca, dir, args
}

// store runs a store, and returns its address and what ends it.
func store(t *testing.T, args []string) (address string, end func() (code int, log string)) {
	t.Helper()
	out, in := io.Pipe()
	code, rest := make(chan int, 1), make(chan string, 1)
	go func() {
		code <- program().Run(args, strings.NewReader(""), io.Discard, in)
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), " at ")
	must.That(t, err == nil && found, "it said %q, %v", line, err)
	go func() {
		b, _ := io.ReadAll(lines)
		rest <- string(b)
	}()
	return address, func() (int, string) {
		must.Do(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		return <-code, <-rest
	}
}

// status is what the store answers.
func status(t *testing.T, client *http.Client, request, token string) int {
	t.Helper()
	method, url, _ := strings.Cut(request, " ")
	r := must.Get(http.NewRequest(method, url, strings.NewReader(`{"data":{"a":1}}`)))(t)
	r.Header.Set("X-Vault-Token", token)
	response := must.Get(client.Do(r))(t)
	_ = response.Body.Close()
	return response.StatusCode
}

// Each token may do what its role may, over TLS 1.2 too, and what was written is
// there when the store is run again.
func TestStoreRun(t *testing.T) {
	ca, _, args := storeFiles(t)
	client := ca.HTTP()
	client.Transport.(*http.Transport).TLSClientConfig.MaxVersion = tls.VersionTLS12
	for round, written := range []int{404, 200} {
		address, end := store(t, args)
		at := address + "/v1/team/kv/"
		for _, c := range []struct {
			request, token string
			status         int
		}{
			{"GET " + at + "data/svc/oslo/pointer", "consumer-secret", written},
			{"POST " + at + "data/svc/oslo/pointer", "consumer-secret", 403},
			{"POST " + at + "data/svc/oslo/pointer", "adapter-secret", 200},
			{"GET " + at + "metadata/svc/oslo/pointer", "adapter-secret", 200},
			{"GET " + at + "metadata/svc/oslo/pointer", "consumer-secret", 403},
			{"POST " + at + "data/svc/bergen/pointer", "adapter-secret", 403},
			{"DELETE " + at + "data/svc/oslo/pointer", "adapter-secret", 403},
			{"GET " + at + "data/svc/oslo/pointer", "none", 403},
			{"POST " + at + "data/svc/bergen/pointer", "administrator-secret", 200},
		} {
			check.Equal(t, status(t, client, c.request, c.token), c.status,
				"round %d: %s as %s: status", round, c.request, c.token)
		}
		client.CloseIdleConnections()
		if code, log := end(); code != 0 || strings.Contains(log, "-secret") || strings.Count(log, "permission denied") != 4 {
			t.Errorf("round %d: exit code %d, log %s", round, code, log)
		}
	}
}

// A token file that others may read, or that holds no token, starts no store.
func TestStoreRunRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file string // whose content and permissions are another
		text string
		mode os.FileMode
	}{
		"open to the group": {"adapter.token", "adapter-secret\n", 0o640},
		"open to others":    {"consumer.token", "consumer-secret\n", 0o604},
		"empty":             {"adapter.token", "\n", 0o600},
		"two lines":         {"adapter.token", "adapter-secret\nx\n", 0o600},
		"too long":          {"adapter.token", strings.Repeat("x", maxToken+1), 0o600},
		"the same twice":    {"administrator.token", "consumer-secret", 0o600},
		"no key":            {"server.key", "x", 0o600},
		"no file of secret": {"store.json", "-secret", 0o600},
	} {
		_, dir, args := storeFiles(t)
		file := filepath.Join(dir, c.file)
		must.Do(t, os.WriteFile(file, []byte(c.text), c.mode))
		must.Do(t, os.Chmod(file, c.mode))
		if code, stdout, stderr := run(args...); code != 2 || stdout != "" || stderr == "" ||
			strings.Contains(stderr, "-secret") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", name, code, stdout, stderr)
		}
	}
	_, _, args := storeFiles(t)
	for i, text := range map[int]string{slices.Index(args, "--base") + 1: "svc/+", slices.Index(args, "--mount") +
		1: "kv/*", slices.Index(args, "--listen") + 1: "nowhere"} {
		wrong := slices.Clone(args)
		wrong[i] = text
		if code, _, stderr := run(wrong...); code != 2 || stderr == "" {
			t.Errorf("%s: exit code %d, stderr %q", text, code, stderr)
		}
	}
}
