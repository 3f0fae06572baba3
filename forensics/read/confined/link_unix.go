//go:build unix

package confined

import (
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// handsOver reports whether a descriptor can be sent to a child.
const handsOver = true

// parentLink is the parent's end of the standard input of a child.
type parentLink struct{ *os.File }

// newLink makes a link, and returns the child's end of it.
func newLink() (ours parentLink, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no other child may get them
	defer syscall.ForkLock.RUnlock()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return ours, nil, err
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	return parentLink{os.NewFile(uintptr(pair[0]), "confined reader")}, os.NewFile(uintptr(pair[1]), "stdin"), nil
}

// nameOfPipe returns the name by which the child knows its end.
func nameOfPipe(f *os.File) string { return inodeOf(f.Fd()) }

func inodeOf(fd uintptr) string {
	var info unix.Stat_t
	if err := unix.Fstat(int(fd), &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return ""
	}
	return strconv.FormatUint(info.Ino, 10)
}

// isPipe reports whether standard input is the end of a link that has this name.
func isPipe(name string) bool { return name != "" && inodeOf(0) == name }

// sendFile sends a request and the descriptor of a file.
func (l parentLink) sendFile(request []byte, f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Control(func(fd uintptr) {
		sent = unix.Sendmsg(int(l.Fd()), request, unix.UnixRights(int(fd)), nil, noSignal)
	})
	return errors.Join(err, sent)
}

// stdin is the child's end of its link.
type stdin struct{}

// Read implements io.Reader.
func (stdin) Read(p []byte) (int, error) {
	n, err := unix.Read(0, p)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return max(n, 0), err
}

// receiveJob waits for the next request.
func receiveJob() (job, error) {
	b, rights := make([]byte, requestSize), make([]byte, unix.CmsgSpace(4))
	n, size, _, _, err := unix.Recvmsg(0, b, rights, 0)
	for errors.Is(err, unix.EINTR) {
		n, size, _, _, err = unix.Recvmsg(0, b, rights, 0)
	}
	if err == nil {
		_, err = io.ReadFull(stdin{}, b[max(n, 0):])
	}
	if err != nil || n == 0 {
		return job{}, errors.Join(err, io.EOF)
	}
	r := decodeRequest(b)
	if r.inline {
		return receiveInline(r, stdin{})
	}
	all, err := unix.ParseSocketControlMessage(rights[:size])
	if err != nil || len(all) != 1 {
		return job{}, errors.Join(err, io.EOF)
	}
	fds, err := unix.ParseUnixRights(&all[0])
	if err != nil || len(fds) != 1 {
		return job{}, errors.Join(err, io.EOF)
	}
	f := os.NewFile(uintptr(fds[0]), "evidence")
	return job{request: r, octets: f, close: f.Close}, nil
}
