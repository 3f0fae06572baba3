package part_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestManyFiles: more parts than are open at once are read side by side, by several
// goroutines.
func TestManyFiles(t *testing.T) {
	const parts = 150
	dir := t.TempDir()
	var all []part.Content
	for i := range parts {
		path := filepath.Join(dir, fmt.Sprint(i))
		must.Do(t, os.WriteFile(path, octets(t, ordinary(byte(i), 1, uint64(1+10*i), 10), nil), 0o600))
		f := must.Get(part.OpenPath(context.Background(), path, nil))(t)
		defer f.Close()
		all = append(all, f)
	}
	if open := openFiles(t, dir); open > 100 {
		t.Errorf("%d files are open", open)
	}
	m := must.Get(part.Merge(all...))(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			n := 0
			for _, err := range m.Copies(context.Background(), m.Logs()[0], 0) {
				check.Do(t, err)
				n++
			}
			check.That(t, n == 10*parts, "%d copies", n)
		})
	}
	wait.Wait()
	if open := openFiles(t, dir); open > 100 {
		t.Errorf("%d files are open", open)
	}
	replaceFirst(t, dir, all[0].(*part.File))
}

// replaceFirst puts another file in the place of one that was closed meanwhile.
func replaceFirst(t *testing.T, dir string, f *part.File) {
	path := filepath.Join(dir, "0")
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.Rename(path, filepath.Join(dir, "other"))
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	must.Do(t, err)
	must.Do(t, f.Close())
	if err := readWhole(f); err == nil {
		t.Error("another file is read")
	}
}

// openFiles counts the files of a folder that this process has open, where the system
// lists them.
func openFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, one := range all {
		to, err := os.Readlink("/proc/self/fd/" + one.Name())
		if err == nil && filepath.Dir(to) == dir {
			n++
		}
	}
	return n
}
