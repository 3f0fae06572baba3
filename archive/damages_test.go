package archive_test

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/harness/archives"
	"github.com/svc-edge/svc-verify/harness/chance"
)

// damageKind is one way in which an archive changes: by accident, by an attacker, or as it
// should.
type damageKind struct {
	Name string
	// do changes the tree, and returns false if there is nothing that it could
	// change so.
	do func(*hand) bool
}

// hand damages a tree.
type hand struct {
	*chance.Stream
	*archives.Pool
	tree archives.Tree
}

// Do changes a tree, and returns false if it has nothing that could be changed so.
func (d damageKind) Do(p *archives.Pool, s *chance.Stream, t archives.Tree) bool {
	return d.do(&hand{s, p, t})
}

// damageKinds are the ways that every user has.
var damageKinds = []damageKind{
	{"flip an octet, size and time stay", onFile(func(h *hand, name string, f archives.File) bool {
		f.Octets = h.flipped(f.Octets)
		return h.become(name, f)
	})},
	{"edit", onFile(func(h *hand, name string, f archives.File) bool {
		return h.put(name, append(h.flipped(f.Octets), '!'))
	})},
	{"truncate", onFile(func(h *hand, name string, f archives.File) bool {
		return h.put(name, f.Octets[:h.Below(len(f.Octets))])
	})},
	{"empty", onFile(func(h *hand, name string, _ archives.File) bool { return h.put(name, nil) })},
	{"replace by a newer bundle of the transaction", func(h *hand) bool { return h.aged(h.Bundles, 1) }},
	{"replace by an older bundle of the transaction", func(h *hand) bool { return h.aged(h.Bundles, -1) }},
	{"replace by a bundle of another transaction", (*hand).another},
	{"replace by a rejected bundle", onFile(func(h *hand, name string, _ archives.File) bool {
		return h.put(name, pick(h.Stream, h.Rejected))
	})},
	{"move", onFile(func(h *hand, name string, f archives.File) bool {
		return h.moveTo(name, archives.NewPath(h.Stream, h.tree), f.Octets)
	})},
	{"rename by case", onFile((*hand).rename)},
	{"move and alter", onFile(func(h *hand, name string, f archives.File) bool {
		return h.moveTo(name, archives.NewPath(h.Stream, h.tree), h.flipped(f.Octets))
	})},
	{"swap two files", onFile((*hand).swap)},
	{"copy", onFile(func(h *hand, _ string, f archives.File) bool {
		return h.become(archives.NewPath(h.Stream, h.tree), f)
	})},
	{"delete", onFile(func(h *hand, name string, _ archives.File) bool {
		delete(h.tree, name)
		return true
	})},
	{"delete a folder", onFile((*hand).deleteFolder)},
	{"add", func(h *hand) bool { return h.place(h.Draw(h.Stream, h.tree)) }},
	{"add a rejected bundle", func(h *hand) bool { return h.place(pick(h.Stream, h.Rejected)) }},
	{"let a journal grow", func(h *hand) bool { return h.aged(h.Journals, 1) }},
	{"alter the beginning of a journal that grew", (*hand).growAltered},
	{"cut a journal", func(h *hand) bool { return h.aged(h.Journals, -1) }},
	{"touch", onFile(func(h *hand, name string, f archives.File) bool {
		f.Modified = f.Modified.Add(time.Hour)
		return h.become(name, f)
	})},
	{"replace by a link", onFile(func(h *hand, name string, _ archives.File) bool { // to nothing
		target := pick(h.Stream, []string{"/dev/null", "nowhere", ".", "/etc/hostname"})
		return h.become(name, archives.File{Link: target})
	})},
	{"replace by a folder", onFile(func(h *hand, name string, f archives.File) bool {
		return h.moveTo(name, name+"/inside", f.Octets)
	})},
}

// allDamages returns all ways, in an order that stays.
func allDamages() []damageKind {
	all := slices.Clone(damageKinds)
	if os.Geteuid() != 0 {
		all = append(all, damageKind{"deny", onFile(func(h *hand, name string, f archives.File) bool {
			f.Denied = true
			return h.become(name, f)
		})})
	}
	return all
}

// onFile draws a file that can be read and is not empty.
func onFile(do func(*hand, string, archives.File) bool) func(*hand) bool {
	return func(h *hand) bool {
		name, ok := h.any()
		return ok && do(h, name, h.tree[name])
	}
}

// become gives a path a file.
func (h *hand) become(name string, f archives.File) bool {
	h.tree[name] = f
	return true
}

// put replaces the bytes of a file a day later.
func (h *hand) put(name string, octets []byte) bool {
	f := h.tree[name]
	if !f.Regular() || bytes.Equal(octets, f.Octets) {
		return false
	}
	h.tree[name] = archives.File{Octets: octets, Modified: f.Modified.Add(24 * time.Hour)}
	return true
}

// any draws a file that can be read and is not empty.
func (h *hand) any() (name string, ok bool) {
	return h.among(func(f archives.File) bool { return len(f.Octets) > 0 })
}

// among draws a file that can be read and that the function wants.
func (h *hand) among(want func(archives.File) bool) (name string, ok bool) {
	names := slices.DeleteFunc(h.tree.Paths(), func(name string) bool {
		f := h.tree[name]
		return !f.Regular() || !want(f)
	})
	if len(names) == 0 {
		return "", false
	}
	return pick(h.Stream, names), true
}

func (h *hand) flipped(octets []byte) []byte {
	octets = bytes.Clone(octets)
	octets[h.Below(len(octets))] ^= 1 << h.Below(8)
	return octets
}

// rename changes the case of a name.
func (h *hand) rename(name string, f archives.File) bool {
	dir, base := path.Split(name)
	upper := dir + strings.ToUpper(base)
	if _, there := h.tree[upper]; there || upper == name {
		return false
	}
	return h.moveTo(name, upper, f.Octets)
}

func (h *hand) moveTo(from, to string, octets []byte) bool {
	f := h.tree[from]
	delete(h.tree, from)
	f.Octets = octets
	h.tree[to] = f
	return true
}

func (h *hand) swap(a string, f archives.File) bool {
	b, _ := h.any()
	if bytes.Equal(f.Octets, h.tree[b].Octets) {
		return false
	}
	h.tree[a], h.tree[b] = h.tree[b], f
	return true
}

// deleteFolder deletes a folder with all that is below.
func (h *hand) deleteFolder(name string, _ archives.File) bool {
	folder := path.Dir(name)
	if folder == "." {
		return false
	}
	for other := range h.tree {
		if strings.HasPrefix(other, folder+"/") {
			delete(h.tree, other)
		}
	}
	return true
}

func (h *hand) place(octets []byte) bool {
	h.tree[archives.NewPath(h.Stream, h.tree)] = archives.File{Octets: octets, Modified: archives.Filed.AddDate(0, 1, 0)}
	return true
}

func pick[E any](s *chance.Stream, from []E) E { return from[s.Below(len(from))] }

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

// find returns where the bytes are among others; -1 if they are not.
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

// growAltered lets a journal grow and changes its old beginning.
func (h *hand) growAltered() bool {
	name, log, age, ok := h.evidence(h.Journals)
	if !ok || age+1 == archives.Exports {
		return false
	}
	grown := bytes.Clone(h.Journals[log][age+1])
	grown[h.Below(len(h.Journals[log][age]))] ^= 1
	return h.put(name, grown)
}
