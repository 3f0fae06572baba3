//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// perTransaction is how many bundles of each transaction a stream has, at as many
// checkpoints: to issue another certificate takes ten times as long as to export
// the bundle of one.
const perTransaction = 10

// measureStream has the program verify bundles from its standard input while they
// are made, so that they take no room on the disk, and prints its memory.
func measureStream(w io.Writer, dir string, count int) (err error) {
	e := evidence{dir: filepath.Join(dir, "stream"), events: count}
	defer func() { err = errors.Join(err, os.RemoveAll(e.dir)) }()
	o, err := newOffice(perTransaction)
	if err != nil {
		return err
	}
	err = errors.Join(os.MkdirAll(e.dir, 0o750), os.WriteFile(e.trust(), seal.Canonical(o.Trust()), 0o600), e.build())
	if err != nil {
		return err
	}
	cmd := exec.Command(e.program(), "verify", "--status", "any", "--trust", e.trust(),
		"--temp-dir", e.dir, "--output", "json",
		"-") // #nosec G204 -- made here
	var answer bytes.Buffer
	cmd.Stdout, cmd.Stderr = &answer, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewWriter(in)
	made, disk := 0, int64(0)
	err = o.bundles(count, func(document []byte) error {
		if made++; made%1000 == 0 || made == count {
			disk = max(disk, onDisk(cmd.Process.Pid, e.dir))
		}
		_, err := lines.Write(append(document, '\n'))
		return err
	})
	if err := errors.Join(err, lines.Flush(), in.Close(), cmd.Wait()); err != nil {
		return err
	}
	var summary batch.Summary
	if err := json.Unmarshal(answer.Bytes(), &summary); err != nil {
		return err
	}
	if summary.Entries.Verified != int64(count) {
		return fmt.Errorf("expected %d verified bundles, found %+v", count, summary.Entries)
	}
	used := cmd.ProcessState
	fmt.Fprintf(w, "%d bundles from a stream: %.0f µs of CPU and %.0f octets on disk each, %d MiB of memory\n", count,
		float64((used.UserTime()+used.SystemTime()).Microseconds())/float64(count), float64(disk)/float64(count),
		used.SysUsage().(*syscall.Rusage).Maxrss/1024)
	return nil
}

// onDisk is the size of the files below a folder that a process has open, those
// without a name included.
func onDisk(pid int, dir string) (octets int64) {
	open := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(open) // none of a process that has ended
	for _, entry := range entries {
		path := filepath.Join(open, entry.Name())
		name, _ := os.Readlink(path)
		if info, err := os.Stat(path); err == nil && strings.HasPrefix(name, dir) {
			octets += info.Size()
		}
	}
	return octets
}
