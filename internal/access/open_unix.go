//go:build unix

package access

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// How files are opened.
const (
	Patient    = syscall.O_NONBLOCK // of a pipe that took the file's place: do not wait
	unlinked   = syscall.O_NOFOLLOW
	onlyFolder = syscall.O_DIRECTORY
)

// blockOctets is the unit of Stat_t.Blocks.
const blockOctets = 512

// CheckHoles returns ErrHoles if a file has too many bytes that were never written. Their
// number is counted where fewer blocks are in use than the file's size implies: a file system
// that compresses uses few blocks for bytes that were written, too.
func CheckHoles(f *os.File, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Size()-st.Blocks*blockOctets <= MostHoles {
		return nil
	}
	never := int64(0)
	for at := int64(0); at < info.Size(); {
		hole, err := f.Seek(at, unix.SEEK_HOLE)
		if err != nil || hole >= info.Size() {
			break // also on a file system that does not say where holes are
		}
		data, err := f.Seek(hole, unix.SEEK_DATA)
		if err != nil { // there are no data behind the hole
			data = info.Size()
		}
		if never, at = never+data-hole, data; never > MostHoles {
			return ErrHoles
		}
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

func soleName(_ string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
		return errShared(uint64(st.Nlink)) //nolint:unconvert // other systems count in fewer bits
	}
	return nil
}
