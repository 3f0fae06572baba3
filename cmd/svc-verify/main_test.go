package main

import (
	"bytes"
	"encoding/pem"
	"errors"
	"flag"
	"io"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/answer/answertest"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts and the generated documents")

// programs are the programs that the test binary can also run as.
var programs = map[string]func(){"svc-verify": screenedMain}

func TestMain(m *testing.M) {
	testscript.Main(withState{m}, programs)
}

// withState runs tests that have a state directory of their own.
type withState struct{ *testing.M }

func (m withState) Run() int {
	dir := must.Have(os.MkdirTemp("", "state"))
	defer os.RemoveAll(dir)
	must.Have(0, os.Setenv("XDG_STATE_HOME", dir))
	return m.M.Run()
}

// sceneNames are the scenes that the scripts use, with seed 1.
var sceneNames = []string{"issued", "revoked", "capability", "rotated-keys", "legacy"}

// scenes plays the scenes once, without writing them.
var scenes = sync.OnceValue(func() map[string]*harness.Scene {
	all := map[string]*harness.Scene{}
	for _, name := range sceneNames {
		scene := must.Have(harness.Build(name, 1, harness.Options{}))
		all[name] = scene
	}
	return all
})

// sceneIn writes a scene into a new folder.
func sceneIn(t testing.TB, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must.Do(t, scenes()[name].Write(dir))
	return dir
}

// TestScripts runs the scripts of testdata/script. Each finds the scenes as
// svc-harness writes them in $SCENES/<name>, the keys and registry of the scene
// issued, as people keep them, in $SCENES/keys, in $SCENES/other a trust file
// that no one knows, in $SCENES/pairs contradictions, in $SCENES/proofs two
// proofs of one transaction, in $SCENES/tenants such of two tenants, and in $SCENES/tls certificates.
func TestScripts(t *testing.T) {
	dir := t.TempDir()
	for name, scene := range scenes() {
		must.Do(t, scene.Write(filepath.Join(dir, name)))
	}
	writeKeys(t, filepath.Join(dir, "keys"))
	writeOther(t, filepath.Join(dir, "other"))
	writeStolen(t, filepath.Join(dir, "stolen"))
	writePairs(t, filepath.Join(dir, "pairs"))
	writeTenants(t, filepath.Join(dir, "tenants"))
	must.Do(t, os.Mkdir(filepath.Join(dir, "tls"), 0o700))
	testca.New("test").Files(filepath.Join(dir, "tls"))
	issued, revoked, trust := proofsOfOne(t)
	must.WriteFiles(t, filepath.Join(dir, "proofs"), map[string][]byte{"issued.json": issued, "revoked.json": revoked,
		"trust.json": trust})
	seals := must.Get(filepath.Abs(filepath.Join("..", "..", "fixtures", "seals")))(t)
	for _, name := range programEnvironment {
		t.Setenv(name, os.Getenv(name)) // put back at the end
	}
	t.Chdir(".")
	testscript.RunT(inOrder{t}, testscript.Params{
		Dir:                 must.Get(filepath.Abs(filepath.Join("testdata", "script")))(t),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SCENES", dir)
			env.Setenv("SEALS", seals)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
			env.Values[inputKey{}] = new([]byte)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    scriptStatus,
			"input":     scriptInput,
			"start":     scriptStart,
			"replace":   scriptReplace,
			"printable": scriptPrintable,
			"columns":   scriptColumns,
			"lines":     scriptLines,
			"append":    scriptAppend,
			"sql":       scriptSQL,
			"pack":      scriptPack,
			"cut":       scriptCut,
			"sides":     scriptSides,
			"tsa":       scriptTSA,

			"counts":     scriptCounts,
			"superseded": scriptSuperseded,
		},
	})
}

// inOrder runs scripts one after the other, as the program runs in this process, which has one
// working directory and one environment.
type inOrder struct{ *testing.T }

func (inOrder) Parallel()     {}
func (inOrder) Verbose() bool { return testing.Verbose() }

func (o inOrder) Run(name string, f func(testscript.T)) {
	o.T.Run(name, func(t *testing.T) { f(inOrder{t}) })
}

// writeOther writes the trust file of a scene with a seed that is not embedded,
// and a list that knows its audit key.
func writeOther(t *testing.T, dir string) {
	scene := must.Get(harness.Build("issued", 271828, harness.Options{}))(t)
	must.Do(t, scene.Write(dir))
	known := "# keys\n\n" + seal.Text(seal.Member(scene.Trust, "audit_keys"), "audit-2026-1") + " the old staging key\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "known.txt"), []byte(known), 0o644))
}

