package spark

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

func TestMain(m *testing.M) { fleet.Main(m) }

// events is how long the journal is whose parts take some seconds each.
var events = flag.Int("events", 400_000, "how many `events` the long journal has")

// bench is evidence with the verdict of one machine, and the real program.
type bench struct {
	program string
	trust   string
	key     string // of the parts; without one, the verdict also states that they are believed
	paths   []string
	verdict string // the output of walk
	code    int    // its exit code
}

// key makes a key of parts.
func key(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part.key")
	must(t, os.WriteFile(path, bytes.Repeat([]byte("k"), 32), 0o600))
	return path
}

// judge has one machine judge the evidence, by ingest and walk.
func (b *bench) judge(t *testing.T) {
	t.Helper()
	verdict, code := fleet.Walk(t, b.trust, b.paths...)
	b.verdict, b.code = string(verdict), code
}

// long makes the long journal.
func long(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	fleet.Run(t, 0, fleet.Tool(t, "svc-harness"), "scene", "--out", dir, "--events", fmt.Sprint(*events), "large")
	b := &bench{program: fleet.Tool(t, "svc-verify"), trust: filepath.Join(dir, "trust.json"), key: key(t),
		paths: []string{filepath.Join(dir, "tenant.ndjson"), filepath.Join(dir, "journals"),
			filepath.Join(dir, "svc-evidence-tx-2026-0001.json")}}
	b.judge(t)
	return b
}

// args returns the arguments of a run with so many parts, whose files go to a folder.
func (b *bench) args(shared string, parts int) []string {
	return append([]string{"--program", b.program, "--trust", b.trust, "--part-key", b.key, "--shared", shared,
		"--parts", fmt.Sprint(parts), "--width", "3"}, b.paths...)
}

// agrees fails the test unless a run gave the verdict of one machine.
func (b *bench) agrees(t *testing.T, r *running) {
	t.Helper()
	if out, code := r.end(t); out != b.verdict || code != b.code {
		t.Errorf("exit code %d, and output\n%s\nOne machine: %d\n%s\nSpark:\n%s", code, out, b.code, b.verdict,
			r.stderr.String())
	}
}

// equal fails the test unless each part is the one that the program writes by itself.
func (b *bench) equal(t *testing.T, shared string, parts int) {
	t.Helper()
	for i := range parts {
		alone := filepath.Join(t.TempDir(), "part")
		fleet.Run(t, 0, b.program, "part", "--plan", filepath.Join(shared, "plan.json"), "--index", fmt.Sprint(i), "--trust",
			b.trust, "--part-key", b.key, "--out", alone)
		if want, got := read(t, alone), read(t, part(shared, i)); !bytes.Equal(want, got) {
			t.Errorf("part %d differs from one that is written without Spark", i)
		}
	}
}

// part is where a run writes a part.
func part(shared string, index int) string {
	return filepath.Join(shared, "level-0", fmt.Sprintf("%06d.part", index))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return content
}

// leftOver returns the files of a run that are not whole.
func leftOver(t *testing.T, shared string) (found []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(shared, "level-*", "*"))
	must(t, err)
	hidden, err := filepath.Glob(filepath.Join(shared, "level-*", ".*"))
	must(t, err)
	for _, path := range append(all, hidden...) {
		if !strings.HasSuffix(path, ".part") {
			found = append(found, path)
		}
	}
	return found
}

// TestLost kills an executor in the middle: Spark tries its task again elsewhere, and the
// verdict is the same as on one machine. Then an attempt hangs: Spark starts another one,
// whose part replaces it, and ends the first.
func TestLost(t *testing.T) {
	c := start(t)
	b := long(t)
	t.Run("executor", func(t *testing.T) { c.losesExecutor(t, b) })
	t.Run("attempt", func(t *testing.T) { c.losesAttempt(t, b) })
}

func (c *cluster) losesExecutor(t *testing.T, b *bench) {
	const parts = 16
	shared := filepath.Join(t.TempDir(), "shared")
	r := c.submit(t, nil, b.args(shared, parts)...)
	r.meets(t, func() bool {
		for _, e := range c.executors() {
			if _, err := os.Stat(part(shared, 3)); err == nil && len(writing(e.id)) > 0 {
				return syscall.Kill(e.id, syscall.SIGKILL) == nil
			}
		}
		return false
	})
	b.agrees(t, r)
	if !r.stderr.has("Lost executor") {
		t.Error("Spark lost no executor")
	}
	b.equal(t, shared, parts)
}

func (c *cluster) losesAttempt(t *testing.T, b *bench) {
	const parts = 4
	shared := filepath.Join(t.TempDir(), "shared")
	r := c.submit(t, []string{"spark.speculation=true", "spark.speculation.quantile=0.5"}, b.args(shared, parts)...)
	var hangs process
	r.meets(t, func() bool {
		for _, e := range c.executors() {
			if found := writing(e.id); len(found) > 0 {
				hangs = found[0]
				return syscall.Kill(hangs.id, syscall.SIGSTOP) == nil
			}
		}
		return false
	})
	b.agrees(t, r)
	if !r.stderr.has("as speculatable") {
		t.Error("Spark started no second attempt")
	}
	b.equal(t, shared, parts)

	// It can act on its signal when it runs again.
	_ = syscall.Kill(hangs.id, syscall.SIGCONT)
	eventually(t, r.stderr.String, func() bool { return len(writing(hangs.id)) == 0 })
	if left := leftOver(t, shared); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}
