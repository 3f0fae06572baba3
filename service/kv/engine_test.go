package kv_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

const root = "the-root-token"

// open opens an engine whose root may do everything.
func open(t testing.TB, c kv.Config) *kv.Engine {
	t.Helper()
	e := must.Get(kv.Open(c))(t)
	must.Do(t, e.Allow(root, kvtest.AdministratorRules()...))
	return e
}

// ask makes a request without a connection.
func ask(e *kv.Engine, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut("/v1/"+path, "?")
	r.Header.Set("X-Vault-Token", root)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestLimits: each bound refuses input above it, and accepts input up to it.
func TestLimits(t *testing.T) {
	e := open(t, kv.Config{Mount: "kv"})
	sized := func(n int) string {
		const around = `{"data":{"v":""}}`
		return strings.Replace(around, `""`, `"`+strings.Repeat("x", n-len(around))+`"`, 1)
	}
	deep := func(n int) string {
		return `{"data":{"v":` + strings.Repeat("[", n) + "1" + strings.Repeat("]", n) + `}}`
	}
	for name, c := range map[string]struct {
		path, body string
		status     int
	}{
		"1 MiB":           {"kv/data/a", sized(1 << 20), 200},
		"more":            {"kv/data/a", sized(1<<20 + 1), 413},
		"deep":            {"kv/data/a", deep(5_000), 200},
		"too deep":        {"kv/data/a", deep(100_000), 400},
		"long path":       {"kv/data/" + strings.Repeat("a", 1<<10-8), written, 200},
		"too long a path": {"kv/data/" + strings.Repeat("a", 1<<10-7), written, 400},
		"space":           {"kv/data/a b", written, 200},
		"NUL":             {"kv/data/a\x00", written, 400},
		"line":            {"kv/data/a\nb", written, 400},
		"other letters":   {"kv/data/é", written, 200},
		"no UTF-8":        {"kv/data/\xff", written, 400},
		"dots":            {"kv/data/a..b", written, 200},
		"no float64":      {"kv/data/a", `{"data":{"a":1e400}}`, 400},
		"float64":         {"kv/data/a", `{"data":{"a":1e300}}`, 200},
		"data, a text":    {"kv/data/a", `{"data":"secret"}`, 400},
		"data, a list":    {"kv/data/a", `{"data":[]}`, 400},
		"options, a text": {"kv/data/a", `{"data":{},"options":"x"}`, 400},
		"options, null":   {"kv/data/a", `{"data":{},"options":null}`, 200},
		"rest":            {"kv/data/a", written + "x", 400},
		"version, a text": {"kv/delete/a", `{"versions":["x"]}`, 400},
		"no value":        {"kv/data/b", "", 404},
	} {
		method := http.MethodPost
		if c.body == "" {
			method = http.MethodGet
		}
		if status, body := ask(e, method, c.path, c.body); status != c.status || strings.Contains(body, `secret"`) {
			t.Errorf("%s: status %d, expected %d: %.100s", name, status, c.status, body)
		}
	}
	status, _ := ask(e, "PATCH", "kv/data/a", written)
	check.That(t, status == http.StatusMethodNotAllowed, "PATCH: status %d", status)
	status, _ = ask(e, "GET", "kv/data/a?version=x", "")
	check.That(t, status == http.StatusBadRequest, "version x: status %d", status)
}

// TestNoWayUp: no path of a request leads out of the folder that a rule names.
func TestNoWayUp(t *testing.T) {
	e := open(t, kv.Config{Mount: "kv"})
	for _, path := range []string{"kv/data/in/../out", "kv/data/in/./a", "kv/data/in//a",
		"kv/data/in/../../../other/data/a", "kv/data/in/.."} {
		status, _ := ask(e, "POST", path, written)
		check.That(t, status/100 != 2, "%s: status %d", path, status)
		// An encoded path does not reach the redirect.
		r := httptest.NewRequest(http.MethodPost, "/v1/"+strings.ReplaceAll(path, "/", "%2f"), strings.NewReader(written))
		r.Header.Set("X-Vault-Token", root)
		w := httptest.NewRecorder()
		if e.ServeHTTP(w, r); w.Code/100 == 2 {
			t.Errorf("%s, encoded: status %d", path, w.Code)
		}
	}
	status, body := ask(e, "GET", "other/metadata/a", "")
	check.That(t, status == http.StatusNotFound, "status %d: %s", status, body)
}

// TestRestart: everything that was answered is there after a restart, byte for byte, and the
// file is for its owner alone.
func TestRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "engine.json")
	config := kv.Config{File: file, Mount: "team/kv"}
	e := open(t, config)
	for _, c := range [][3]string{
		{"POST", "team/kv/data/a/b", written}, {"POST", "team/kv/data/a/b", `{"data":{"b":"<&>"}}`},
		{"POST", "team/kv/data/a/b", `{"data":null}`},
		{"POST", "team/kv/destroy/a/b", `{"versions":[1]}`}, {"POST", "team/kv/data/gone", written},
		{"DELETE", "team/kv/metadata/gone", ""},
		{"POST", "team/kv/data/deleted", written}, {"DELETE", "team/kv/data/deleted", ""},
	} {
		status, body := ask(e, c[0], c[1], c[2])
		must.That(t, status/100 == 2, "%v: status %d: %s", c, status, body)
	}
	again := open(t, config)
	for _, path := range []string{"team/kv/data/a/b", "team/kv/data/a/b?version=2", "team/kv/data/a/b?version=1",
		"team/kv/metadata/a/b",
		"team/kv/data/gone", "team/kv/data/deleted", "team/kv/metadata/deleted"} {
		_, before := ask(e, "GET", path, "")
		_, after := ask(again, "GET", path, "")
		if before, after = anonymous(before), anonymous(after); before != after {
			t.Errorf("%s:\nbefore %s\nafter %s", path, before, after)
		}
	}
	info, err := os.Stat(file)
	check.That(t, err == nil && info.Mode().Perm() == 0o600, "%v, %v", info.Mode(), err)
	if b, _ := os.ReadFile(file); bytes.Contains(b, []byte(root)) || !bytes.Contains(b, []byte("svc.kv-engine.v1")) {
		t.Errorf("the file holds %s", b)
	}
}

