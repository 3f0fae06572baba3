package confined

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

const noSignal = unix.MSG_NOSIGNAL

// programPath is the program that runs, also where its file was replaced.
func programPath() (string, error) { return "/proc/self/exe", nil }

// memoryFile makes a file of its own, in memory, of the content of r.
func memoryFile(r io.Reader) (*os.File, error) {
	fd, err := unix.MemfdCreate("evidence", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "evidence")
	if _, err := io.Copy(f, r); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// raiseWall bounds the child, and forbids everything but reading its input and writing to its
// standard output.
func raiseWall() string {
	wakeup, found := wakeupDescriptor()
	if !found || !boundChild() {
		return noWall
	}
	// Landlock is the second wall. Older kernels have less of it, or none.
	_ = landlock.V5.BestEffort().Restrict()
	filter := seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: allowedCalls(wakeup)}
	if !slices.Contains([]string{"amd64", "arm64"}, runtime.GOARCH) || seccomp.LoadFilter(filter) != nil {
		return noWall
	}
	return fullWall
}

// hideDescriptors keeps the descriptors with which this program was started from every child, except
// the standard streams. Descriptors that this program opens itself are hidden from the beginning.
func hideDescriptors() error {
	entries, err := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > unix.Stderr {
			unix.CloseOnExec(fd)
		}
	}
	return err
}

// mostProcessor is how many seconds of processor time a child can use if its parent does
// not end it.
const mostProcessor = 12 * 60 * 60

// boundChild sets the limits of the child's memory, time and files.
func boundChild() bool {
	memory := ownMemory() + mostMemory
	for what, most := range map[int]uint64{unix.RLIMIT_DATA: memory, unix.RLIMIT_CPU: mostProcessor,
		unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return false
		}
	}
	return true
}

// ownMemory returns how much memory the child has that counts for its limit.
func ownMemory() uint64 {
	fd, err := unix.Open("/proc/self/statm", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Close(fd) }()
	var b [256]byte
	n, _ := unix.Read(fd, b[:])
	const dataField = 5
	fields := bytes.Fields(b[:max(n, 0)])
	if len(fields) <= dataField {
		return 0
	}
	pages, _ := strconv.ParseUint(string(fields[dataField]), 10, 64)
	return pages * uint64(os.Getpagesize())
}

// wakeupDescriptor returns the descriptor to which the Go runtime writes to wake a thread.
func wakeupDescriptor() (uint64, bool) {
	time.Sleep(time.Nanosecond) // the first timer makes it
	const most = 64
	for fd := range uint64(most) {
		var link [64]byte
		n, err := unix.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd), link[:])
		if err == nil && string(link[:n]) == "anon_inode:[eventfd]" {
			return fd, true
		}
	}
	return 0, false
}

// allowedCalls allows the calls that the Go runtime needs, and refuses all others.
func allowedCalls(wakeup uint64) seccomp.Policy {
	const (
		noSuchCall = seccomp.Action(uint32(seccomp.ActionErrno) | uint32(unix.ENOSYS))
		nameMemory = 0x53564d41 // PR_SET_VMA
	)
	with := func(name string, argument uint32, is seccomp.Operation, value uint64) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name,
			Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: is, Value: value}}}
	}
	return seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionAllow, Names: []string{
			"read", "pread64", "close", "fstat", "lseek",
			"mmap", "munmap", "mremap", "mprotect", "madvise", "brk",
			"futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity",
			"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
			"nanosleep", "clock_nanosleep", "clock_gettime", "gettimeofday", "getrandom", "getpid", "gettid",
			"epoll_ctl", "epoll_pwait", "exit", "exit_group",
		}, NamesWithCondtions: []seccomp.NameWithConditions{
			with("write", 0, seccomp.Equal, 1), with("write", 0, seccomp.Equal, 2),
			with("write", 0, seccomp.Equal, wakeup),
			with("recvmsg", 0, seccomp.Equal, 0),
			with("fcntl", 1, seccomp.Equal, unix.F_GETFL),
			with("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD),
			with("tgkill", 0, seccomp.Equal, uint64(os.Getpid())),
			with("prctl", 0, seccomp.Equal, nameMemory),
		}},
		{Action: noSuchCall, Names: []string{"clone3"}}, // so that the C library tries clone
	}}
}
