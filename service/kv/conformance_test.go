package kv_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/kv/kvtest"
)

var update = flag.Bool("update", false, "write the transcript anew, as the real server answers")

const (
	transcriptFile = "testdata/transcript.txt"
	written        = `{"data":{"a":1}}`
	stale          = "check-and-set parameter did not match the current version"
)

// step is a request, and what every engine answers.
type step struct {
	request string // method and path, M for the mount
	body    string
	status  int
	errors  []string
}

func withCAS(cas string) string { return `{"data":{"a":1},"options":{"cas":` + cas + `}}` }

// script is one history, of which each step depends on those before it.
var script = []step{
	{"GET M/data/a/b", "", 404, []string{}},
	{"GET M/metadata/a/b", "", 404, []string{}},
	{"DELETE M/data/a/b", "", 204, nil},
	{"DELETE M/metadata/a/b", "", 204, nil},
	{"POST M/data/a/b", withCAS("1"), 400, []string{stale}},
	{"POST M/data/a/b", withCAS("0"), 200, nil},
	{"POST M/data/a/b", withCAS("0"), 400, []string{stale}},
	{"GET M/data/a/b", "", 200, nil},
	{"PUT M/data/a/b", withCAS("1"), 200, nil},
	{"POST M/data/a/b", withCAS("1"), 400, []string{stale}},
	{"POST M/data/a/b", withCAS(`"2"`), 200, nil},
	{"POST M/data/a/b", withCAS("4"), 400, []string{stale}},
	{"POST M/data/a/b", withCAS("-1"), 400, []string{stale}},
	{"POST M/data/a/b", withCAS("null"), 400, []string{stale}},
	{"POST M/data/a/b", withCAS("3.0"), 400, []string{"error parsing check-and-set parameter"}},
	{"POST M/data/a/b", withCAS(`"x"`), 400, []string{"error parsing check-and-set parameter"}},
	{"POST M/data/a/b", withCAS("99999999999999999999"), 400, []string{"error parsing check-and-set parameter"}},
	{"POST M/data/a/b", `{}`, 400, []string{"no data provided"}},
	{"POST M/data/a/b", `{"Data":{"a":1}}`, 400, []string{"no data provided"}},
	{"POST M/data/a/b", `[]`, 400, []string{"error parsing JSON"}},
	{"POST M/data/a/b", `{"data":`, 400, []string{"error parsing JSON"}},
	{"GET M/data/a/b?version=1", "", 200, nil},
	{"GET M/data/a/b?version=0", "", 200, nil},
	{"GET M/data/a/b?version=-1", "", 200, nil},
	{"GET M/data/a/b?version=4", "", 404, []string{}},
	{"GET M/metadata/a/b", "", 200, nil},
	{"GET M/metadata/a", "", 404, []string{}},

	// Deleted, and back.
	{"DELETE M/data/a/b", "", 204, nil},
	{"GET M/data/a/b", "", 404, nil},
	{"GET M/data/a/b?version=2", "", 200, nil},
	{"GET M/metadata/a/b", "", 200, nil},
	{"DELETE M/data/a/b", "", 204, nil},
	{"POST M/data/a/b", withCAS("0"), 400, []string{stale}},
	{"POST M/undelete/a/b", `{"versions":[3]}`, 204, nil},
	{"GET M/data/a/b", "", 200, nil},
	{"DELETE M/data/a/b", "", 204, nil},
	{"POST M/data/a/b", withCAS("3"), 200, nil},
	{"POST M/delete/a/b", `{"versions":[1,"4",77]}`, 204, nil},
	{"POST M/delete/a/b", `{"versions":2}`, 204, nil},
	{"POST M/delete/a/b", `{"versions":[]}`, 400, []string{"No version number provided"}},
	{"POST M/delete/a/none", `{"versions":[1]}`, 204, nil},
	{"GET M/metadata/a/b", "", 200, nil},
	{"POST M/undelete/a/b", `{}`, 400, []string{"No version number provided"}},
	{"POST M/undelete/a/b", `{"versions":[1,4]}`, 204, nil},

	// Destroyed, and never back.
	{"PUT M/destroy/a/b", `{"versions":[1,3]}`, 204, nil},
	{"POST M/destroy/a/b", `{}`, 400, []string{"no version number provided"}},
	{"POST M/destroy/a/none", `{"versions":[1]}`, 204, nil},
	{"GET M/data/a/b?version=1", "", 404, nil},
	{"POST M/undelete/a/b", `{"versions":[1,3]}`, 204, nil},
	{"POST M/delete/a/b", `{"versions":[1]}`, 204, nil},
	{"GET M/data/a/b?version=1", "", 404, nil},
	{"GET M/data/a/b?version=3", "", 404, nil},
	{"GET M/metadata/a/b", "", 200, nil},
	{"DELETE M/metadata/a/b", "", 204, nil},
	{"GET M/metadata/a/b", "", 404, []string{}},
	{"GET M/data/a/b?version=4", "", 404, []string{}},
	{"POST M/data/a/b", withCAS("4"), 400, []string{stale}},
	{"POST M/data/a/b", withCAS("0"), 200, nil},
	{"GET M/metadata/a/b", "", 200, nil},

	// What is kept is not what was sent.
	{"POST M/data/json", `{"data":{"b":1.0,"a":12345678901234567890,"d":1e3,"e":"<&>\u00e9\u2028\ud800","z":{"y":[1,null,true]},"f":0.1,"g":1e21,"h":-0,"i":9007199254740993,"a":2}}`, 200, nil},
	{"GET M/data/json", "", 200, nil},
	{"POST M/data/json", `{"data":{}}`, 200, nil},
	{"GET M/data/json", "", 200, nil},
	{"POST M/data/json", `{"data":null}`, 200, nil},
	{"GET M/data/json", "", 200, nil},

	// What is not there.
	{"GET none/data/a", "", 404, []string{`no handler for route "none/data/a". route entry not found.`}},
	{"GET sys/none", "", 404, []string{"1 error occurred:\n\t* unsupported path\n\n"}},
	{"GET M/none/a", "", 404, nil},
	{"GET M/data/a/", "", 404, nil},
	{"GET M/delete/a/b", "", 405, []string{"1 error occurred:\n\t* unsupported operation\n\n"}},
	{"DELETE M/destroy/a/b", "", 405, []string{"1 error occurred:\n\t* unsupported operation\n\n"}},
}