// anonymous is a document without its request's id.
func anonymous(body string) string {
	var d map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		return err.Error()
	}
	delete(d, "request_id")
	return fmt.Sprintf("%s", d)
}

// TestUnkept: a change that cannot be kept does not happen, and the answer is an error.
func TestUnkept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	must.Do(t, os.Mkdir(dir, 0o700))
	var log bytes.Buffer
	e := open(t, kv.Config{File: filepath.Join(dir, "engine.json"), Mount: "kv",
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	ask(e, "POST", "kv/data/a", written)
	must.Do(t, os.RemoveAll(dir))
	for _, c := range [][3]string{{"POST", "kv/data/a", written}, {"POST", "kv/data/b", written},
		{"DELETE", "kv/metadata/a", ""}, {"DELETE", "kv/data/a", ""}} {
		if status, body := ask(e, c[0], c[1], c[2]); status != http.StatusInternalServerError || strings.Contains(body, dir) {
			t.Errorf("%v: status %d: %s", c, status, body)
		}
	}
	_, body := ask(e, "GET", "kv/data/a", "")
	check.That(t, strings.Contains(body, `"version":1}`) &&
		strings.Contains(body, `"data":{"a":1}`), "it has %s", body)
	status, _ := ask(e, "GET", "kv/data/b", "")
	check.That(t, status == http.StatusNotFound, "b: status %d", status)
	check.That(t, strings.Contains(log.String(), "could not be kept"), "the log says %q", &log)
}

// TestNothingLeaks: refusals are logged, and nothing of a token or secret.
func TestNothingLeaks(t *testing.T) {
	var log bytes.Buffer
	e := open(t, kv.Config{Mount: "kv", Log: slog.New(slog.NewJSONHandler(&log, nil))})
	must.Do(t, e.Allow(root, kv.Rule{Path: "kv/data/*", Capabilities: []string{kv.Create}}))
	for _, method := range []string{"POST", "POST", "GET", "DELETE"} {
		_, body := ask(e, method, "kv/data/a", `{"data":{"key":"hidden"}}`)
		check.That(t, !strings.Contains(body, "hidden"), "answered %s", body)
	}
	s := log.String()
	check.That(t, strings.Count(s, "permission denied") == 3 && !strings.Contains(s, root) &&
		!strings.Contains(s, "hidden"), "the log says %s", s)
}

// TestOpenRefuses: settings and files that are none.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		mount, file string
		ok          bool
	}{
		"sound":            {"kv", `{"format":"svc.kv-engine.v1","mounts":{"kv":{}}}`, true},
		"no mount":         {"", "", false},
		"slash":            {"kv/", "", false},
		"way up":           {"../kv", "", false},
		"system":           {"sys", "", false},
		"below auth":       {"auth/kv", "", false},
		"no JSON":          {"kv", `{"hidden"`, false},
		"another format":   {"kv", `{"format":"hidden","mounts":{}}`, false},
		"another mount":    {"kv", `{"format":"svc.kv-engine.v1","mounts":{"kv2":{"a":{}}}}`, false},
		"no record":        {"kv", `{"format":"svc.kv-engine.v1","mounts":{"kv":{"a":null}}}`, false},
		"path of a record": {"kv", `{"format":"svc.kv-engine.v1","mounts":{"kv":{"a//b":{}}}}`, false},
		"empty record":     {"kv", `{"format":"svc.kv-engine.v1","mounts":{"kv":{"a":{}}}}`, true},
	} {
		config := kv.Config{Mount: c.mount}
		if c.file != "" {
			config.File = filepath.Join(dir, "engine.json")
			must.Do(t, os.WriteFile(config.File, []byte(c.file), 0o600))
		}
		_, err := kv.Open(config)
		check.That(t, (err == nil) == c.ok && (err == nil || !strings.Contains(err.Error(), "hidden")), "%s: %v", name, err)
	}
}

