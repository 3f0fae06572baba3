//go:build unix

package scripts

import (
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// released is the name of the program that is fetched for this machine.
var released = "svc-verify-linux-" + runtime.GOARCH

// releases is a server of releases on loopback, and one without TLS that it can lead to.
func releases(t *testing.T) *httptest.Server {
	t.Helper()
	program := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, fake) }
	plain := httptest.NewServer(http.HandlerFunc(program))
	t.Cleanup(plain.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/good/", program)
	mux.HandleFunc("/other/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, fake+"\n") })
	mux.HandleFunc("/cut/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(fake)))
		io.WriteString(w, fake[:len(fake)/2])
	})
	mux.HandleFunc("/short/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, fake[:len(fake)/2]) })
	mux.HandleFunc("/empty/", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/page/", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, fake)
	})
	mux.HandleFunc("/moved/",
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/good/"+released, http.StatusFound) })
	mux.HandleFunc("/round/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/round/"+released, http.StatusFound)
	})
	mux.HandleFunc("/down/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+"/"+released, http.StatusFound)
	})
	s := httptest.NewTLSServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestFetch: a released program is run only if it is the one whose digest the template
// has, and otherwise the job fails.
func TestFetch(t *testing.T) {
	must.Program(t, "curl")
	s := releases(t)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(fake)))
	own := digest + "  " + released + "\n"
	for _, c := range []struct {
		name, release, digests string
		fetched                bool
	}{
		{"the digest", s.URL + "/good", own, true},
		{"behind a redirect", s.URL + "/moved", own, true},
		{"among others", s.URL + "/good", strings.Repeat("0", 64) + "  svc-verify-other\n" + own + "x\n", true},
		{"another program", s.URL + "/other", own, false},
		{"cut off", s.URL + "/cut", own, false},
		{"shorter", s.URL + "/short", own, false},
		{"empty", s.URL + "/empty", own, false},
		{"an error page", s.URL + "/page", own, false},
		{"in circles", s.URL + "/round", own, false},
		{"without TLS in the end", s.URL + "/down", own, false},
		{"without TLS", "http" + strings.TrimPrefix(s.URL, "https") + "/good", own, false},
		{"no server", "https://127.0.0.1:1", own, false},
		{"no digests", s.URL + "/good", "", false},
		{"the digest of another file", s.URL + "/good", digest + "  svc-verify-other\n", false},
		{"no digest", s.URL + "/good", "x  " + released + "\n", false},
		{"two digests", s.URL + "/good", own + own, false},
		{"capitals", s.URL + "/good", strings.ToUpper(digest) + "  " + released + "\n", false},
	} {
		for _, name := range []string{action, component} {
			t.Run(c.name+" of "+filepath.Dir(name), func(t *testing.T) {
				j := newJob(t, name, map[string]string{"paths": "p", "trust": "t", "path": ""})
				j.env["SVC_RELEASE"], j.env["SVC_DIGESTS"] = c.release, c.digests
				j.trust(t, s)
				end, ran := j.all(t)
				check.That(t, ran == c.fetched && (end.code == 0) == c.fetched,
					"ran: %v, exit code %d: %s%s", ran, end.code, end.stdout, end.stderr)
				check.That(t, c.fetched || end.code == 2 && strings.Contains(end.stdout+end.stderr, "svc-verify: "),
					"exit code %d: %s%s", end.code, end.stdout, end.stderr)
			})
		}
	}
}

// TestNothingIsReleased: as they are, the templates have no digest, and fetch nothing.
func TestNothingIsReleased(t *testing.T) {
	for _, name := range []string{action, component} {
		j := newJob(t, name, map[string]string{"paths": "p", "trust": "t", "path": ""})
		j.env["RUNNER_OS"], j.env["RUNNER_ARCH"] = "Linux", "X64"
		end := shell(t, j.dir, j.scripts[0], j.env)
		if j.env["SVC_DIGESTS"] != "" || end.code != 2 ||
			!strings.Contains(end.stdout+end.stderr, "has no digest of svc-verify-linux-") {
			t.Errorf("%s: exit code %d: %s%s", name, end.code, end.stdout, end.stderr)
		}
	}
}

// TestOtherMachines: for a machine without a released program, the action reports that.
func TestOtherMachines(t *testing.T) {
	j := newJob(t, action, map[string]string{"paths": "p", "trust": "t", "path": ""})
	j.env["RUNNER_OS"], j.env["RUNNER_ARCH"] = "Linux", "ARM"
	if end := shell(t, j.dir, j.scripts[0], j.env); end.code != 2 ||
		!strings.Contains(end.stdout, "Linux/ARM: give one as path") {
		t.Errorf("exit code %d: %s", end.code, end.stdout)
	}
}

// trust has the scripts know the server's certificate, and this machine.
func (j *job) trust(t *testing.T, s *httptest.Server) {
	t.Helper()
	path := filepath.Join(j.dir, "ca.pem")
	doc := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	must.Do(t, os.WriteFile(path, doc, 0o600))
	j.env["CURL_CA_BUNDLE"] = path
	j.env["RUNNER_OS"] = "Linux"
	j.env["RUNNER_ARCH"] = map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
}

// all runs the steps as the platform does: the next one only after a success, with the outputs
// of the one before. It reports whether the fetched program was run.
func (j *job) all(t *testing.T) (end ended, ran bool) {
	t.Helper()
	for _, script := range j.scripts {
		end = shell(t, j.dir, script, j.env)
		if program, ok := strings.CutPrefix(j.outputs(t), "program="); ok {
			j.env["SVC_PROGRAM"] = strings.TrimSuffix(program, "\n")
		}
		if end.code != 0 {
			break
		}
	}
	return end, arguments(t, j.env) != nil
}
