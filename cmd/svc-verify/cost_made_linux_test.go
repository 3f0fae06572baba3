//go:build heavy

package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/must"
)

// onMade are the commands on the output of other commands. They run in the folder that
// [makeAll] fills.
var onMade = []costCommand{
	{"join", "", "join --out OUT a.part b.part"},
	{"conclude", "", "conclude --trust trust.json a.part b.part"},
	{"describe a part", "", "inspect a.part"},
	{"archive seal", "", "archive seal --ledger ledger --key key --trust trust.json --out OUT archive"},
	{"archive verify", "", "archive verify --seal-trust pins.json seal archive"},
	{"archive prove", "", "archive prove --out OUT seal f000001"},
	{"archive verify", "", "archive verify bag"},
	{"archive log", "", "archive log --ledger ledger"},
	{"archive status", "", "archive status --ledger ledger"},
	{"archive log --objects", "", "archive log --ledger ledger --since 1 --until 2 --objects"},
	{"trust diff", "", "trust diff trust.json many.json"},
	{"trust history", "", "trust history --seal-trust pins.json history"},
	{"trust history --add", "", "trust history --add many.json --key key --by A --reason r --seal-trust pins.json " +
		"history"},
}

// makeAll makes n times as much of everything that these commands read.
func makeAll(t *testing.T, g genuine, n int) (dir string, octets int64) {
	t.Helper()
	dir = t.TempDir()
	m := workshop{t, dir}
	for i, name := range []string{"a", "b"} {
		m.write(name+"/x", events(g, n*60, func(_, body map[string]any, k int) { body["sequence"] = 1 + i + 3*k }))
	}
	doc := must.Get(os.ReadFile(g.trust))(t)
	m.write("trust.json", doc)
	m.write("many.json", manyNodes(t, doc, n*300))
	m.must("part --trust @trust.json --out @a.part @a")
	m.must("part --trust @trust.json --out @b.part @b")
	m.archive(n)
	for i := range n * 10 {
		m.must("trust history --add @trust.json --key @key --by A --reason r --seal-trust @pins.json --from " +
			fmt.Sprintf("2026-01-%02d @history", i+1))
	}
	for _, content := range must.FilesBelow(t, dir) {
		octets += int64(len(content)) + ofFile
	}
	return dir, octets
}

// workshop makes files in a folder.
type workshop struct {
	t   *testing.T
	dir string
}

func (m workshop) write(name string, b []byte) {
	m.t.Helper()
	must.WriteFile(m.t, filepath.Join(m.dir, name), b)
}

// must runs a command line that has to do its work, with @ for the folder.
func (m workshop) must(line string) string {
	m.t.Helper()
	args := strings.Fields(line)
	for i, a := range args {
		if name, ours := strings.CutPrefix(a, "@"); ours {
			args[i] = filepath.Join(m.dir, name)
		}
	}
	code, stdout, stderr := call(nil, args...)
	must.That(m.t, code != cliapp.ExitFailure, "%s: exit code %d\n%s%s", line, code, stdout, stderr)
	return stdout
}

// archive makes an archive with a ledger of two runs, a seal and a bag.
func (m workshop) archive(n int) {
	m.t.Helper()
	for name, b := range many(n*200, func(i int) string { return fmt.Sprintf("note %d\n", i) }) {
		m.write("archive/"+name, b)
	}
	m.must("archive check --ledger @ledger --trust @trust.json --at 2026-01-05T00:00:00Z @archive")
	for name, b := range many(n*100, func(i int) string { return fmt.Sprintf("new note %d\n", i) }) {
		m.write("archive/new-"+name, b)
	}
	m.must("archive check --ledger @ledger --trust @trust.json --at 2026-02-05T00:00:00Z @archive")
	m.must("archive key @key --new --by A")
	m.write("pins.json", []byte(m.must("archive key @key --from 2026-01-01")))
	m.must("archive seal --ledger @ledger --key @key --trust @trust.json --out @seal @archive")
	m.must("archive export --ledger @ledger --trust @trust.json --seal @seal --out @bag @archive")
}

// manyNodes is a trust file with so many more nodes.
func manyNodes(t *testing.T, doc []byte, n int) []byte {
	t.Helper()
	all := must.Get(seal.Parse(doc))(t)
	nodes := seal.Member(all, "nodes")
	for i := range n {
		seed := sha256.Sum256(fmt.Append(nil, i))
		nodes[fmt.Sprintf("node-%d", i)] = seal.Base64(ed25519.NewKeyFromSeed(seed[:]).Public().(ed25519.PublicKey))
	}
	return seal.Canonical(all)
}

// TestCostOfMade is [TestCost] for parts, archives, seals, bags, ledgers, trust files and
// their history.
func TestCostOfMade(t *testing.T) {
	g := genuineOf(t)
	start := costCommand{"start", "", "--version"}
	p := pair{idle: map[string]cost{}, trust: g.trust}
	p.dir, p.octets = makeAll(t, g, 1)
	p.dir2, p.octets2 = makeAll(t, g, 2)
	for _, c := range onMade {
		p.idle[c.name] = start.run(t, p.dir, g.trust)
		if used := c.run(t, p.dir, g.trust); used.Code == cliapp.ExitFailure {
			t.Errorf("%s failed, expected that it does its work", c.name)
		}
		p.hold(t, c)
	}
}
