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
	"slices"
	"strconv"
	"sync"
	"time"
)

// throughNodes is how many journals there are beside the tenant log.
const throughNodes = 4

// joinWidth is how many parts are concluded from, or joined, at once. More than that
// are joined first: that costs about a third of what concluding does. Tests lower it.
var joinWidth = 1024

// through is evidence on its way into parts. It is written into the standard input of
// the workers, and takes no room on the disk.
type through struct {
	evidence
	journals []*quick
	tenant   *quick

	mutex sync.Mutex
	used  map[string][]usage // by command
	files []string           // the parts, in the order of their making
	count int                // of events
	bytes int64
	from  time.Duration // the CPU time of this process before it began

	plan string // what the shares are planned in; "" if the workers are written into
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return c.Writer.Write(b)
}

// note keeps what a process took.
func (t *through) note(name string, cmd *exec.Cmd, began time.Time, peak func() int64) {
	s := cmd.ProcessState
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.used[name] = append(t.used[name], usage{s.UserTime() + s.SystemTime(), time.Since(began), peak()})
}

// watchMemory reads the peak memory of a process again and again, until what it
// returns is called. What the kernel says of a process that ended has the memory of
// its parent in it, which is large here.
func watchMemory(pid int) (peak func() int64) {
	end, done := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for ticker := time.NewTicker(20 * time.Millisecond); ; {
			most = max(most, peakOf(strconv.Itoa(pid)))
			select {
			case <-end:
				done <- most
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int64 {
		close(end)
		return <-done
	}
}

// run runs a command of the program, and keeps what it took under its name.
func (t *through) run(args ...string) ([]byte, error) { return t.runAs(args[0], nil, args...) }

// runAs runs a command of the program with more in its environment, and keeps what it
// took.
func (t *through) runAs(name string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command(t.program(), args...) // #nosec G204 -- made here
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	peak := watchMemory(cmd.Process.Pid)
	err := cmd.Wait()
	t.note(name, cmd, began, peak)
	return out.Bytes(), err
}

// finish joins very many parts in a tree, concludes, and prints what everything took.
func (t *through) finish(w io.Writer) error {
	err := t.printParts(w)
	if err != nil {
		return err
	}
	parts, level := t.files, 1
	for ; len(parts) > joinWidth; level++ {
		var joined []string
		for i := 0; i < len(parts); i += joinWidth {
			out := t.file(fmt.Sprintf("%d-%04d.part", level, i/joinWidth))
			group := parts[i:min(i+joinWidth, len(parts))]
			if _, err := t.run(append([]string{"join", "--out", out}, group...)...); err != nil {
				return err
			}
			for _, name := range group {
				err = errors.Join(err, os.Remove(name))
			}
			joined = append(joined, out)
		}
		parts = joined
	}
	octets, err := sizes(parts)
	if err != nil {
		return err
	}
	args := []string{"conclude", "--trust", t.trust(), "--output", "json"}
	if t.plan != "" {
		args = append(args, "--plan", t.plan)
	}
	answer, err := t.run(append(args, parts...)...)
	verdict, err := t.judged(answer, err)
	if err != nil {
		return err
	}
	t.print(w)
	fmt.Fprintf(w, "  concluded from %s of %.1f MB\n", counted(len(parts), "part"), float64(octets)/1e6)
	fmt.Fprintf(w, "  verdict: %s\n", verdict)
	return nil
}

// judged wants an answer to hold a signature that verifies for every event, and
// returns its verdict.
func (t *through) judged(answer []byte, err error) (string, error) {
	var said struct {
		Verdict string `json:"verdict"`
		Logs    []struct {
			Valid int `json:"signature_valid"`
		} `json:"logs"`
	}
	if parseErr := json.Unmarshal(answer, &said); parseErr != nil {
		return "", errors.Join(err, parseErr)
	}
	valid := 0
	for _, l := range said.Logs {
		valid += l.Valid
	}
	if valid != t.count || said.Verdict != "verified" {
		return "", fmt.Errorf("expected %d signatures that verify, found %d: %s", t.count, valid, said.Verdict)
	}
	return said.Verdict, nil
}

// sizes is how many octets files have together.
func sizes(files []string) (octets int64, err error) {
	all, err := eachSize(files)
	for _, size := range all {
		octets += size
	}
	return octets, err
}

// eachSize is the octets of each file, ascending.
func eachSize(files []string) (all []int64, err error) {
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		all = append(all, info.Size())
	}
	slices.Sort(all)
	return all, nil
}
