package casefile

import "errors"

// Durable makes every commit from now on last through the end of the machine
// too, and not of the process only: each waits for the disk. It is for a writer
// whose commits others rely on.
func (w *Writer) Durable() error {
	return w.conn.Exec("PRAGMA synchronous=FULL")
}

// LetGo is Close for a writer that soon wants to write again: it waits for no
// reader, says nothing of one, and does not go over the whole case to vouch for
// what it added.
func (w *Writer) LetGo() error {
	w.loader.close()
	w.notify = func(string) {}
	return w.end(errors.Join(w.conn.Rollback(), w.Case.Close(), w.conn.Exec("PRAGMA busy_timeout=0")))
}
