//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svc-edge/svc-verify/trust"
)

// stageEnv names the stage that a process is to run or to measure.
const stageEnv = "SVC_VERIFY_BENCH_STAGE"

// usage is the time and memory that the processes of a stage used together in one round.
type usage struct {
	CPU  time.Duration // user and system, all threads
	Wall time.Duration
	Peak int64 // the largest resident memory of one, KiB
}

// evidence is a folder of evidence, and the usage of the stages that read it.
type evidence struct {
	settings
	dir   string
	count int // of events, bundles or objects: figures are for each of them

	mutex sync.Mutex
	round int
	used  map[string][]usage // by stage
}

func newEvidence(s settings, size int) *evidence {
	dir := filepath.Join(s.dir, strconv.Itoa(size))
	return &evidence{settings: s, dir: dir, count: size, used: map[string][]usage{}}
}

func (e *evidence) file(name string) string { return filepath.Join(e.dir, name) }
func (e *evidence) trust() string           { return e.file("trust.json") }

func (e *evidence) root() (*trust.Root, error) {
	doc, err := os.ReadFile(e.trust())
	if err != nil {
		return nil, err
	}
	return trust.Parse(doc)
}

// note adds the usage of a process to its stage in this round.
func (e *evidence) note(stage string, u usage) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for len(e.used[stage]) <= e.round {
		e.used[stage] = append(e.used[stage], usage{})
	}
	sum := &e.used[stage][e.round]
	sum.CPU, sum.Wall, sum.Peak = sum.CPU+u.CPU, sum.Wall+u.Wall, max(sum.Peak, u.Peak)
}

// command is a command of svc-verify.
func (e *evidence) command(args ...string) []string {
	return append([]string{filepath.Join(e.settings.dir, program)}, args...)
}

// run runs a command of svc-verify, and returns its standard output.
func (e *evidence) run(stage string, args ...string) ([]byte, error) {
	return e.measured(stage, nil, e.command(args...)...)
}

// measured runs a command, and records its usage. Without a command it runs the function of
// the stage in a process of its own. The process between them is small: Linux reports for a
// process at least the memory of the one that started it.
func (e *evidence) measured(stage string, write func(io.Writer) error, command ...string) ([]byte, error) {
	report, reported, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer report.Close()
	cmd := exec.Command(os.Args[0],
		append([]string{e.dir, strconv.Itoa(e.count)}, command...)...) // #nosec G204 G702 -- this very program
	cmd.Env = append(os.Environ(), stageEnv+"="+stage, "XDG_STATE_HOME="+e.file("home"), "TMPDIR="+e.dir)
	cmd.ExtraFiles = []*os.File{reported}
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	var in io.WriteCloser
	if write != nil {
		if in, err = cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(cmd.Start(), reported.Close()); err != nil {
		return nil, err
	}
	if write != nil {
		err = errors.Join(write(in), in.Close())
	}
	var u usage
	if err = errors.Join(err, cmd.Wait()); err != nil {
		err = fmt.Errorf("stage %s: %w: %s", stage, err, &faults)
	}
	if fault := json.NewDecoder(report).Decode(&u); fault != nil {
		return nil, errors.Join(err, fault)
	}
	e.note(stage, u)
	return out.Bytes(), err
}

// runStage runs the command of a stage, or its function, and reports its usage to the process
// that measures.
func runStage(stage string, args []string) error {
	if len(args) > 2 {
		return measureCommand(args[2:])
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	m := &meter{wall: time.Now()}
	if err := functions[stage](&evidence{dir: args[0], count: count}, m); err != nil {
		return err
	}
	return writeUsage(usage{cpuTime(syscall.RUSAGE_SELF) - m.from, time.Since(m.wall), peakMemory()})
}

func measureCommand(command []string) error {
	cmd := exec.Command(command[0], command[1:]...) // #nosec G204 G702 -- made by this program
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	peak := resourceUse(syscall.RUSAGE_CHILDREN).Maxrss
	return errors.Join(err, writeUsage(usage{cpuTime(syscall.RUSAGE_CHILDREN), time.Since(start), peak}))
}

// writeUsage writes the usage of a stage to the first file after the standard ones.
func writeUsage(u usage) error { return json.NewEncoder(os.NewFile(3, "report")).Encode(u) }

// meter lets a function say from when on its time counts: else from the start of its
// process.
type meter struct {
	from time.Duration // of CPU time
	wall time.Time
}

func (m *meter) start() { m.from, m.wall = cpuTime(syscall.RUSAGE_SELF), time.Now() }

// cpuTime is the CPU time of this process, or of those that it has waited for.
func cpuTime(who int) time.Duration {
	u := resourceUse(who)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func resourceUse(who int) (u syscall.Rusage) {
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return u
}

// peakMemory is the largest resident size that this process has had, in KiB.
func peakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status") // Linux always has it
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := append(strings.Fields(rest), "")
	peak, _ := strconv.ParseInt(fields[0], 10, 64)
	return peak
}
