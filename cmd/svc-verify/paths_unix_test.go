//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The answers of commands about a name.
const (
	wasRead = "read"
	unsaid  = "" // it is not mentioned
	noLink  = "a symbolic link, which is not followed"
	alsoIn  = "a symbolic link to a path that is given as well"
	notFile = "expected a regular file, found "
)

// trouble is something in a folder, with the answer of each kind of command about it.
type trouble struct {
	name  string
	place func(path string) error
	// The answers of verify, of the commands on logs, and of those on archives.
	proofs, logs, archives string
}

func linkTo(target string) func(string) error {
	return func(path string) error { return os.Symlink(target, path) }
}

// troubles are the entries besides plain files that a folder of evidence can have.
func troubles(proof []byte) []trouble {
	file := func(path string) error { return os.WriteFile(path, proof, 0o600) }
	pipe := notFile + "a named pipe: write what comes through it to a file first"
	all := []trouble{
		{"x.json", file, wasRead, wasRead, wasRead},
		{"line\nfeed\x1b[2J\xff", file, wasRead, wasRead, wasRead},
		{"a/b/c/d/e/f/g/h/deep", file, wasRead, wasRead, wasRead},
		{"hard", func(path string) error { return os.Link(filepath.Join(filepath.Dir(path), "x.json"), path) },
			wasRead, wasRead, wasRead},
		{"empty", func(path string) error { return os.Mkdir(path, 0o700) }, unsaid, unsaid, unsaid},
		{"link to a file", linkTo("x.json"), unsaid, alsoIn, noLink},
		{"link to a folder", linkTo("a"), unsaid, alsoIn, noLink},
		{"link upwards", linkTo("."), unsaid, alsoIn, noLink},
		{"link out", linkTo("/etc/passwd"), noLink, noLink, noLink},
		{"link to nothing", linkTo("absent"), noLink, noLink, noLink},
		{"link to itself", linkTo("link to itself"), noLink, noLink, noLink},
		{"link to a device", linkTo(os.DevNull), noLink, noLink, noLink},
		{"pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }, pipe, pipe, pipe},
		{"s", func(path string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err == nil {
				l.SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		}, notFile + "a socket", notFile + "a socket", notFile + "a socket"},
	}
	if os.Getuid() == 0 { // nothing is locked for root
		null := func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|5) }
		return append(all, trouble{"device", null,
			notFile + "a device", notFile + "a device", notFile + "a device"})
	}
	const locked = "permission denied"
	return append(all,
		trouble{"locked", func(path string) error { return os.WriteFile(path, proof, 0) }, locked, locked, locked},
		trouble{"locked folder", func(path string) error { return os.Mkdir(path, 0) }, locked, locked, locked})
}

// TestPaths: all commands that read paths answer alike about each name in a folder.
func TestPaths(t *testing.T) {
	base := must.Get(os.MkdirTemp("", "p"))(t) // a short path, for the socket
	defer os.RemoveAll(base)
	must.Do(t, scenes()["issued"].Write(base))
	found := must.Get(filepath.Glob(filepath.Join(base, "svc-evidence-*.json")))(t)
	proof := must.Get(os.ReadFile(found[0]))(t)
	dir, trust := filepath.Join(base, "in"), filepath.Join(base, "trust.json")
	proofs, logs, archives := map[string]string{}, map[string]string{}, map[string]string{}
	for _, x := range troubles(proof) {
		path := filepath.Join(dir, x.name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), x.place(path)))
		for answer, to := range map[*string]map[string]string{&x.proofs: proofs, &x.logs: logs, &x.archives: archives} {
			if *answer != unsaid {
				to[strings.ToValidUTF8(x.name, "\ufffd")] = *answer
			}
		}
	}
	if os.Getuid() != 0 {
		defer os.Chmod(filepath.Join(dir, "locked folder"), 0o700)
	}
	list := filepath.Join(base, "list")
	must.Do(t, os.WriteFile(list, []byte("\r\n"+dir+"\r\n\n"), 0o600))
	alias := aliasOf(t, base, dir)
	for _, c := range []struct {
		name string
		want map[string]string
		got  map[string]string
	}{
		{"verify", proofs, ofRecords(t, dir, "verify", "--trust", trust, dir)},
		{"verify of a link", proofs, ofRecords(t, alias, "verify", "--trust", trust, alias)},
		{"archive check", archives, ofRecords(t, dir, "archive", "check", "--trust", trust, "--ledger",
			filepath.Join(base, "ledger"), dir)},
		{"check", logs, ofCheck(t, dir, "check", "--trust", trust, "--output", "json", dir)},
		{"verify of a list", proofs, ofRecords(t, dir, "verify", "--trust", trust, "--from-file", list)},
		{"check of a list", logs, ofCheck(t, dir, "check", "--trust", trust, "--output", "json", "--from-file", list)},
		{"plan of a list", logs, ofPlan(t, dir, "--from-file", list)},
		{"plan", logs, ofPlan(t, dir, dir)},
		{"plan of a link", logs, ofPlan(t, dir, alias)},
	} {
		for _, name := range slices.Sorted(maps.Keys(c.want)) {
			check.That(t, strings.Contains(c.got[name], c.want[name]) && c.got[name] != "",
				"%s says of %q: %q, want %q", c.name, name, c.got[name], c.want[name])
		}
		for name, answer := range c.got {
			check.That(t, c.want[name] != "", "%s says of %q: %q, want nothing", c.name, name, answer)
		}
	}
}

