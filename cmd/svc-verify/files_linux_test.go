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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// fileCommands are the commands with every file that they open: <FILE is read, and is needed;
// ~FILE is evidence, whose faults are a result; >FILE is written; @FILE is a case or ledger,
// with files next to it. With a sign and a space a file is opened that is not named. The
// number is the exit code where nothing is in the place of a file.
var fileCommands = []struct {
	code int
	line string
}{
	{0, "--evidence <bundle.json --trust <trust.json --certificate <certificates/tx-2026-0001.pem"},
	{0, "inspect <bundle.json"},
	{1, "verify --trust <trust.json --from-file <names --expect-transactions <names --report json=>r.json ~bundle.json"},
	{2, "verify --trust <trust.json --expect-digests <names ~bundle.json"},
	{1, "verify --contradiction --trust <trust.json <bundle.json"},
	{0, "conformance export >new.tar"},
	{0, "conformance run --corpus <corpus.tar"},
	{0, "conformance mutate --count 2 --out >new.tar"},
	{1, "trust lint <trust.json"},
	{0, "trust show <trust.json"},
	{0, "schema validate <trust.json"},
	{0, "trust diff <trust.json <old.json"},
	{0, "trust diff --replay archive --ledger @ledger <trust.json <old.json"},
	{2, "trust init --audit-key a=./<names --signer-key b=./<bundle.json --node c=./<names " +
		"--registry 1=./<names"},
	{0, "trust history --add <trust.json --key <seal.key --by A --reason B history < history/history.ndjson"},
	{0, "trust history --seal-trust <seal-trust.json --trust <trust.json history < history/history.ndjson"},
	{0, "check --trust <trust.json --report json=>r.json ~tenant.ndjson journals"},
	{0, "ingest @case.db ~tenant.ndjson journals"},
	{0, "walk @case.db --trust <trust.json"},
	{0, "show findings @case.db --trust <trust.json"},
	{0, "show gaps @case.db"},
	{3, "show batches @case.db"},
	{0, "show events @case.db"},
	{0, "timeline @case.db"},
	{0, "show event @case.db --log tenant/acme-corp --sequence 1"},
	{0, "show crosscheck @case.db --trust <trust.json"},
	{0, "certificates @case.db --trust <trust.json --all"},
	{3, "affected @case.db node/mesh-oslo-1:1.. --trust <trust.json"},
	{0, "pack @case.db --trust <trust.json --where true --out >a.pack"},
	{0, "note @case.db"},
	{3, "note @case.db tenant/acme-corp:1"},
	{0, "note @case.db tenant/acme-corp:1 --text a"},
	{3, "changes @case.db"},
	{0, "report @case.db --trust <trust.json"},
	{0, "export @case.db --log tenant/acme-corp"},
	{2, "receive case.db --listen 127.0.0.1:0 --tls-cert <names --tls-key <part.key --client-ca <names"},
	{0, "plan --parts 1 --out >new.plan ~tenant.ndjson journals"},
	{0, "part --trust <trust.json --plan <plan --index 0 --part-key <part.key --out >new.part"},
	{0, "inspect --part-key <part.key <a.part"},
	{0, "join --part-key <part.key --out >new.part <a.part"},
	{0, "conclude --trust <trust.json --plan <plan --part-key <part.key <a.part"},
	{0, "archive check archive --ledger @ledger --trust <trust.json --report json=>r.json ~ archive/1.json"},
	{2, "archive accept --ledger @ledger --by A --reason B --digest " + strings.Repeat("0", 64) + " 1.json"},
	{0, "archive log --ledger @ledger"},
	{0, "archive status --ledger @ledger"},
	{2, "archive log --ledger @ledger --since 1 --until 2 --objects"},
	{0, "archive export --premis --ledger @ledger --out >new.xml"},
	{0, "archive export archive --ledger @ledger --trust <trust.json --seal <s.seal --out new.bag < archive/1.json"},
	{0, "archive compare archive bag/data --ledger @ledger --trust <trust.json ~ archive/1.json ~ bag/data/1.json"},
	{0, "archive verify bag --trust <trust.json --report json=>r.json ~ bag/data/1.json ~ bag/bagit.txt " +
		"~ bag/manifest-sha512.txt ~ bag/bag-info.txt"},
	{0, "archive verify <bag.tar"},
	{0, "archive key <seal.key --from 2026-01-01 --until 2030-01-01"},
	{0, "archive seal --ledger @ledger --key <seal.key --trust <trust.json --out new.seal archive < archive/1.json"},
	{0, "archive prove --leaves <s.seal.leaves --out >new.proof <s.seal 1.json"},
	{0, "archive verify --seal-trust <seal-trust.json <proof <archive/1.json"},
	{0, "archive verify --seal-trust <seal-trust.json --leaves <s.seal.leaves <s.seal archive ~ archive/1.json"},
	{0, "archive seal --seal-trust <seal-trust.json --request >new.tsq <s.seal"},
	{2, "archive seal --seal-trust <seal-trust.json --token <names " +
		"--certificates <certificates/tx-2026-0001.pem --algorithms <names <s.seal"},
	{2, "archive seal --seal-trust <seal-trust.json --revocation <names --request >new.tsq <s.seal"},
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
	for number, c := range fileCommands {
		if testing.Short() && number%4 != 0 {
			continue
		}
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			args, files := openedBy(c.line)
			code, _ := runFiles(t, copyScene(t, master), args)
			check.That(t, code == c.code, "it ended with %d, want %d", code, c.code)
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
