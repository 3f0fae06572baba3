//go:build unix

package listing

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/svc-edge/svc-verify/internal/access"
)

// folder is an open folder. Names below it are looked up from its descriptor, so that
// replacing a folder on the way to it changes nothing.
type folder struct{ f *os.File }

func openTop(dir string) (folder, error) {
	f, err := access.OpenFolder(dir)
	return folder{f}, err
}

func (d folder) closeFolder() error { return d.f.Close() }

// fd is the folder's descriptor. It stays valid until the folder is closed.
func (d folder) fd() int { return int(d.f.Fd()) } // #nosec G115 -- it is one

// reopenFolder returns the same folder, to be listed from its beginning.
func (d folder) reopenFolder() (folder, error) {
	fd, err := openAt(d.fd(), ".", unix.O_DIRECTORY)
	if err != nil {
		return folder{}, err
	}
	return folder{os.NewFile(uintptr(fd), ".")}, nil // #nosec G115 -- it is a descriptor
}

// readNames returns some of the names in the folder, and io.EOF after the last.
func (d folder) readNames(most int) ([]string, error) { return d.f.Readdirnames(most) }

// factsOf returns the facts about a name. No link is followed.
func (d folder) factsOf(name string) (f facts, err error) {
	var st unix.Stat_t
	for {
		if err = unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return f, err
	}
	f.size, f.modified = st.Size, st.Mtim.Nano()
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		f.mode = fs.ModeDir
	case unix.S_IFLNK:
		f.mode = fs.ModeSymlink
	case unix.S_IFIFO:
		f.mode = fs.ModeNamedPipe
	case unix.S_IFSOCK:
		f.mode = fs.ModeSocket
	case unix.S_IFBLK, unix.S_IFCHR:
		f.mode = fs.ModeDevice
	default:
		f.mode = fs.ModeIrregular
	}
	return f, nil
}

// openFolder opens a folder in the folder. No link is followed.
func (d folder) openFolder(name string) (folder, error) {
	fd, err := openAt(d.fd(), name, unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		err = ErrLink
		if f, of := d.factsOf(name); of == nil && f.mode != fs.ModeSymlink {
			err = ErrChanged
		}
	}
	if err != nil {
		return folder{}, err
	}
	return folder{os.NewFile(uintptr(fd), name)}, nil // #nosec G115 -- it is a descriptor
}

// openFile opens a regular file in the folder. No link is followed, and a pipe does not
// hold us up.
func (d folder) openFile(name string) (*os.File, error) {
	fd, err := openAt(d.fd(), name, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, ErrLink
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name) // #nosec G115 -- it is a descriptor
	err = access.Regular(f)
	if irregular := new(access.IrregularError); errors.As(err, &irregular) {
		err = kindFault(irregular.Mode)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func openAt(fd int, name string, flags int) (int, error) {
	for {
		opened, err := unix.Openat(fd, name, flags|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return opened, err
		}
	}
}
