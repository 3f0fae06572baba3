//go:build linux && heavy

package ingest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestMemoryIsFlat: an ingest of 150,000 events, 135 MB, stays far below the memory of a small
// machine, everything counted: Go's heap, the engine's own memory, the program itself.
func TestMemoryIsFlat(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(os.Create(filepath.Join(dir, "journal")))(t)
	out := bufio.NewWriter(f)
	for part := range 15 { // so that not all of it is in memory here
		out.Write(file(journal("node/"+strings.Repeat("n", part+1), 10_000, uint64(part))))
	}
	must.Do(t, out.Flush())
	must.Do(t, f.Close())
	path := filepath.Join(dir, "case.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{"whole", path, f.Name()}, "\n"))
	said, err := cmd.CombinedOutput()
	must.That(t, err == nil, "%v: %s", err, said)
	got := len(lines(t, path, "node/nnn"))
	check.That(t, got == 10_000, "%d events of a log, want 10,000", got)
	// The system's report on a child that ended includes the memory that this process held
	// when the child began.
	found := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`).FindSubmatch(said)
	must.That(t, found != nil, "no peak in %s", said)
	const bound = 256 << 10 // KiB
	peak := must.Get(strconv.Atoi(string(found[1])))(t)
	t.Logf("peak: %d MiB", peak>>10)
	check.That(t, peak <= bound, "the ingest took %d KiB, want at most %d", peak, bound)
}
