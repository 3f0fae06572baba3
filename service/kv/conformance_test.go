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
)

// step is a request. M in it means the mount.
type step struct{ method, path, body string }

// steps are the requests of the transcript: method, path and body are a line, as the status and the
// document behind it are.
func steps(t testing.TB) (all []step) {
	t.Helper()
	lines := strings.Split(string(must.Get(os.ReadFile(transcriptFile))(t)), "\n")
	for request := range slices.Chunk(lines, 3) {
		if words := strings.SplitN(request[0], " ", 3); len(words) == 3 {
			all = append(all, step{words[0], words[1], words[2]})
		}
	}
	must.That(t, len(all) > 70, "%d requests", len(all))
	return all
}

// TestConformance plays the requests of the transcript, each depending on the ones before it.
// Both engines give the answers that stand there, which are the real server's.
func TestConformance(t *testing.T) {
	must.That(t, !*update || kvtest.Program() != "", "only the real server may write the transcript: set VAULTD")
	want := string(must.Get(os.ReadFile(transcriptFile))(t))
	kvtest.Each(t, func(t *testing.T, b kvtest.Backend) {
		got := play(t, b)
		if *update {
			if b.Name == "vault" {
				must.Do(t, os.WriteFile(transcriptFile, []byte(got), 0o644))
			}
			return
		}
		a, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		must.That(t, len(a) == len(w), "%d lines, expected %d", len(a), len(w))
		for i := range w {
			check.That(t, a[i] == w[i], "line %d\n     got %s\nexpected %s", i+1, a[i], w[i])
		}
	})
}

// play plays the requests, and returns the transcript: request, status, document.
func play(t *testing.T, b kvtest.Backend) string {
	admin := kvtest.Admin(t, b)
	var out strings.Builder
	n := &normal{times: map[string]string{}, mount: b.Mount}
	for _, s := range steps(t) {
		a := admin.Do(s.method, strings.Replace(s.path, "M/", b.Mount+"/", 1), s.body)
		doc := "none"
		if a.Document != nil {
			doc = string(must.Get(json.Marshal(n.value("", a.Document)))(t))
		}
		fmt.Fprintf(&out, "%s %s %s\n%d %s\n%s\n", s.method, s.path, s.body, a.Status, a.Header.Get("Content-Type"), doc)
	}
	return out.String()
}

// normal replaces the differences between two runs. Each time becomes the number of its first
// appearance, so that equal ones stay equal.
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
