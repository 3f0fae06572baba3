//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync"
)

// keep appends the next events of a log to its file.
func (t *through) keep(log int, write func(*bufio.Writer) error) (err error) {
	if err := os.MkdirAll(t.file("logs"), 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(t.file(fmt.Sprintf("logs/%04d.ndjson", log)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	counted := &counter{Writer: f}
	w := bufio.NewWriterSize(counted, 1<<20)
	err = errors.Join(write(w), w.Flush())
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.bytes += counted.n
	return err
}

// share plans so many shares of the files, and has workers make their parts, two at a
// time.
func (t *through) share(parts int) error {
	if _, err := t.run("plan", "--parts", fmt.Sprint(parts), "--out", t.plan, t.file("logs")); err != nil {
		return err
	}
	var running sync.WaitGroup
	turns, faults := make(chan struct{}, 2), make([]error, parts)
	for i := range parts {
		turns <- struct{}{}
		out := t.nextPart()
		running.Go(func() {
			defer func() { <-turns }()
			_, faults[i] = t.run("part", "--trust", t.trust(), "--temp-dir", t.dir, "--jobs", "1", "--out", out,
				"--plan", t.plan, "--index", fmt.Sprint(i))
		})
	}
	running.Wait()
	return errors.Join(faults...)
}
