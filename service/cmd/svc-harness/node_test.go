//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/service/deployment"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/nodeconfig/configtest"
)

const at = "2026-03-02T09:00:00Z" // configtest.At

func TestProgram(t *testing.T) {
	check.Do(t, harnessProgram().Check())
}

// node writes the example with one text of it replaced, and goes to its folder.
func node(t *testing.T, old, replacement string) {
	t.Helper()
	dir := t.TempDir()
	configtest.Write(t, dir)
	must.That(t, bytes.Contains(configtest.Config, []byte(old)), "the example has no %s", old)
	configtest.Put(t, dir, "config.json", 0o644, bytes.Replace(configtest.Config, []byte(old), []byte(replacement), 1))
	t.Chdir(dir)
}

func TestNodeCheckAccepts(t *testing.T) {
	node(t, "", "")
	code, stdout, stderr := run("node", "check", "--at", at, "config.json")
	check.That(t, code == 0 && stdout == "accepted  config.json\n" && stderr == "",
		"exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	code, stdout, stderr = run("node", "check", "--at", at, "--output", "json", "config.json")
	want := "{\n  \"schema\": \"svc-harness/node-check/v1\",\n  \"verdict\": \"accepted\",\n  \"faults\": []\n}\n"
	check.That(t, code == 0 && stdout == want && stderr == "", "exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	check.OK(t, schemas.Conformance("node-check", []byte(stdout)), "%.80s", stdout)
	if code, _, _ := run("node", "check", "--at", "2027-03-02T09:00:00Z", "config.json"); code != 1 {
		t.Errorf("a year later: exit code %d", code)
	}
}

// TestNodeCheckExample holds docs/node-config.md against the program.
func TestNodeCheckExample(t *testing.T) {
	page := read(t, "..", "..", "docs", "node-config.md")
	m := regexp.MustCompile("(?s)```console\n\\$ svc-harness (node check [^\n]*)\n(.*?)```\n").FindStringSubmatch(page)
	must.That(t, m != nil, "docs/node-config.md has no example of node check")
	node(t, `"otlp_audit_batch_size": 64`, `"otlp_audit_batch_size": 100`)
	must.Do(t, os.Chmod("secrets/store-token", 0o640))
	code, stdout, stderr := run(strings.Fields(m[1])...)
	check.That(t, code == 1 && stdout == m[2] && stderr == "", "exit code %d, stderr %q, stdout\n%s", code, stderr, stdout)
}

// TestNodeCheckIsSafe: names and values out of the file reach neither a terminal
// nor a JSON document raw, and no line is wider than 80 columns.
func TestNodeCheckIsSafe(t *testing.T) {
	hostile := `\u001b[2J\u202e\n\ud83d\ude00` + strings.Repeat("x", 300)
	node(t, `"tenant_id": "acme-corp"`, `"`+hostile+`": "`+hostile+`", "tenant_id": "`+hostile+`", "x\ud83d\ude00": 1`)
	code, stdout, _ := run("node", "check", "--at", at, "config.json")
	check.Equal(t, code, 1, "exit code")
	for line := range strings.SplitSeq(stdout, "\n") {
		check.That(t, columns.Width(line) <= 80 && !strings.ContainsAny(line, "\x1b\u202e"), "the line %q", line)
	}
	code, first, _ := run("node", "check", "--at", at, "--output", "json", "config.json")
	if code != 1 || strings.ContainsFunc(first, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
		t.Errorf("exit code %d, stdout %q", code, first)
	}
	check.OK(t, schemas.Conformance("node-check", []byte(first)), "%.80s", first)
	var result struct{ Faults nodeconfig.Faults }
	err := json.Unmarshal([]byte(first), &result)
	check.That(t, err == nil && len(result.Faults) == 3 &&
		result.Faults[2].Pointer == "/x\U0001F600", "%v, %v", result, err)
	_, again, _ := run("node", "check", "--at", at, "--output", "json", "config.json")
	check.That(t, again == first, "two runs differ")
}

func TestNodeCheckCannotWork(t *testing.T) {
	node(t, "", "")
	for _, args := range [][]string{
		{"node", "check"}, {"node", "check", "missing.json"}, {"node", "check", "state"},
		{"node", "check", "--at", "2026-03", "config.json"},
		{"node", "check", "--at", "2026-03-02T9:00:00Z", "config.json"}, {"node", "check", "--at", "2026-03-02T09:00:00",
			"config.json"}, {"node", "check", "config.json", "config.json"}, {"node", "check", "--output", "xml", "config.json"},
		{"node"},
	} {
		if code, stdout, stderr := run(args...); code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	name := filepath.Join("no", "\x1b[2J.json")
	_, _, stderr := run("node", "check", name)
	check.That(t, !strings.Contains(stderr, "\x1b"), "stderr %q", stderr)
}

// TestPartRefuses: only the parts of a deployment run, and a node is none of them.
func TestPartRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	plan := deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(2)}
	must.Get(deployment.Prepare("made", plan))(t)
	for _, c := range []struct{ want, dir, part string }{
		{"svc-harness up makes", "none", "cloud"},
		{"its parts are collector, cloud", "made", "store"},
		{"its parts are collector, cloud", "made", plan.Nodes[0]},
	} {
		code, stdout, stderr := run("part", "--dir", c.dir, c.part)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, c.want),
			"%+v: exit code %d, stdout %q, stderr %q", c, code, stdout, stderr)
	}
}

// A node with a fault in its configuration does not start.
func TestNodeRunNeedsASoundConfiguration(t *testing.T) {
	node(t, `"cloud_poll_interval_seconds": 10`, `"cloud_poll_interval_seconds": 0`)
	code, stdout, stderr := run("node", "run", "config.json")
	check.That(t, code == exitFaults && stdout == "" && strings.Contains(stderr, "/cloud_poll_interval_seconds"),
		"exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	if code, _, stderr := run("node", "run", "none.json"); code != 2 || !strings.Contains(stderr, "none.json") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	entries, err := os.ReadDir("state")
	check.That(t, err == nil && len(entries) == 0, "something was left: %v %v", entries, err)
}
