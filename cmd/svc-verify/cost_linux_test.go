//go:build heavy

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var costs = flag.Bool("costs", false, "log what each command cost for each kind of input")

// command is a command line with IN for the folder of the input, X for its only file, TRUST
// and OUT. The preparation in before is run and not measured.
type costCommand struct {
	name, before, line string
}

// onDocuments are the commands on one document.
var onDocuments = []costCommand{
	{"verify", "", "--trust TRUST --evidence X"},
	{"contradiction", "", "verify --contradiction --trust TRUST X"},
	{"trust lint", "", "trust lint X"},
	{"inspect", "", "inspect X"},
	{"inspect", "", "inspect X"},
}

// onEvidence are the commands on evidence of any kind.
var onEvidence = []costCommand{
	{"check", "", "check --trust TRUST IN"},
	{"verify", "", "verify --trust TRUST IN"},
	{"ingest", "", "ingest OUT IN"},
	{"walk", "ingest OUT IN", "walk OUT --trust TRUST"},
	{"archive check", "", "archive check --ledger OUT --trust TRUST IN"},
	{"check --explain", "", "check --explain IN"},
	{"plan", "", "plan --parts 2 --out OUT IN"},
	{"part", "", "part --trust TRUST --out OUT IN"},
}

// everyKind is the index of the first command that is measured on every third kind of input only:
// check has read the others as they do.
const everyKind = 2

// run measures the command on an input that is in a folder.
func (c costCommand) run(t *testing.T, in, trust string) cost {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args := func(line string) []string {
		r := strings.NewReplacer("TRUST", trust, "OUT", out, "IN", in, "X", filepath.Join(in, "x"))
		all := strings.Fields(line)
		for i := range all {
			all[i] = r.Replace(all[i])
		}
		return all
	}
	if c.before != "" {
		call(nil, args(c.before)...)
	}
	command := exec.Command("measured", args(c.line)...)
	command.Env, command.Dir = append(os.Environ(), "GOMAXPROCS=1"), in
	b, err := command.Output()
	must.OK(t, err, "%s", c.name)
	var used cost
	must.Do(t, json.Unmarshal(b, &used))
	return used
}

// least returns the lower value of each of two measurements: the excess was other work of the
// machine.
func least(a, b cost) cost {
	return cost{min(a.CPU, b.CPU), min(a.Memory, b.Memory), max(a.Code, b.Code)}
}

// The tolerances of a measurement.
const (
	cpuSlack    = 30 * time.Millisecond
	memorySlack = 24 << 10
	factor      = 2.8 // for twice the input; a quadratic cost is four times as much
	attempts    = 8
)

// doubles reports whether the cost of twice the input is at most double, besides the cost of the
// command for nothing. The time of that is counted twice, as it is on a busy machine.
func doubles(idle, n, twice cost) bool {
	cpu := time.Duration(factor*float64(max(0, n.CPU-idle.CPU))) + 2*idle.CPU + cpuSlack
	memory := int64(factor*float64(max(0, n.Memory-idle.Memory))) + idle.Memory + memorySlack
	return twice.CPU <= cpu && twice.Memory <= memory
}

// The limits of docs/cli.md: for any input, and for each byte of it. CPU time is counted in
// [decoding], so that a slow machine fails nothing.
const (
	freeCPU     = 64 << 20
	cpuOfOctet  = 512
	freeMemory  = 512 << 20
	ofFile      = 1 << 10 // bytes that a file counts for in addition to its own
	mostOfOctet = 64      // bytes of memory
)

// costRows are the rows of the table in docs/cli.md that this test holds.
func costRows() []string {
	return []string{
		fmt.Sprintf("| CPU time | as for decoding %d MiB of small objects by `encoding/json`, and %v KiB for "+
			"each byte | `TestCost`, `TestBombs` |", freeCPU>>20, cpuOfOctet/1024.),
		fmt.Sprintf("| memory | %d MiB, and %d bytes for each byte | `TestCost`, `TestBombs` |", freeMemory>>20,
			mostOfOctet),
		fmt.Sprintf("| twice the input | at most twice the time and memory | `TestCost`, within a factor of %v |", factor),
		fmt.Sprintf("| a file | counts for %d bytes more; `archive check` examines each by itself | `TestCost` |",
			ofFile),
		fmt.Sprintf("| decompression | %d MiB, and %d bytes for each byte of the file | tests of "+
			"`forensics/read` |", read.FreeExpansion>>20, read.UsualExpansion),
		fmt.Sprintf("| decompressed content | a line or value counts for %d bytes more, an entry of `verify` for %d KiB | "+
			"`TestBombs` |", read.PerUnit, entry.PerEntry>>10),
	}
}

