//go:build linux

package access_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/must"
)

// sized makes a file with a byte at each of some places, and holes between them.
func sized(size int64, places ...int64) func(path string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		for _, at := range places {
			_, err = f.WriteAt([]byte("x"), at)
		}
		return errors.Join(err, f.Truncate(size), f.Close())
	}
}

// TestOpenRegular: a file that is not regular is refused, and the error names its kind. A file
// of holes is refused too.
func TestOpenRegular(t *testing.T) {
	const mostly = "was never written"
	to := func(place func(path string) error) func(string) error {
		return func(path string) error { return errors.Join(place(path+"x"), os.Symlink(path+"x", path)) }
	}
	socket := func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) }
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	for what, test := range map[string]struct {
		make             func(path string) error
		want, unfollowed string // in the errors
	}{
		"a file":            {sized(1, 0), "", ""},
		"an empty file":     {sized(0), "", ""},
		"a link":            {to(sized(1)), "", "a symbolic link"},
		"a pipe":            {pipe, "a named pipe: write", "a named pipe"},
		"a link to a pipe":  {to(pipe), "a named pipe", "a symbolic link"},
		"a socket":          {socket, "a socket", "a socket"},
		"a folder":          {func(p string) error { return os.Mkdir(p, 0o700) }, "a directory", "a directory"},
		"a device":          {func(p string) error { return os.Symlink("/dev/zero", p) }, "a device", "a symbolic link"},
		"a link to nothing": {func(p string) error { return os.Symlink("absent", p) }, "no such file", "a symbolic link"},
		"1 TiB of holes":    {sized(1 << 40), mostly, mostly},
		"1 GiB of holes":    {sized(1 << 30), "", ""},
		"a little more":     {sized(1<<30 + 1), mostly, mostly},
		"two holes":         {sized(1<<30+1<<20, 1<<29), mostly, mostly},
		"two smaller ones":  {sized(1<<30, 1<<29), "", ""},
		"data at the end":   {sized(1<<40, 1<<40-1), mostly, mostly},
	} {
		path := filepath.Join(t.TempDir(), "file")
		must.Do(t, test.make(path))
		for want, open := range map[string]func(string) (*os.File, error){
			"a:" + test.want: access.OpenRegular, "b:" + test.unfollowed: access.OpenUnlinked,
		} {
			f, err := open(path)
			if want = want[2:]; (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
			if err != nil {
				continue
			}
			if at, err := f.Seek(0, io.SeekCurrent); at != 0 || err != nil {
				t.Errorf("%s: it is read from %d, %v", what, at, err)
			}
			f.Close()
		}
	}
}

// TestOpenToWrite: only a file or a device is written to, without following a link.
func TestOpenToWrite(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must.Do(t, errors.Join(sized(3, 0)(in("file")), os.Symlink("file", in("link")), syscall.Mkfifo(in("pipe"), 0o600),
		syscall.Mknod(in("socket"), syscall.S_IFSOCK|0o600, 0)))
	for name, want := range map[string]string{
		in("file"): "", os.DevNull: "", in("link"): "a symbolic link", in("pipe"): "a named pipe", in("socket"): "a socket",
		dir: "a folder", in("absent"): "no such file",
	} {
		f, _, err := access.OpenToWrite(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err == nil {
			f.Close()
		}
	}
	if info, err := os.Stat(in("file")); err != nil || info.Size() != 3 {
		t.Errorf("the file was emptied: %v, %v", info, err)
	}
}
