package archives

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

var pool = sync.OnceValues(func() (*Pool, error) { return NewPool(1) })

func aPool(t *testing.T) *Pool {
	t.Helper()
	return must.Get(pool())(t)
}

// TestPool: bundles of a transaction differ, journals grow, and the same seed
// gives the same octets.
func TestPool(t *testing.T) {
	p := aPool(t)
	for i, of := range p.Bundles {
		check.That(t, len(of) == exports && !bytes.Equal(of[0], of[1]) && !bytes.Equal(of[1], of[2]),
			"transaction %d has no %d different bundles", i, exports)
	}
	for i, ages := range p.Journals {
		for j := 1; j < len(ages); j++ {
			check.That(t, len(ages[j]) != len(ages[j-1]) && bytes.HasPrefix(ages[j], ages[j-1]),
				"journal %d did not grow between %d and %d", i, j-1, j)
		}
	}
	again := must.Get(NewPool(1))(t)
	if !bytes.Equal(p.Trust, again.Trust) ||
		!bytes.Equal(slices.Concat(p.Bundles[3]...), slices.Concat(again.Bundles[3]...)) {
		t.Error("the same seed gives other octets")
	}
}

// TestDamages: each way can be done, does something, and the directory is then as
// the tree says.
func TestDamages(t *testing.T) {
	p := aPool(t)
	for i, d := range Damages() {
		s := chance.New(uint64(i)).Stream("damage")
		before := p.Archive(s, 60)
		dir := t.TempDir()
		must.Do(t, before.Write(dir, nil))
		after := before.Clone()
		for tries := 0; !d.Do(p, s, after); tries++ {
			must.That(t, tries != 100, "%s: not once in %d times", d.Name, tries)
		}
		must.OK(t, after.Write(dir, before), "%s", d.Name)
		check.That(t, !after.equal(before), "%s: nothing has changed", d.Name)
		if got := read(t, dir); !got.equal(after) {
			t.Errorf("%s: the directory is not as the tree:\n%q\n%q", d.Name, got.Paths(), after.Paths())
		}
	}
}

func (t Tree) equal(u Tree) bool {
	for name := range t {
		if !t[name].same(u[name]) {
			return false
		}
	}
	return len(t) == len(u)
}

// read reads a directory.
func read(t *testing.T, dir string) Tree {
	t.Helper()
	tree := Tree{}
	must.Do(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		f := File{Modified: info.ModTime()}
		if entry.Type() == fs.ModeSymlink {
			f.Modified = File{}.Modified
			f.Link, err = os.Readlink(name)
		} else if f.Denied = info.Mode().Perm() == 0; !f.Denied {
			f.Octets, err = os.ReadFile(name)
		}
		tree[filepath.ToSlash(name[len(dir)+1:])] = f
		return err
	}))
	return tree
}