// writeKeys writes the audit key in PEM, the signer key in DER, two nodes' keys
// raw and in base64url, and the registry.
func writeKeys(t *testing.T, dir string) {
	scene := scenes()["issued"]
	raw := func(section, id string) []byte {
		return must.Get(seal.Unbase64(seal.Text(seal.Member(scene.Trust, section), id)))(t)
	}
	spki := func(key []byte) []byte {
		return append([]byte("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"), key...)
	}
	files := map[string][]byte{
		"audit.pem": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY",
			Bytes: spki(raw("audit_keys", "audit-2026-1"))}),
		"signer.der":    spki(raw("protected_signer_keys", "signer-2026-1")),
		"berlin.raw":    raw("nodes", "mesh-berlin-1"),
		"oslo.txt":      []byte(seal.Base64(raw("nodes", "mesh-oslo-1")) + "\n"),
		"lisbon.pem":    pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki(raw("nodes", "mesh-lisbon-1"))}),
		"private.pem":   pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("not shown")}),
		"registry.json": seal.Canonical(scene.Bundle("tx-2026-0001")["signer_registries"].([]any)[0].(seal.Object)),
	}
	must.WriteFiles(t, dir, files)
}

// scriptStatus runs the program in this process, and wants an exit code: status 3 svc-verify ARG...
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || args[1] != "svc-verify" {
		ts.Fatalf("usage: status N svc-verify ARG...")
	}
	for _, name := range programEnvironment {
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	input := ts.Value(inputKey{}).(*[]byte)
	code, stdout, stderr := call(*input, args[2:]...)
	*input = nil
	io.WriteString(ts.Stdout(), stdout)
	io.WriteString(ts.Stderr(), stderr)
	wantAnswer(ts, args[0], code, stdout, stderr)
}

// programEnvironment are the variables that the program reads.
var programEnvironment = []string{"XDG_STATE_HOME", "HOME", "TMPDIR", "NO_COLOR"}

// inputKey is the key of the standard input of the next command of status.
type inputKey struct{}

// scriptInput gives a file to the next command of status through standard input: input FILE.
func scriptInput(ts *testscript.TestScript, _ bool, args []string) {
	*ts.Value(inputKey{}).(*[]byte) = []byte(ts.ReadFile(args[0]))
}

// scriptStart is status for a process of its own, which has the whole environment of the script.
func scriptStart(ts *testscript.TestScript, _ bool, args []string) {
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	wantAnswer(ts, args[0], code, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
}

// wantAnswer wants an exit code, and documents that have the form that they say.
func wantAnswer(ts *testscript.TestScript, want string, code int, stdout, stderr string) {
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
	conforms(ts, []byte(stdout))
	for line := range strings.Lines(stderr) {
		conforms(ts, []byte(line))
	}
}

// scriptReplace writes a copy of a file with one text replaced, which must be
// there: replace FROM TO OLD NEW. The copy may have the same name.
func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	content := ts.ReadFile(args[0])
	if !strings.Contains(content, args[2]) {
		ts.Fatalf("%s does not contain %s", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Replace(content, args[2], args[3], 1)), 0o644))
}

// scriptPrintable wants that files hold nothing that acts on a terminal, and have the
// form that they say.
func scriptPrintable(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		if at := unsafeAt(ts.ReadFile(name)); at >= 0 {
			ts.Fatalf("%s is unsafe at byte %d", name, at)
		}
		conforms(ts, []byte(ts.ReadFile(name)))
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

// unsafeAt returns where a text would act on a terminal, or lost a character; -1 if nowhere.
func unsafeAt(s string) int {
	return max(answertest.UnsafeAt(s), strings.IndexRune(s, utf8.RuneError))
}

// call runs the program in this process.
func call(stdin []byte, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = newProgram().Run(args, bytes.NewReader(stdin), &out, &errs)
	if fault := screenFault(args, out.String()); fault != "" {
		panic(fault)
	}
	return code, out.String(), errs.String()
}

// sampled are cases by name, in order; with -short every n-th of them.
func sampled[C any](cases map[string]C, n int) iter.Seq2[string, C] {
	return func(yield func(string, C) bool) {
		for i, name := range slices.Sorted(maps.Keys(cases)) {
			if (!testing.Short() || i%n == n-1) && !yield(name, cases[name]) {
				return
			}
		}
	}
}

// fileOf writes a document and returns the file's name.
func fileOf(t *testing.T, doc []byte) string {
	t.Helper()
	return must.WriteFile(t, filepath.Join(t.TempDir(), "document.json"), doc)
}
