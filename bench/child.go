//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// childEnv names the stage that a process is to run. Every stage has a process
// of its own, so that its CPU time and its peak memory are its own too.
const childEnv = "SVC_VERIFY_CASEBENCH_STAGE"

// profileEnv is a folder in which every stage leaves a CPU profile.
const profileEnv = "SVC_VERIFY_CASEBENCH_PROFILES"

// usage is what one run of a stage took.
type usage struct {
	CPU  time.Duration // user and system, all threads
	Wall time.Duration
	Peak int64 // resident memory, KiB
}

// runStage runs a stage in a process of its own.
func (e evidence) runStage(name string) (usage, error) {
	var u usage
	cmd := exec.Command(os.Args[0], e.dir, strconv.Itoa(e.events),
		strconv.Itoa(e.stores)) // #nosec G204 G702 -- this very program
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &u)
	}
	if err != nil {
		return u, fmt.Errorf("stage %s: %w", name, err)
	}
	return u, nil
}

// child runs one stage in this process and says what it took.
func child(name string, args []string) error {
	events, err := strconv.Atoi(args[1])
	stores, err2 := strconv.Atoi(args[2])
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if dir := os.Getenv(profileEnv); dir != "" {
		f, err := os.Create(dir + "/" + name + ".pprof") // #nosec G304 G703 -- the developer names it
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	s, ok := stages[name]
	if !ok {
		return errors.New("no such stage")
	}
	m := &meter{wall: time.Now()}
	if err := s(evidence{dir: args[0], events: events, stores: stores}, m); err != nil {
		return err
	}
	peak, err := peakMemory()
	if err != nil {
		return err
	}
	peak = max(peak, rusage(syscall.RUSAGE_CHILDREN).Maxrss)
	return json.NewEncoder(os.Stdout).Encode(usage{cpuTime() - m.from, time.Since(m.wall), peak})
}

// meter lets a stage say from when on its time counts: else from the start of
// its process.
type meter struct {
	from time.Duration // of CPU time
	wall time.Time
}

func (m *meter) start() { m.from, m.wall = cpuTime(), time.Now() }

// cpuTime is the CPU time that this process and those it has waited for have used.
func cpuTime() time.Duration {
	own, children := rusage(syscall.RUSAGE_SELF), rusage(syscall.RUSAGE_CHILDREN)
	return time.Duration(own.Utime.Nano() + own.Stime.Nano() + children.Utime.Nano() + children.Stime.Nano())
}

func rusage(who int) (u syscall.Rusage) {
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return u
}

// peakMemory is the largest resident size that this process has had, in KiB.
// Linux carries ru_maxrss over from the parent, but not VmHWM.
func peakMemory() (int64, error) {
	peak := peakOf("self")
	if peak == 0 {
		return 0, errors.New("/proc/self/status: no VmHWM")
	}
	return peak, nil
}

// peakOf is the largest resident size of a process, in KiB, and 0 if there is none.
func peakOf(pid string) int64 {
	status, _ := os.ReadFile(filepath.Join("/proc", pid, "status")) // none of a process that has ended
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	fields := append(strings.Fields(rest), "")
	peak, _ := strconv.ParseInt(fields[0], 10, 64)
	return peak
}
