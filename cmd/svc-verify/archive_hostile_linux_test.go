package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// TestLedgerIsNone: a file that is no ledger of ours is refused with 2, remains unchanged, and
// does not block the command.
func TestLedgerIsNone(t *testing.T) {
	k := keep(t, 6)
	k.must(t, 0)
	good := must.Get(os.ReadFile(k.ledger))(t)
	base := filepath.Dir(k.ledger)
	for name, put := range map[string]func(path string) error{
		"a link to nothing": func(path string) error { return os.Symlink(filepath.Join(base, "nothing"), path) },
		"a pipe":            func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":          func(path string) error { return os.Mkdir(path, 0o700) },
		"an empty file":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a text":            func(path string) error { return os.WriteFile(path, []byte("to do\n"), 0o600) },
		"a bundle":          func(path string) error { return os.WriteFile(path, pool().Bundles[0][0], 0o600) },
		"a database": func(path string) error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			edit(t, path, `CREATE TABLE objects (path)`)
			return nil
		},
		"its beginning": func(path string) error { return os.WriteFile(path, good[:100], 0o600) },
		"a page less":   func(path string) error { return os.WriteFile(path, good[:len(good)-4096], 0o600) },
		"zeros":         func(path string) error { return os.WriteFile(path, make([]byte, len(good)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			k := k
			k.ledger = filepath.Join(t.TempDir(), "l.db")
			must.Do(t, put(k.ledger))
			before, _ := os.ReadFile(regular(k.ledger)) // nil if it is no file
			code, stdout, stderr := k.check()
			check.That(t, code == 2 && stdout == "" && stderr != "", "exit code %d\n%s%s", code, stdout, stderr)
			after, _ := os.ReadFile(regular(k.ledger))
			check.That(t, bytes.Equal(before, after), "it was written to")
			if _, err := os.Stat(filepath.Join(base, "nothing")); err == nil {
				t.Error("a file was made behind a link")
			}
		})
	}
}

// regular is a path if it is a file, and else one of nothing.
func regular(path string) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

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