// TestCostTable: the document states the limits that [TestCost] checks.
func TestCostTable(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(docs, "cli.md")))(t)
	for _, row := range costRows() {
		check.That(t, strings.Contains(string(text), row+"\n"), "docs/cli.md: expected the row\n%s", row)
	}
}

// bounded reports whether a cost is within the documented limits for so many bytes.
func bounded(c cost, octets int64) bool {
	cpu, memory := float64(freeCPU+octets*cpuOfOctet)/(1<<20)*float64(decoding()), freeMemory+octets*mostOfOctet
	return float64(c.CPU) <= cpu && c.Memory<<10 <= memory
}

// put writes an input into a folder of its own.
func put(t *testing.T, f files) (dir string, octets int64) {
	t.Helper()
	dir = t.TempDir()
	for name, b := range f {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
		octets += int64(len(b)) + ofFile
	}
	return dir, octets
}

// TestCost runs every command on every kind of input, at n bytes and at 2n: CPU time and
// memory at most double, and are within the limits of docs/cli.md. It measures child
// processes, and again where other work may have disturbed it.
func TestCost(t *testing.T) {
	g := genuineOf(t)
	nothing, _ := put(t, one(""))
	idle := map[string]cost{}
	for _, c := range slices.Concat(onEvidence, onDocuments) {
		idle[c.name] = c.run(t, nothing, g.trust)
		for range attempts - 1 { // as often as the others may be measured: any excess here is missing there
			idle[c.name] = least(idle[c.name], c.run(t, nothing, g.trust))
		}
	}
	for i, input := range slices.Concat(plainInputs, genuineInputs, packedInputs, formatInputs) {
		t.Run(input.name, func(t *testing.T) {
			once := input.make(g, 1)
			p := pair{idle: idle, trust: g.trust}
			p.dir, p.octets = put(t, once)
			p.dir2, p.octets2 = put(t, input.make(g, 2))
			for j, c := range onEvidence {
				if j < everyKind || (i+j)%3 == 0 {
					p.hold(t, c)
				}
			}
			for j, c := range onDocuments {
				if (i+j)%3 == 0 && once["x"] != nil && i < len(plainInputs)+len(genuineInputs) { // they unpack nothing
					p.hold(t, c)
				}
			}
		})
	}
}

// pair is an input and twice as much of it.
type pair struct {
	idle            map[string]cost
	trust           string
	dir, dir2       string
	octets, octets2 int64
}

// hold measures a command on both.
func (p pair) hold(t *testing.T, c costCommand) {
	t.Helper()
	n, twice := c.run(t, p.dir, p.trust), c.run(t, p.dir2, p.trust)
	fits := func() bool {
		return doubles(p.idle[c.name], n, twice) && bounded(n, p.octets) && bounded(twice, p.octets2)
	}
	for try := 1; try < attempts && !fits(); try++ {
		n, twice = least(n, c.run(t, p.dir, p.trust)), least(twice, c.run(t, p.dir2, p.trust))
	}
	if !fits() {
		t.Errorf("%s: %d octets cost %v and %d KiB, and %d octets %v and %d KiB; nothing costs %v and %d KiB", c.name,
			p.octets, n.CPU, n.Memory, p.octets2, twice.CPU, twice.Memory, p.idle[c.name].CPU, p.idle[c.name].Memory)
	}
	if *costs {
		t.Logf("%-18s %9d %9d %v %d %v %d", c.name, p.octets, p.octets2, n.CPU.Round(time.Millisecond), n.Memory,
			twice.CPU.Round(time.Millisecond), twice.Memory)
	}
}

// TestBombs: a few thousand bytes that expand to millions of lines need no more than the free
// allowance, and none of the lines is verified. Each command is given one of two such files.
func TestBombs(t *testing.T) {
	const much = 300
	g := genuineOf(t)
	for n, name := range []string{"gzip", "gzip in gzip"} {
		dir, octets := put(t, []maker{gzipObjects, gzipNested}[n](g, much))
		must.That(t, octets <= 16<<10, "%s: %d octets are no bomb", name, octets)
		for i, c := range onEvidence {
			if i%2 != n {
				continue
			}
			got := c.run(t, dir, g.trust)
			for try := 1; try < attempts && !bounded(got, octets); try++ {
				got = least(got, c.run(t, dir, g.trust))
			}
			check.That(t, bounded(got, octets), "%s, %s: %v and %d KiB for %d octets", name, c.name, got.CPU, got.Memory, octets)
		}
		for _, c := range []string{"verify", "check"} {
			line := []string{c, "--trust", g.trust, dir}
			if c == "check" {
				line = append(line, "--full")
			}
			code, out, _ := call(nil, line...)
			check.That(t, code != exitVerified && strings.Contains(out, "expand"),
				"%s, %s: exit code %d, and no word of what was not read", name, c, code)
		}
	}
}
