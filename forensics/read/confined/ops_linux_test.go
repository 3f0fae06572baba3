package confined

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hostile is a format whose files name the operation that the child is to try.
const hostile = "hostile"

var _ = func() bool {
	decoders = append(decoders, decoder{hostile, "", false, try}, decoder{hostile + " once", "", true, try})
	if slices.Contains(os.Args, "no wall") {
		raise = func() string { return noWall }
	}
	return true
}()

// forbidden are the operations that a child may not perform. Each writes to a file's folder or
// an address.
var forbidden = map[string]func(where string) error{
	"open":     func(w string) error { _, err := os.Open(w); return err },
	"create":   func(w string) error { return os.WriteFile(w+"/made", nil, 0o600) },
	"openat":   func(string) error { _, err := unix.Openat(unix.AT_FDCWD, "/", unix.O_RDONLY, 0); return err },
	"stat":     func(string) error { _, err := os.Lstat("/"); return err },
	"chmod":    func(w string) error { return os.Chmod(w, 0o777) },
	"remove":   func(w string) error { return os.Remove(w + "/victim") },
	"rename":   func(w string) error { return os.Rename(w+"/victim", w+"/other") },
	"mkdir":    func(w string) error { return os.Mkdir(w+"/new", 0o777) },
	"tcp":      func(string) error { _, err := net.DialTimeout("tcp", "127.0.0.1:9", time.Second); return err },
	"udp":      func(string) error { _, err := net.Dial("udp", "127.0.0.1:9"); return err },
	"listen":   func(string) error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
	"unix":     func(w string) error { _, err := net.Dial("unix", w+"/socket"); return err },
	"exec":     func(string) error { return exec.Command("/bin/true").Run() },
	"kill":     func(string) error { return syscall.Kill(os.Getppid(), 0) },
	"killself": func(string) error { return syscall.Kill(os.Getpid(), 0) },
	"ptrace":   func(string) error { return unix.PtraceAttach(os.Getppid()) },
	"mount":    func(w string) error { return unix.Mount("none", w, "tmpfs", 0, "") },
	"limit":    func(string) error { return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1, Max: 1}) },
	"memfd":    func(string) error { _, err := unix.MemfdCreate("x", 0); return err },
	"fork": func(string) error {
		pid, _, err := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
		if err != 0 {
			return err
		}
		if pid == 0 {
			syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
		}
		return nil
	},
	"send": func(string) error { return unix.Sendto(0, []byte("x"), 0, nil) },
}

// try does the operation that the file names, and writes its result.
func try(r *io.SectionReader, o *output) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	op, where, _ := strings.Cut(string(b), " ")
	if f := forbidden[op]; f != nil {
		return fmt.Errorf("%s: %w", op, orAllowed(f(where)))
	}
	switch op {
	case "panic":
		panic("as asked")
	case "crash":
		_ = *(*byte)(nil)
	case "exit":
		os.Exit(3)
	case "deep":
		return deep(0)
	case "loop":
		for n := 0; ; {
			n++
		}
	case "memory":
		for {
			kept = append(kept, bytes.Repeat([]byte("x"), 1<<20))
		}
	case "busy":
		keepBusy()
	case "output":
		return o.writeMember("endless", func() (io.Reader, error) { return endless{}, nil })
	case "garbage":
		o.w.WriteString("????????????????")
	case "inherited":
		n, err := strconv.Atoi(where)
		if err == nil {
			_, err = unix.Pread(n, make([]byte, 1), 0)
		}
		return fmt.Errorf("%s: %w", op, orAllowed(err))
	case "write":
		f := os.NewFile(3, "evidence")
		_, err := f.WriteAt([]byte("x"), 0)
		return fmt.Errorf("%s: %w", op, orAllowed(err))
	}
	o.writeRow([]byte(`{"op":"` + op + `"}`))
	return nil
}

// keepBusy needs all that the runtime does: threads, timers, collections, growing memory.
func keepBusy() {
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for i := range 20 {
				_ = bytes.Repeat([]byte("x"), 1<<(i%18))
				time.Sleep(time.Duration(i) * 100 * time.Microsecond)
				if i%10 == 0 {
					runtime.GC()
					debug.FreeOSMemory()
				}
			}
		})
	}
	all.Wait()
}

func orAllowed(err error) error {
	if err == nil {
		return io.ErrShortWrite // means that it worked
	}
	return err
}

// kept is memory that stays in use.
var kept [][]byte

func deep(n int) error {
	if n < 0 {
		return nil
	}
	return deep(n + 1)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }
