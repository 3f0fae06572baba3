package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// TestRace: files that become links while the archive is checked are unreadable or
// as they were, and nothing behind a link is ever read.
func TestRace(t *testing.T) {
	k := keep(t, 30)
	outside := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(outside, []byte("secret\n"), 0o600))
	k.must(t, 0)
	watch := watchOpens(t, filepath.Dir(outside))
	name := ""
	for _, path := range k.tree.Paths() {
		if !strings.Contains(path, "/") && k.tree[path].Regular() {
			name = path
		}
	}
	var stop atomic.Bool
	done := make(chan error)
	go func() { done <- flicker(k.dir, name, k.tree[name], outside, &stop) }()
	for range 8 {
		code, stdout, stderr := k.check()
		check.That(t, code <= 2, "exit code %d\n%s%s", code, stdout, stderr)
	}
	stop.Store(true)
	must.Do(t, <-done)
	check.That(t, watch.take(t) == 0, "a file was opened behind a link")
	k.must(t, 0)
	k.must(t, 0)
}

// flicker makes a file a link and a file again, until it is to stop.
func flicker(dir, name string, f archives.File, outside string, stop *atomic.Bool) error {
	file, link := archives.Tree{name: f}, archives.Tree{name: {Link: outside}}
	for !stop.Load() {
		if err := link.Write(dir, file); err != nil {
			return err
		}
		if err := file.Write(dir, link); err != nil {
			return err
		}
	}
	return nil
}

// TestTwoChecks: two checks on one ledger exclude each other, and who only reads it is
// not kept out.
func TestTwoChecks(t *testing.T) {
	k := keep(t, 6)
	k.must(t, 0)
	secret := must.Get(userkey.Load())(t)
	w := must.Get(ledger.OpenWrite(t.Context(), k.ledger, secret))(t)
	c := k.start()
	if out, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != 2 || !bytes.Contains(out, []byte("another process")) {
		t.Errorf("exit code %d\n%s", c.ProcessState.ExitCode(), out)
	}
	rows, runs := k.rows(t)
	check.That(t, len(rows) == len(k.tree) && len(runs) == 1, "%d rows and %d runs", len(rows), len(runs))
	must.Do(t, w.Close())
	k.must(t, 0)
}

// start is a check in a process of its own, that has not been started.
func (k kept) start(more ...string) *exec.Cmd {
	return exec.Command("svc-verify", append([]string{"archive", "check", k.dir, "--ledger", k.ledger, "--trust", k.trust},
		more...)...) // #nosec G204 -- this very program
}

// rows reads the ledger: its objects by path, and its runs.
func (k kept) rows(t *testing.T) (rows map[string]ledger.Object, runs []run.Record) {
	t.Helper()
	secret := must.Get(userkey.Load())(t)
	l, err := ledger.Open(t.Context(), k.ledger, secret)
	must.OK(t, err, "the ledger cannot be opened")
	defer l.Close()
	must.That(t, l.Standing() == ledger.Own, "the ledger is not believed: %v", l.Fault())
	rows = map[string]ledger.Object{}
	for o, err := range l.Objects(t.Context()) {
		must.Do(t, err)
		rows[o.Path] = *o
	}
	for r, err := range l.Runs(t.Context()) {
		must.Do(t, err)
		runs = append(runs, r.Record)
	}
	return rows, runs
}
