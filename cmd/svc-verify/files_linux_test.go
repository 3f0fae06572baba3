package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// fileCommand is a command with every file that it opens: <FILE is read, and is needed;
// ~FILE is evidence, whose faults are a result; >FILE is written; @FILE is a case or ledger,
// with files next to it. With a sign and a space a file is opened that is not named. The code is the
// exit code where nothing is in the place of a file, "-" for a line that only [TestMissingPaths] runs: it has a flag
// that the others lack.
type fileCommand struct{ code, line string }

// fileCommands reads the commands of testdata/files.txt.
func fileCommands(t *testing.T) (all []fileCommand) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile(filepath.Join("testdata", "files.txt")))(t))) {
		code, line, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, fileCommand{code, line})
	}
	return all
}

// fileScene makes a folder with all files of fileCommands.
func fileScene(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Get(harness.WriteScene("issued", 1, harness.Options{}, dir))(t)
	for from, to := range map[string]string{"svc-evidence-tx-2026-0001.json": "bundle.json", "trust.json": "old.json"} {
		octets, err := os.ReadFile(filepath.Join(dir, from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), octets, 0o600)
		}
		if err == nil && to == "bundle.json" {
			err = errors.Join(os.Mkdir(filepath.Join(dir, "archive"), 0o700),
				os.WriteFile(filepath.Join(dir, "archive", "1.json"), octets, 0o600))
		}
		must.Do(t, err)
	}
	for name, content := range map[string]string{"names": "bundle.json\n", "part.key": strings.Repeat("k", 32)} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for _, line := range []string{
		"ingest case.db tenant.ndjson journals", "walk case.db --trust trust.json",
		"plan --parts 1 --out plan tenant.ndjson journals",
		"part --trust trust.json --plan plan --index 0 --part-key part.key --out a.part",
		"conformance mutate --count 2 --out corpus.tar",
		"archive key seal.key --new --by office",
		"archive key seal.key --from 2026-01-01 --until 2030-01-01",
		"archive check archive --ledger ledger --trust trust.json",
		"archive seal --ledger ledger --key seal.key --trust trust.json --out s.seal archive",
		"archive prove --out proof s.seal 1.json",
		"archive export archive --ledger ledger --trust trust.json --out bag --tar bag.tar",
		"trust history --add trust.json --key seal.key --by A --reason B history",
	} {
		code, out := runFiles(t, dir, strings.Fields(line))
		must.That(t, code == 0, "%s: %d: %s", line, code, out)
		if strings.HasPrefix(line, "archive key seal.key --from") {
			must.Do(t, os.WriteFile(filepath.Join(dir, "seal-trust.json"), out, 0o600))
		}
	}
	return dir
}

// runFiles runs the program in a folder. One that waits for a file is stopped, and its
// code is -1.
func runFiles(t *testing.T, dir string, args []string) (code int, stdout []byte) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, "svc-verify", args...) // #nosec G204 -- this very program
	command.Dir = dir
	stdout, err := command.Output()
	var exit *exec.ExitError
	must.That(t, err == nil || errors.As(err, &exit), "%v", err)
	return command.ProcessState.ExitCode(), stdout
}

// openedFile is a file of a command line, with how it is opened.
type openedFile struct {
	sign byte
	name string
}

// openedBy removes the signs from a command line, and returns the files that it opens.
func openedBy(line string) (args []string, files []openedFile) {
	words := strings.Fields(line)
	for i := 0; i < len(words); i++ {
		at := strings.IndexAny(words[i], "<>~@")
		switch {
		case at < 0:
			args = append(args, words[i])
			continue
		case len(words[i]) == 1:
			i++
			files = append(files, openedFile{words[i-1][0], words[i]})
			continue
		}
		files = append(files, openedFile{words[i][at], words[i][at+1:]})
		args = append(args, words[i][:at]+words[i][at+1:])
	}
	return args, files
}

