package store

import "errors"

// Durable makes every commit from now on last through the end of the machine
// too, and not of the process only: each waits for the disk. It is for a writer
// whose commits others rely on.
func (w *Writer) Durable() error {
	return w.conn.exec("PRAGMA synchronous=FULL")
}

// LetGo is Close for a writer that soon wants to write again: it waits for no
// reader.
func (w *Writer) LetGo() error {
	return errors.Join(w.conn.exec("PRAGMA busy_timeout=0"), w.Close())
}
