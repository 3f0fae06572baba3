package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// moreFileCommands are fileCommands with the flags that those lack, and in the place of
// unfitCommands, in which other files than the missing one would be refused.
var (
	moreFileCommands = []string{
		"archive verify --seal-trust <seal-trust.json --ledger @ledger <s.seal archive",
		"archive verify --seal-trust <seal-trust.json --revocation <names <s.seal",
		"archive verify --seal-trust <seal-trust.json --algorithms <names <s.seal",
		"archive seal --seal-trust <seal-trust.json --algorithms <names --request >new.tsq <s.seal",
		"archive seal --seal-trust <seal-trust.json --algorithms <names --request >new.tsq <s.seal",
		"archive seal --seal-trust <seal-trust.json --leaves <s.seal.leaves --request >new.tsq <s.seal archive",
		"archive seal --ledger @ledger --key <seal.key --trust <trust.json --previous <s.seal --out >new.seal archive",
		"verify --trust <trust.json --certificate <certificates/tx-2026-0001.pem ~bundle.json",
		"verify --trust <trust.json --expect-digests <digests ~bundle.json",
		"show findings @case.db --certificate <certificates/tx-2026-0001.pem",
		"show events @case.db --certificate <certificates/tx-2026-0001.pem",
		"timeline @case.db --certificate <certificates/tx-2026-0001.pem",
		"export @case.db --log tenant/acme-corp --certificate <certificates/tx-2026-0001.pem",
		"affected @case.db node/mesh-oslo-1:1.. --trust <trust.json --certificate <certificates/tx-2026-0001.pem",
		"pack @case.db --trust <trust.json --certificate <certificates/tx-2026-0001.pem --out >new.pack",
		"trust init --audit-key a=./part.key --signer-key b=./part.key --node c=./part.key --registry 1=./part.key",
		"trust lint --known <digests <trust.json",
		"schema validate --schema trust <trust.json",
		"trust lint --beside <old.json <trust.json",
		"trust history --add <trust.json --seal-trust <seal-trust.json --key <seal.key --by A --reason B history",
		"show crosscheck @case.db --trust <trust.json --evidence <bundle.json",
		"part --trust <trust.json --out >new.part ~tenant.ndjson journals",
		"part --trust <trust.json --out >new.part --from-file <names journals",
		"check --trust <trust.json --from-file <names journals",
		"ingest @new.db --from-file <names journals",
		"check --trust <trust.json --format <names journals",
		"ingest @new.db --format <names journals",
		"plan --parts 2 --out >new.plan --from-file <names journals",
		"receive new.db --listen 127.0.0.1:0 --tls-cert <server.pem --tls-key <server.key --client-ca <ca.pem",
	}
	unfitCommands = []string{"verify --trust <trust.json --expect-digests <names", "trust init", "receive"}
)

// withoutPaths are the commands that read no file that is named.
var withoutPaths = []string{"explain", "schema", "version"}

// readValues are the values in the help of flags that name inputs, and writtenFlags are the
// flags among them that name outputs.
var (
	readValues = []string{"FILE", "LEDGER", "TRUST", "SEAL", "PROOF", "PEM", "LIST", "PLAN", "BUNDLE", "DIR", "KEYFILE",
		"ID=SOURCE", "GENERATION=SOURCE"}
	writtenFlags = []string{"out", "tar", "request", "temp-dir", "base", "save-contradictions"}
)

// allFileCommands returns the lines of fileCommands and moreFileCommands.
func allFileCommands() []string {
	lines := slices.Clone(moreFileCommands)
	for _, c := range fileCommands {
		if !slices.ContainsFunc(unfitCommands, func(u string) bool { return strings.HasPrefix(c.line, u) }) {
			lines = append(lines, c.line)
		}
	}
	return lines
}

// TestEveryPathIsTried: the lines have every command that accepts a path, with every flag that
// accepts one.
func TestEveryPathIsTried(t *testing.T) {
	lines := allFileCommands()
	var tried func(name string, all []*cliapp.Command)
	tried = func(name string, all []*cliapp.Command) {
		for _, c := range all {
			name := strings.TrimSpace(name + " " + c.Name)
			tried(name, c.Commands)
			if len(c.Commands) > 0 || slices.Contains(withoutPaths, name) {
				continue
			}
			has := func(word string) bool {
				return slices.ContainsFunc(lines, func(line string) bool {
					return strings.HasPrefix(line, name+" ") && strings.Contains(line, word)
				})
			}
			check.That(t, has(""), "%s: no line has it", name)
			for _, f := range c.Flags {
				if slices.Contains(readValues, f.Value) && !slices.Contains(writtenFlags, f.Name) && !has(" --"+f.Name+" ") {
					t.Errorf("%s: no line has --%s %s", name, f.Name, f.Value)
				}
			}
		}
	}
	tried("", newProgram().Commands)
}

// mayBeMissing reports whether a word names a path that is made if it is not there, or that
// may be gone: a ledger shows that its archive was there.
func mayBeMissing(args []string, i int) bool {
	if i == 1 && (args[0] == "ingest" || args[0] == "receive") {
		return true // a case
	}
	switch args[i-1] {
	case "--out", "--tar", "--request":
		return true
	case "export":
		return args[0] == "conformance"
	case "--ledger":
		return args[0] == "archive" && args[1] == "check"
	case "check":
		return args[0] == "archive"
	}
	return strings.HasPrefix(strings.Join(args, " "), "trust history --add") && i == len(args)-1
}

// TestMissingPaths: a path that was named and is not there ends every command with 2 and
// one line that names it, before anything is written.
func TestMissingPaths(t *testing.T) {
	dir := fileScene(t)
	t.Chdir(dir)
	digests := []byte(strings.Repeat("0", 64) + "  bundle.json\n")
	must.Do(t, os.WriteFile("digests", digests, 0o600))
	testca.New("ca").Files(dir)
	before := filesAndSizes(t, dir)
	for _, line := range allFileCommands() {
		args, _ := openedBy(line)
		for i, word := range args {
			start := strings.LastIndexAny(word, "=") + 1
			path := strings.TrimPrefix(word[start:], "./")
			if _, err := os.Lstat(path); err != nil || i == 0 || mayBeMissing(args, i) {
				continue
			}
			changed := slices.Clone(args)
			changed[i] = strings.Replace(word, path, "nowhere/"+path, 1)
			missing(t, changed, "nowhere/"+path)
			after := filesAndSizes(t, dir)
			must.That(t, after == before, "%q: it left files behind:\n%s\nbefore:\n%s", changed, after, before)
		}
	}
}

// missing runs a command with a path that is not there.
func missing(t *testing.T, args []string, path string) {
	t.Helper()
	code, stdout, stderr := call(nil, args...)
	first, rest, _ := strings.Cut(stderr, "\n")
	check.That(t, (rest == "" || strings.HasPrefix(rest, "Run '")) && strings.Count(rest, "\n") <= 1,
		"%q: more than one line:\n%s", args, stderr)
	check.That(t, code == cliapp.ExitFailure && stdout == "" && strings.Contains(first, path),
		"%q: exit %d, %q does not name %s\n%s", args, code, first, path, stdout)
}

// filesAndSizes names all files below a folder, with their sizes.
func filesAndSizes(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			fmt.Fprintln(&all, path, info.Size())
		}
		return err
	}))
	return all.String()
}
