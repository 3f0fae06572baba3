//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
)

// The sizes are small, so that a run of all benchmarks of the tree waits little for these.
var (
	events  = flag.Int("events", 2000, "how many `events` a journal, or all parts, have")
	bundles = flag.Int("bundles", 40, "how many `bundles` are verified")
	parts   = flag.Int("parts", 2, "into how many `parts` evidence is divided")
	hard    = flag.Int("hard", 40, "how many `pieces` a hard input has")
)

// betweenEnv names the process between a benchmark and the measured program. It is small: Linux
// reports for a process at least the memory of the one that started it.
const betweenEnv = "SVC_VERIFY_BENCH_BETWEEN"

// scratch has the program and the evidence.
var scratch string

func TestMain(m *testing.M) {
	if os.Getenv(betweenEnv) != "" {
		os.Exit(runBetween(os.Args[1:]))
	}
	flag.Parse()
	scratch = must.Have(os.MkdirTemp("", "svc-verify-bench-"))
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// usage is what a process used: CPU time of user and system, and its largest resident memory in KiB.
type usage struct {
	CPU, Wall time.Duration
	Peak      int64
}

// usedBy returns what this process, or those that it has waited for, used since the start.
func usedBy(who int, start time.Time) usage {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return usage{time.Duration(u.Utime.Nano() + u.Stime.Nano()), time.Since(start), u.Maxrss}
}

// runBetween runs a command, and reports its usage.
func runBetween(command []string) int {
	start, code := time.Now(), 0
	cmd := exec.Command(command[0], command[1:]...) // #nosec G204 G702 -- made by this program
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		code = max(cmd.ProcessState.ExitCode(), 1)
	}
	must.Have(0, json.NewEncoder(os.NewFile(3, "report")).Encode(usedBy(syscall.RUSAGE_CHILDREN, start)))
	return code
}

// program returns the path of svc-verify, which it builds once.
var program = sync.OnceValue(func() string {
	path := filepath.Join(scratch, "svc-verify")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/svc-verify").CombinedOutput() // #nosec G204
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, out))
	}
	return path
})

// call is one run of svc-verify.
type call struct {
	args []string
	env  []string
	in   io.Reader
	exit []int // the exit codes that are right; only 0 without any
}

// run runs svc-verify, and returns its standard output and its usage.
func (c call) run(b *testing.B) (answer []byte, used usage) {
	b.Helper()
	report, reported := must.Two(os.Pipe())(b)
	defer report.Close()
	cmd := exec.Command(os.Args[0], append([]string{program()}, c.args...)...) // #nosec G204 -- this very program
	cmd.Env = append(append(os.Environ(), betweenEnv+"=1", "XDG_STATE_HOME="+filepath.Join(scratch, "home"),
		"TMPDIR="+scratch), c.env...)
	cmd.ExtraFiles, cmd.Stdin = []*os.File{reported}, c.in
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	must.Do(b, cmd.Start(), reported.Close())
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 && c.exit == nil || c.exit != nil && !slices.Contains(c.exit, code) {
		b.Fatalf("%q: %v: %s %s", c.args, err, &faults, &out)
	}
	must.Do(b, json.NewDecoder(report).Decode(&used))
	return out.Bytes(), used
}

// stage is a benchmark of one command, whose costs are for each of count things. Before is what
// makes its evidence, and answered looks at the answer.
func stage(b *testing.B, name string, count int, before func(), c call, answered func(b *testing.B, answer []byte)) {
	b.Run("stage="+name, func(b *testing.B) {
		var sum usage
		for range b.N {
			if before != nil {
				before()
			}
			answer, used := c.run(b)
			sum = usage{sum.CPU + used.CPU, sum.Wall + used.Wall, max(sum.Peak, used.Peak)}
			if answered != nil {
				answered(b, answer)
			}
		}
		reportUsage(b, sum, count*b.N)
		b.ReportMetric(float64(sum.Peak)/1024, "peak-MiB")
	})
}

// inProcess is a benchmark of a function of this program.
func inProcess(b *testing.B, name string, count int, work func() error) {
	b.Run("stage="+name, func(b *testing.B) {
		before := usedBy(syscall.RUSAGE_SELF, time.Now())
		start := time.Now()
		for range b.N {
			must.Do(b, work())
		}
		used := usedBy(syscall.RUSAGE_SELF, start)
		reportUsage(b, usage{used.CPU - before.CPU, used.Wall, 0}, count*b.N)
	})
}

func reportUsage(b *testing.B, used usage, count int) {
	b.ReportMetric(float64(used.CPU.Microseconds())/float64(count), "cpu-µs/one")
	b.ReportMetric(float64(used.Wall.Microseconds())/float64(count), "wall-µs/one")
	b.ReportMetric(0, "ns/op") // of the evidence too
}

// removeDatabase removes a file of SQLite and those next to it, if they are there.
func removeDatabase(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