// others put something else in the place of a file. Outside is another file, with the same
// bytes.
var others = map[string]func(path, outside string) error{
	"hard link": func(path, outside string) error { return os.Link(outside, path) },
	"link":      func(path, outside string) error { return os.Symlink(outside, path) },
	"pipe":      func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	"zeros":     func(path, _ string) error { return os.Symlink("/dev/zero", path) },
	"full":      func(path, _ string) error { return os.Symlink("/dev/full", path) },
	"folder":    func(path, _ string) error { return os.Mkdir(path, 0o700) },
	"socket":    func(path, _ string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
	"sparse": func(path, _ string) error {
		return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
	},
}

// refused reports whether a command must fail with something in the place of a file.
func (f openedFile) refused(other string) bool {
	switch f.sign {
	case '>':
		return other != "hard link" && other != "sparse"
	case '<', '@':
		return other != "hard link" && other != "link" // a command that only asks follows them
	}
	return false
}

// TestFilesOfCommands: whatever is in the place of a file that a command opens,
// nothing outside is written, and nothing is waited for. Each file of a command meets every third
// thing, from another one on.
func TestFilesOfCommands(t *testing.T) {
	master := fileScene(t)
	for number, c := range fileCommands(t) {
		if c.code == "-" || testing.Short() && number%4 != 0 {
			continue
		}
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			args, files := openedBy(c.line)
			code, _ := runFiles(t, copyScene(t, master), args)
			check.Equal(t, strconv.Itoa(code), c.code, "exit code")
			for i, f := range files {
				if !slices.Contains(files[:i], f) {
					f.holdAll(t, master, args, number+i)
				}
			}
		})
	}
}

// holdAll runs a command with every third thing, from number on, in the place of a file, and
// of the files next to a case or ledger. With -short it is a pipe, and one thing for one of
// the files next to it.
func (f openedFile) holdAll(t *testing.T, master string, args []string, number int) {
	for i, other := range slices.Sorted(maps.Keys(others)) {
		written := f.sign == '>' || f.sign == '@'
		if other == "hard link" && !written || other == "full" && f.sign != '>' {
			continue // to a reader, a hard link is a file as any other, and full is zeros
		}
		if testing.Short() && other != "pipe" || !testing.Short() && (i+number)%3 != 0 {
			continue
		}
		f.hold(t, master, args, f.name, other, f.refused(other))
	}
	if f.sign != '@' {
		return
	}
	for i, suffix := range []string{"-wal", "-shm", "-journal", guard.LockSuffix} {
		for j, other := range []string{"hard link", "pipe"} {
			if at := (2*i + j + number) % 8; at == 0 || !testing.Short() && at%3 == 0 {
				f.hold(t, master, args, f.name+suffix, other, true)
			}
		}
	}
}

// hold runs a command with something in the place of a file.
func (f openedFile) hold(t *testing.T, master string, args []string, name, other string, refused bool) {
	t.Helper()
	dir, outside := copyScene(t, master), filepath.Join(t.TempDir(), "outside")
	octets, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		octets, err = []byte("evidence"), nil
	}
	if err == nil {
		err = os.WriteFile(outside, octets, 0o600)
	}
	path := filepath.Join(dir, name)
	must.Do(t, errors.Join(err, os.RemoveAll(path), others[other](path, outside)))
	code, out := runFiles(t, dir, args)
	what := fmt.Sprintf("%q with a %s for %s", args, other, name)
	switch {
	case code < 0:
		t.Errorf("%s: it did not end", what)
	case code == 0 && refused:
		t.Errorf("%s: it ended with 0: %.300s", what, out)
	}
	if after, err := os.ReadFile(outside); err != nil || sha256.Sum256(after) != sha256.Sum256(octets) {
		t.Errorf("%s: the file outside was changed, %v", what, err)
	}
}

// copyScene copies a scene. Its keys are its owner's alone.
func copyScene(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "scene")
	err := os.CopyFS(dir, os.DirFS(from))
	for _, key := range []string{"seal.key", "part.key"} {
		err = errors.Join(err, os.Chmod(filepath.Join(dir, key), 0o600))
	}
	must.Do(t, err)
	return dir
}
