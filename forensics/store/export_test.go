package store

// Bounded changes how many bytes of memory a run uses; 0 leaves it. The many commits of small
// runs do not wait for the disk.
func (w *Writer) Bounded(octets int) {
	if octets > 0 {
		w.full = octets
		_ = w.conn.Exec("PRAGMA synchronous=OFF")
	}
}

// Bounded changes how many copies are read ahead, and how many shares of batches are held; 0
// leaves both.
func (q *Queries) Bounded(most int) *Queries {
	if most > 0 {
		q.most, q.shares = ahead{most, 64 * most}, most
	}
	return q
}
