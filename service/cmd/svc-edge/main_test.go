package main

import (
	"bytes"
	"errors"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/edge/edgetest"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts and the manual page")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"svc-edge": main})
}

func TestProgram(t *testing.T) {
	check.Do(t, program().Check())
}

// TestScripts runs the scripts of testdata/script, each with a node of its own: $DIR contains
// an observer's files, and $URL is where the node answers.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			n := edgetest.Start(env.T().(testing.TB))
			env.Values["node"] = n
			env.Setenv("DIR", n.Dir)
			env.Setenv("URL", n.URL)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"edge":      scriptEdge,
			"node":      scriptNode,
			"printable": scriptPrintable,
			"columns":   scriptColumns,
			"await":     scriptAwait,
		},
	})
}

// scriptEdge runs the program as an observer of the node, and wants an exact
// exit code: edge 3 ARG...
func scriptEdge(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	dir := ts.Getenv("DIR")
	line := append([]string{"-ca", filepath.Join(dir, "ca.pem"), "-cert", filepath.Join(dir, "observer.pem"), "-key",
		filepath.Join(dir, "observer.key"),
		"-url", ts.Getenv("URL"), "-node-spki", filepath.Join(dir, "node.pem")}, args[1:]...)
	got := 0
	if err := ts.Exec("svc-edge", line...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptNode changes the node as a command of a script demands.
func scriptNode(ts *testscript.TestScript, _ bool, args []string) {
	n := ts.Value("node").(*edgetest.Node)
	switch args[0] {
	case "publish": // TOPIC TEXT
		n.Publish(args[1], seal.Object{"text": args[2]})
	case "hostile": // an event and a report with text that acts on a terminal
		n.Publish("service.claimed", seal.Object{"text": hostile})
		n.Report(func(h seal.Object) { fail(h, "otlp_audit_transport_failed")["endpoint_host"] = hostile })
	case "altered": // an event whose signature does not hold
		e := n.Seal("service.claimed", seal.Object{})
		e["signature"] = strings.Repeat("A", 86)
		n.Append(e)
	case "rotate": // to a new key
		n.Publish("identity.rotated",
			seal.Object{"key_id": edgetest.ID + "/2", "public_key": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
	case "forget": // all events before SEQUENCE
		before, err := strconv.ParseInt(args[1], 10, 64)
		ts.Check(err)
		n.Forget(before)
	case "failing": // the exporter, and so the node
		n.Report(func(h seal.Object) {
			h["status"] = "degraded"
			o := fail(h, "otlp_audit_collector_rejected")
			o["cursor"], o["backlog"] = int64(100), int64(30)
		})
	case "bare": // no integrations
		n.Report(func(h seal.Object) { h["integrations"] = []any{} })
	case "refuse": // everything
		n.Lie(func(w http.ResponseWriter, _ *http.Request) {
			edgetest.Problem(w, http.StatusForbidden, "identity_refused", hostile)
		})
	default:
		ts.Fatalf("no node command %s", args[0])
	}
}

// fail makes the exporter of a health report fail, and returns its entry.
func fail(health seal.Object, code string) seal.Object {
	o := seal.List(health, "integrations")[1].(seal.Object)
	o["health"], o["error_code"] = "degraded", code
	return o
}

// hostile is text that would act on a terminal.
const hostile = "\x1b[2J\u009b31m\u202egnp\nsvc-edge: healthy"

// scriptPrintable wants that files hold nothing that acts on a terminal.
func scriptPrintable(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		for _, r := range ts.ReadFile(name) {
			if r == utf8.RuneError || r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				ts.Fatalf("%s holds %q", name, r)
			}
		}
	}
}

// scriptColumns wants that no line of a file is wider: columns N FILE.
func scriptColumns(ts *testscript.TestScript, _ bool, args []string) {
	most, err := strconv.Atoi(args[0])
	ts.Check(err)
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > most {
			ts.Fatalf("%d columns: %s", n, line)
		}
	}
}

// scriptAwait waits until a file is there and holds a text: await FILE TEXT.
func scriptAwait(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(b), args[1]) {
			return
		}
	}
	ts.Fatalf("waited in vain for %s in %s", args[1], args[0])
}

// TestManualPage holds service/docs/man/svc-edge.1 against the program.
func TestManualPage(t *testing.T) {
	var page bytes.Buffer
	if code := program().Run([]string{"man"}, nil, &page, &page); code != 0 {
		t.Fatalf("exit code %d: %s", code, page.Bytes())
	}
	path := filepath.Join("..", "..", "docs", "man", "svc-edge.1")
	if *update {
		must.Do(t, os.WriteFile(path, page.Bytes(), 0o644))
	}
	if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, page.Bytes()) {
		t.Errorf("docs/man/svc-edge.1 is not up to date (%v): go test ./cmd/svc-edge -update", err)
	}
}

// TestCommandsDocument: service/docs/svc-edge-commands.md has every command, flag
// and exit code, as --help shows them.
func TestCommandsDocument(t *testing.T) {
	title, rest, _ := strings.Cut(program().Markdown(), "\n\n")
	want := title + "\n\nThis page is generated: `make docs`.\n\n" + rest
	path := filepath.Join("..", "..", "docs", "svc-edge-commands.md")
	if *update {
		must.Do(t, os.WriteFile(path, []byte(want), 0o644))
	}
	if found, err := os.ReadFile(path); err != nil || string(found) != want {
		t.Errorf("docs/svc-edge-commands.md is not up to date (%v): make docs", err)
	}
}

// TestMessages: every fault of a command line is reported in a sentence.
func TestMessages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.pem")
	must.Do(t, os.WriteFile(file, []byte("none\n"), 0o600))
	good := map[string]string{"ca": file, "cert": file, "key": file, "url": "https://127.0.0.1:1", "node-spki": file}
	for _, line := range clitest.BadLines(program(), good) {
		var stdout, stderr bytes.Buffer
		program().Run(line, strings.NewReader(""), &stdout, &stderr)
		slip := clitest.Slip(stderr.String())
		check.That(t, slip == "", "svc-edge %q: %s in %s", line, slip, stderr.String())
	}
}

// TestTimes: every flag for a time or a duration accepts the same values, and refuses the same
// others in the same words.
func TestTimes(t *testing.T) {
	wrong, flags := clitest.WrongTimes(program())
	for _, w := range wrong {
		t.Error(w)
	}
	check.That(t, flags >= 1, "only %d flags were tried", flags)
}

// TestLineForm: a pipe gets an event as it was signed; an output that may be a terminal gets
// it with escapes.
func TestLineForm(t *testing.T) {
	device := must.Get(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
	defer device.Close()
	const line = "{\"x\":\"\\u001b\u009b31m\u202e\"}\n"
	check.Equal(t, string(lineForm(&bytes.Buffer{})([]byte(line))), line, "the line")
	check.Equal(t, string(lineForm(device)([]byte(line))), `{"x":"\u001b\u009b31m\u202e"}`+"\n", "the line")
}
