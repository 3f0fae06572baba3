package archives

import "bytes"

// bundle draws a bundle that verifies, and tells which one of the pool it is.
func (h *hand) bundle() (name string, transaction, export int, ok bool) {
	name, ok = h.among(func(f File) bool { t, _ := find(h.Bundles, f.Octets); return t >= 0 })
	transaction, export = find(h.Bundles, h.tree[name].Octets)
	return name, transaction, export, ok
}

// journal draws a journal, and tells which one of the pool it is.
func (h *hand) journal() (name string, log, age int, ok bool) {
	name, ok = h.among(func(f File) bool { l, _ := find(h.Journals, f.Octets); return l >= 0 })
	log, age = find(h.Journals, h.tree[name].Octets)
	return name, log, age, ok
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

func (h *hand) newer() bool {
	name, transaction, export, ok := h.bundle()
	return ok && export+1 < exports && h.put(name, h.Bundles[transaction][export+1])
}

func (h *hand) older() bool {
	name, transaction, export, ok := h.bundle()
	return ok && export > 0 && h.put(name, h.Bundles[transaction][export-1])
}

func (h *hand) another() bool {
	name, transaction, export, ok := h.bundle()
	return ok && h.put(name, h.Bundles[(transaction+1+h.Below(transactions-1))%transactions][export])
}

func (h *hand) grow() bool {
	name, log, age, ok := h.journal()
	return ok && age+1 < exports && h.put(name, h.Journals[log][age+1])
}

// growAltered lets a journal grow and changes what was its beginning.
func (h *hand) growAltered() bool {
	name, log, age, ok := h.journal()
	if !ok || age+1 == exports {
		return false
	}
	grown := bytes.Clone(h.Journals[log][age+1])
	grown[h.Below(len(h.Journals[log][age]))] ^= 1
	return h.put(name, grown)
}

func (h *hand) shrink() bool {
	name, log, age, ok := h.journal()
	return ok && age > 0 && h.put(name, h.Journals[log][age-1])
}
