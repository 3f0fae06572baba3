package archive_test

import (
	"bytes"

	"github.com/svc-edge/svc-verify/harness/archives"
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
