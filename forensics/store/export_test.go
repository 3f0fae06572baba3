package store

// Bounded changes how many octets of memory a run takes; 0 leaves it.
func (w *Writer) Bounded(octets int) {
	if octets > 0 {
		w.full = octets
	}
}