// TestAllow: rules that mean nothing are refused, and later ones replace those
// before.
func TestAllow(t *testing.T) {
	e := open(t, kv.Config{Mount: "kv"})
	for _, r := range []kv.Rule{{Path: ""}, {Path: "a*b"}, {Path: "a/*/b"}, {Path: "a/+/b"}, {Path: "a**"},
		{Path: "a", Capabilities: []string{"sudo"}}} {
		check.That(t, e.Allow("token", r) != nil, "%v was taken", r)
	}
	check.That(t, e.Allow("") != nil, "a token that is empty was taken")
	status, _ := ask(e, "GET", "kv/data/a", "")
	check.That(t, status == http.StatusNotFound, "status %d", status)
	must.Do(t, e.Allow(root))
	status, _ = ask(e, "GET", "kv/data/a", "")
	check.That(t, status == http.StatusForbidden, "after its rules were taken away: status %d", status)
}

// FuzzRequest: no request makes the engine fail or answer anything but JSON.
func FuzzRequest(f *testing.F) {
	for _, s := range steps(f) {
		f.Add(s.method, strings.Replace(s.path, "M/", "kv/", 1), s.body)
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || method == "" || method == "CONNECT" {
			return
		}
		e := open(t, kv.Config{Mount: "kv"})
		for range 2 {
			status, answer := ask(e, method, path, body)
			check.That(t, status < 500 && ((status/100 == 3 || answer == "") || json.Valid([]byte(answer))),
				"status %d: %q", status, answer)
		}
	})
}

// TestMethods: a method that a path does not have is refused by name of those
// that it has; a path that is none has no methods to name.
func TestMethods(t *testing.T) {
	e := open(t, kv.Config{Mount: "kv"})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"PATCH", "kv/data/a", 405, "GET, POST, PUT, DELETE"},
		{"OPTIONS", "kv/metadata/a", 405, "GET, DELETE"},
		{"GET", "kv/destroy/a", 405, "POST, PUT"},
		{"GET", "kv/data/a", 404, ""},
		{"PATCH", "kv/none/a", 403, ""},
	} {
		r := httptest.NewRequest(c.method, "/v1/"+c.path, nil)
		r.Header.Set("X-Vault-Token", root)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if allow := w.Header().Get("Allow"); w.Code != c.status || allow != c.allow {
			t.Errorf("%s %s: %d, Allow: %q, want %d, %q", c.method, c.path, w.Code, allow, c.status, c.allow)
		}
	}
}