// aliasOf is a link to the folder, which a user may name.
func aliasOf(t *testing.T, base, dir string) string {
	t.Helper()
	alias := filepath.Join(base, "alias")
	err := os.Symlink(dir, alias)
	must.That(t, err == nil || errors.Is(err, os.ErrExist), "%v", err)
	return alias
}

// nameIn is a name in a folder, in Unicode.
func nameIn(dir, path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return strings.Trim(strings.ToValidUTF8(strings.TrimPrefix(path, dir), "\ufffd"), "/")
}

// ofRecords returns the answers in the records of a report, by name.
func ofRecords(t *testing.T, dir string, line ...string) map[string]string {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report")
	code, _, errs := call(nil, append(line, "--report", "jsonl="+report)...)
	b, err := os.ReadFile(report)
	must.That(t, err == nil, "%v: exit code %d, %s", line, code, errs)
	all := map[string]string{}
	for text := range strings.Lines(string(b)) {
		var r struct{ Name, Path, Class, Verdict, Reason string }
		must.Do(t, json.Unmarshal([]byte(text), &r))
		name := r.Name
		if name == "" {
			name = r.Path
		}
		answer := r.Reason
		if r.Verdict == "verified" {
			answer = wasRead
		}
		all[nameIn(dir, name)] = answer
	}
	return all
}

// ofCheck returns the answers of check, by name. It has one name of each file.
func ofCheck(t *testing.T, dir string, line ...string) map[string]string {
	t.Helper()
	_, out, _ := call(nil, line...)
	var answer struct {
		Sources  []struct{ Path string }
		Proofs   []struct{ Name string }
		Findings []struct {
			Found    string
			Evidence []struct{ Source string }
		}
	}
	must.Do(t, json.Unmarshal([]byte(out), &answer))
	all := map[string]string{}
	for _, s := range answer.Sources {
		all[nameIn(dir, s.Path)] = wasRead
	}
	for _, f := range answer.Findings {
		for _, e := range f.Evidence {
			all[nameIn(dir, e.Source)] = f.Found
		}
	}
	if len(answer.Sources) != 1 { // all files have one content
		t.Errorf("%d sources", len(answer.Sources))
	}
	for _, name := range []string{"x.json", "hard", "line\nfeed\x1b[2J\ufffd", "a/b/c/d/e/f/g/h/deep"} {
		all[name] = wasRead
	}
	return all
}

// ofPlan returns the answers in a plan, by name.
func ofPlan(t *testing.T, dir string, paths ...string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plan")
	code, _, errs := call(nil, append([]string{"plan", "--parts", "2", "--out", file}, paths...)...)
	must.That(t, code == 0, "exit code %d, %s", code, errs)
	b := must.Get(os.ReadFile(file))(t)
	var plan struct {
		Sources []struct{ Names []struct{ Given string } }
		Unread  []struct{ Path, Detail string }
	}
	must.Do(t, json.Unmarshal(b, &plan))
	all := map[string]string{}
	for _, s := range plan.Sources {
		for _, n := range s.Names {
			all[nameIn(dir, n.Given)] = wasRead
		}
	}
	for _, u := range plan.Unread {
		all[nameIn(dir, u.Path)] = u.Detail
	}
	return all
}

// TestManyPaths: very many files in one folder are read in order, with bounded memory.
func TestManyPaths(t *testing.T) {
	n := chance.Sized(10_000, 500) // a folder is read in steps of 1,024 names
	dir := t.TempDir()
	for i := range n {
		must.Do(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%06d", i)), nil, 0o600))
	}
	base := t.TempDir()
	must.Do(t, scenes()["issued"].Write(base))
	got := ofRecords(t, dir, "verify", "--trust", filepath.Join(base, "trust.json"), dir)
	check.That(t, len(got) == n, "%d of %d files", len(got), n)
}
