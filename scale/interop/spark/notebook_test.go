package spark

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

// notebook is a session of Spark in which verify is called.
type notebook struct {
	command *exec.Cmd
	in      *json.Encoder
	out     *json.Decoder
	close   func()
	stderr  record
}

// call is the arguments of verify; those without a value are left out.
type call struct {
	Paths   []string `json:"paths"`
	Parts   int      `json:"parts"`
	Width   int      `json:"width"`
	Trust   string   `json:"trust"`
	Shared  string   `json:"shared"`
	Program string   `json:"program"`
	SHA256  string   `json:"sha256,omitempty"`
	PartKey string   `json:"part_key,omitempty"`
	ExecDir string   `json:"exec_dir,omitempty"`
}

// result is the outcome of a call.
type result struct {
	Code   int    `json:"exit_code"`
	JSON   []byte `json:"json"`
	Said   string `json:"said"`
	Failed string `json:"failed"` // the message, if another try is of no use
	Error  string `json:"error"`  // Spark's message after the last attempt
}

// open opens a session at a master or a server of Spark Connect.
func (c *cluster) open(t *testing.T, address string) *notebook {
	t.Helper()
	n := &notebook{command: c.command("127.0.0.1", "python", "programs/notebook.py", address)}
	n.command.Stderr = &n.stderr
	in, err := n.command.StdinPipe()
	must(t, err)
	out, err := n.command.StdoutPipe()
	must(t, err)
	n.in, n.out = json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))
	must(t, n.command.Start())
	n.close = func() { _, _ = in.Close(), n.command.Wait() }
	t.Cleanup(func() { _ = n.command.Process.Kill() })
	return n
}

// verify calls verify, and waits for its result.
func (n *notebook) verify(t *testing.T, c call) (r result) {
	t.Helper()
	must(t, n.in.Encode(c))
	if err := n.out.Decode(&r); err != nil {
		t.Fatalf("%v\n%s", err, n.stderr.String())
	}
	return r
}

// small makes the evidence of a small fleet.
func small(t *testing.T) *bench {
	t.Helper()
	evidence, trust := fleet.Evidence(t)
	b := &bench{program: fleet.Tool(t, "svc-verify"), trust: trust, key: key(t), paths: []string{evidence}}
	b.judge(t)
	return b
}

// call returns the arguments for the evidence, with a folder of its own.
func (b *bench) call(t *testing.T) call {
	return call{Paths: b.paths, Parts: 5, Width: 2, Trust: b.trust, Program: b.program, PartKey: b.key,
		Shared: filepath.Join(t.TempDir(), "shared")}
}

// same fails the test unless a call gave the verdict of one machine.
func (b *bench) same(t *testing.T, r result) {
	t.Helper()
	if string(r.JSON) != b.verdict || r.Code != b.code {
		t.Errorf("exit code %d, and output\n%s%s%s\nOne machine: %d\n%s", r.Code, r.JSON,
			r.Failed, r.Error, b.code, b.verdict)
	}
}

// noexec mounts a folder where programs cannot run. That needs root, as installing
// Java does.
func noexec(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("svc-verify", dir, "tmpfs", syscall.MS_NOEXEC|syscall.MS_NODEV|syscall.MS_NOSUID,
		"size=512m"); err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestNotebook calls verify as a notebook does, on executors that may run programs only
// in a folder that is named, and through Spark Connect.
func TestNotebook(t *testing.T) {
	dirs := []string{noexec(t), noexec(t), noexec(t)}
	c, b, runs := start(t, dirs...), small(t), t.TempDir()
	n := c.open(t, c.address)

	arguments := b.call(t)
	refused(t, n.verify(t, arguments), "is mounted noexec")
	arguments.ExecDir = runs
	b.same(t, n.verify(t, arguments))
	b.same(t, n.verify(t, arguments)) // over the parts of the first
	b.tampered(t, n, arguments)
	b.keyless(t, n, arguments)

	wrong := arguments
	wrong.SHA256 = strings.Repeat("0", 64)
	refused(t, n.verify(t, wrong), "expected SHA-256 "+wrong.SHA256)
	alter(t, dirs)
	refused(t, n.verify(t, arguments), "expected SHA-256")
	n.close()

	c.connect(t, b, arguments)
}

// refused fails the test unless a call was refused at once, for a reason.
func refused(t *testing.T, r result, why string) {
	t.Helper()
	if !strings.Contains(r.Failed, why) {
		t.Errorf("want %q:\n%+v", why, r)
	}
}

// tampered is the same evidence with one word changed: a verdict is no failure.
func (b *bench) tampered(t *testing.T, n *notebook, arguments call) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.ndjson")
	journals, err := filepath.Glob(filepath.Join(b.paths[0], "journals", "*"))
	must(t, err)
	genuine := read(t, journals[0])
	altered := bytes.Replace(genuine, []byte(`"decision":"allow"`), []byte(`"decision":"deny"`), 1)
	must(t, os.WriteFile(path, altered, 0o600))
	bad := &bench{program: b.program, trust: b.trust, paths: []string{path}}
	bad.judge(t)
	if bad.code != 1 {
		t.Fatalf("walk ends with %d:\n%s", bad.code, bad.verdict)
	}
	arguments.Paths = bad.paths
	bad.same(t, n.verify(t, arguments))
}

// keyless has no key for the parts: the verdict states that. A key that is not there cannot be
// read: Spark tries that again, and reports it in the end.
func (b *bench) keyless(t *testing.T, n *notebook, arguments call) {
	t.Helper()
	arguments.PartKey = ""
	if r := n.verify(t, arguments); r.Code != b.code || !bytes.Contains(r.JSON, []byte("believed as they are given")) {
		t.Errorf("%+v", r)
	}
	arguments.PartKey = b.key + "-of-nobody"
	missing := n.verify(t, arguments)
	for _, want := range []string{"svc-verify part ended with 2", arguments.PartKey} {
		if !strings.Contains(missing.Error, want) {
			t.Errorf("want %q:\n%+v", want, missing)
		}
	}
	if !n.stderr.has("failed 4 times") {
		t.Errorf("Spark did not try again:\n%s", n.stderr.String())
	}
}

// alter changes the copies of the program that Spark brought to the executors.
func alter(t *testing.T, dirs []string) {
	t.Helper()
	altered := 0
	for _, dir := range dirs {
		copies, err := filepath.Glob(filepath.Join(dir, "app-*", "*", "svc-verify-*"))
		must(t, err)
		for _, path := range copies {
			must(t, os.WriteFile(path, []byte("#!/bin/sh\nexit 0\n"), 0o600))
			altered++
		}
	}
	if altered == 0 {
		t.Fatal("no executor has the program")
	}
}

// connect calls verify through a server of Spark Connect.
func (c *cluster) connect(t *testing.T, b *bench, arguments call) {
	t.Helper()
	address := free(t)
	_, port, _ := strings.Cut(address, ":")
	_, log := c.launch(t, "127.0.0.1", "spark-submit", "--class",
		"org.apache.spark.sql.connect.service.SparkConnectServer",
		"--master", c.address, "--conf", "spark.connect.grpc.binding.address=127.0.0.1", "--conf",
		"spark.connect.grpc.binding.port="+port,
		"spark-internal")
	eventually(t, log.String, func() bool { return log.has("Spark Connect server started") })
	n := c.open(t, "sc://"+address)
	b.same(t, n.verify(t, arguments))
	b.same(t, n.verify(t, arguments))
	arguments.ExecDir = ""
	refused(t, n.verify(t, arguments), "is mounted noexec")
	n.close()
}
