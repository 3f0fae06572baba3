package damage_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// evidence draws a file that is one of the pool's bundles or journals, and returns its place there.
func (h *hand) evidence(of [][][]byte) (name string, i, age int, ok bool) {
	name, ok = h.among(func(f archives.File) bool { i, _ := find(of, f.Octets); return i >= 0 })
	i, age = find(of, h.tree[name].Octets)
	return name, i, age, ok
}

// aged replaces a bundle or a journal by its version of another age.
func (h *hand) aged(of [][][]byte, by int) bool {
	name, i, age, ok := h.evidence(of)
	return ok && age+by >= 0 && age+by < archives.Exports && h.put(name, of[i][age+by])
}

// find returns where the octets are among others; -1 if they are not.
func find(among [][][]byte, octets []byte) (i, j int) {
	for i := range among {
		for j := range among[i] {
			if bytes.Equal(among[i][j], octets) {
				return i, j
			}
		}
	}
	return -1, -1
}

func (h *hand) another() bool {
	name, transaction, export, ok := h.evidence(h.Bundles)
	return ok && h.put(name, h.Bundles[(transaction+1+h.Below(archives.Transactions-1))%archives.Transactions][export])
}

// growAltered lets a journal grow and changes what was its beginning.
func (h *hand) growAltered() bool {
	name, log, age, ok := h.evidence(h.Journals)
	if !ok || age+1 == archives.Exports {
		return false
	}
	grown := bytes.Clone(h.Journals[log][age+1])
	grown[h.Below(len(h.Journals[log][age]))] ^= 1
	return h.put(name, grown)
}

// TestDamages: each way can be done, does something, and the directory is then as
// the tree says.
func TestDamages(t *testing.T) {
	p := must.Get(evidence())(t)
	for i, d := range allDamages() {
		s := chance.New(uint64(i)).Stream("damage")
		before := p.Archive(s, 60)
		dir := t.TempDir()
		must.Do(t, before.Write(dir, nil))
		after := before.Clone()
		for tries := 0; !d.Do(p, s, after); tries++ {
			must.That(t, tries != 100, "%s: not once in %d times", d.Name, tries)
		}
		must.OK(t, after.Write(dir, before), "%s", d.Name)
		check.That(t, !sameTree(after, before), "%s: nothing has changed", d.Name)
		if got := readTree(t, dir); !sameTree(got, after) {
			t.Errorf("%s: the directory is not as the tree:\n%q\n%q", d.Name, got.Paths(), after.Paths())
		}
	}
}

func sameTree(t, u archives.Tree) bool {
	for name := range t {
		if !t[name].Same(u[name]) {
			return false
		}
	}
	return len(t) == len(u)
}

// readTree reads a directory.
func readTree(t *testing.T, dir string) archives.Tree {
	t.Helper()
	tree := archives.Tree{}
	must.Do(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		f := archives.File{Modified: info.ModTime()}
		if entry.Type() == fs.ModeSymlink {
			f.Modified = time.Time{}
			f.Link, err = os.Readlink(name)
		} else if f.Denied = info.Mode().Perm() == 0; !f.Denied {
			f.Octets, err = os.ReadFile(name)
		}
		tree[filepath.ToSlash(name[len(dir)+1:])] = f
		return err
	}))
	return tree
}