// TestConformance: both engines give the answers of the script, and the whole
// documents of the transcript, which is the real server's.
func TestConformance(t *testing.T) {
	want, err := os.ReadFile(transcriptFile)
	switch {
	case *update && kvtest.Program() == "":
		t.Fatal("only the real server may write the transcript: set VAULTD")
	case err != nil && !*update:
		t.Fatal(err)
	}
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		got := play(t, b)
		if *update {
			if b.Name() == "vault" {
				must.Do(t, os.WriteFile(transcriptFile, []byte(got), 0o644))
			}
			return
		}
		a, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		must.That(t, len(a) == len(w) && len(a) >= 3*len(script), "%d lines, expected %d", len(a), len(w))
		for i := range w {
			check.That(t, a[i] == w[i], "line %d\n     got %s\nexpected %s", i+1, a[i], w[i])
		}
	})
}

// play plays the script, and returns the transcript: request, status, document.
func play(t *testing.T, b kvtest.Backend) string {
	admin := kvtest.Admin(t, b)
	var out strings.Builder
	n := &normal{times: map[string]string{}, mount: b.Mount()}
	for i, s := range script {
		method, path, _ := strings.Cut(s.request, " ")
		a := admin.Do(method, strings.Replace(path, "M/", b.Mount()+"/", 1), s.body)
		_, isErrors := a.Document["errors"]
		if a.Status != s.status || isErrors != (s.errors != nil) || !slices.Equal(a.Errors(), s.errors) {
			t.Errorf("step %d: %s %s: status %d, %q, expected %d, %q", i, s.request, s.body, a.Status,
				a.Errors(), s.status, s.errors)
		}
		doc := "none"
		if a.Document != nil {
			text := must.Get(json.Marshal(n.value("", a.Document)))(t)
			doc = string(text)
		}
		fmt.Fprintf(&out, "%s %s\n%d %s\n%s\n", s.request, s.body, a.Status, a.Header.Get("Content-Type"), doc)
	}
	return out.String()
}

// normal replaces what differs between two runs. Each time becomes the number of
// its first appearance, so that equal ones stay equal.
type normal struct {
	times map[string]string
	mount string
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (n *normal) value(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for k := range v {
			names = append(names, k)
		}
		sort.Strings(names)
		out := map[string]any{}
		for _, k := range names {
			out[k] = n.value(k, v[k])
		}
		return out
	case []any:
		if name == "warnings" {
			return "some"
		}
		out := []any{}
		for _, one := range v {
			out = append(out, n.value("", one))
		}
		return out
	case string:
		return n.text(name, v)
	}
	return v
}

func (n *normal) text(name, s string) string {
	if name == "request_id" && uuid.MatchString(s) {
		return "a UUID"
	}
	if at, err := time.Parse(time.RFC3339Nano, s); err == nil && at.UTC().Format(time.RFC3339Nano) == s {
		if n.times[s] == "" {
			n.times[s] = fmt.Sprintf("time %d", len(n.times)+1)
		}
		return n.times[s]
	}
	return strings.ReplaceAll(s, n.mount, "M")
}
