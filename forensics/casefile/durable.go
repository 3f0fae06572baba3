package casefile

import "errors"

// Durable makes every later commit wait for the disk, so that it outlasts a crash
// of the machine and not only of the process. It is for a writer whose commits
// others rely on.
func (w *Writer) Durable() error {
	return w.conn.Exec("PRAGMA synchronous=FULL")
}

// LetGo is Close for a writer that will write again soon: it does not wait for
// readers, and does not report them.
func (w *Writer) LetGo() error {
	w.loader.close()
	w.notify = func(string) {}
	err := errors.Join(w.conn.Rollback(), w.Case.Close())
	if err == nil {
		err = w.vouch()
	}
	return w.end(errors.Join(err, w.conn.Exec("PRAGMA busy_timeout=0")))
}
