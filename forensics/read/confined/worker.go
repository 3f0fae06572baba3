package confined

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// worker is a child, as its parent sees it.
type worker struct {
	cmd  *exec.Cmd
	link parentLink
	out  *bufio.Reader // of the child's output
	pipe *os.File
	wall string
	used time.Duration // how long the parent waited for it
}

// mostStart is how long a child may take to start.
const mostStart = 30 * time.Second

// errStart means that no child could be started.
var errStart = errors.New("no confined reader could be started")

// startWorker starts a child.
func startWorker(args []string) (*worker, error) {
	program, err := programPath()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errStart, err)
	}
	if err := hideDescriptors(); err != nil {
		return nil, fmt.Errorf("%w: %w", errStart, err)
	}
	link, theirs, err := newLink()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errStart, err)
	}
	defer theirs.Close()
	pipe, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errStart, err), link.Close())
	}
	defer stdout.Close()
	w := &worker{link: link, pipe: pipe, out: bufio.NewReaderSize(pipe, 64<<10)}
	w.cmd = &exec.Cmd{Path: program, Args: append([]string{childName, nameOfPipe(theirs)}, args...),
		Env: []string{"GOTRACEBACK=none"}, Stdin: theirs, Stdout: stdout}
	if err := w.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errStart, err), link.Close(), pipe.Close())
	}
	k, wall, err := (&Job{worker: w, patience: mostStart}).readMessage()
	if err != nil || k != isReady {
		w.endChild()
		return nil, errors.Join(errStart, err)
	}
	w.wall = string(wall)
	return w, nil
}

// endChild ends the child, whatever it does.
func (w *worker) endChild() {
	// All that can fail is that it has ended before.
	_ = w.cmd.Process.Kill()
	_ = w.link.Close()
	_ = w.pipe.Close()
	_ = w.cmd.Wait()
}

// errEnded means that a child ended, or wrote invalid output.
var errEnded = errors.New("its library came to an end at the limits of memory or time, or failed")

// readFull fills p. The time in which nothing came counts as used; if it is more than patience
// for one read, the child is killed.
func (w *worker) readFull(p []byte, patience time.Duration) error {
	for len(p) > 0 {
		if w.out.Buffered() == 0 {
			if err := w.waitForOutput(patience); err != nil {
				return err
			}
		}
		n, err := w.out.Read(p[:min(len(p), w.out.Buffered())])
		if err != nil {
			return errEnded
		}
		p = p[n:]
	}
	return nil
}

// waitForOutput waits until the child has written something.
func (w *worker) waitForOutput(patience time.Duration) error {
	start := time.Now()
	// All that can fail is that it has ended before.
	timer := time.AfterFunc(patience, func() { _ = w.cmd.Process.Kill() })
	_, err := w.out.Peek(1)
	timer.Stop()
	w.used += time.Since(start)
	if err != nil {
		return errEnded
	}
	return nil
}

// sendRequest sends a request, with the bytes of the file or its descriptor.
func (w *worker) sendRequest(r request, octets io.ReaderAt) error {
	file, ok := fileOf(octets)
	if !ok {
		made, err := memoryFile(io.NewSectionReader(octets, 0, r.size))
		if err == nil {
			defer made.Close()
			file, ok = made, true
		} else if !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if ok && handsOver {
		return w.link.sendFile(r.encode(), file)
	}
	r.inline = true
	_, err := w.link.Write(r.encode())
	if err == nil {
		_, err = io.Copy(w.link, io.NewSectionReader(octets, 0, r.size))
	}
	return err
}

// fileOf returns the file whose beginning bytes is a view of, if it is one.
func fileOf(octets io.ReaderAt) (*os.File, bool) {
	for {
		switch v := octets.(type) {
		case *os.File:
			return v, true
		case interface {
			Outer() (io.ReaderAt, int64, int64)
		}:
			from := int64(0)
			if octets, from, _ = v.Outer(); from != 0 {
				return nil, false
			}
		default:
			return nil, false
		}
	}
}
