package store

import (
	"errors"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// conns is the connections of an open case, for any number of goroutines. While another
// program writes to the case, all of them see the state that the first one saw: the index of
// the rows was read in it.
type conns struct {
	path  string
	mu    sync.Mutex
	freed *sync.Cond
	all   []*sqlite.Conn
	idle  []*sqlite.Conn // not in use
	fixed bool           // a further connection would see another state
	watch *sqlite.Conn   // finds out whether another program committed; nil: no state is held
	seen  int64          // its version of the data before the first connection began
}

func newConns(path string) *conns {
	p := &conns{path: path}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// onlyConn is the pool of one connection, which its maker closes.
func onlyConn(c *sqlite.Conn) *conns {
	p := newConns("")
	p.idle, p.fixed = []*sqlite.Conn{c}, true
	return p
}

// holdState lets all connections see one state, if the case has a write-ahead log. A case
// without one has no writer that lets others read, and to hold its state would keep the next
// writer out.
func (p *conns) holdState() error {
	c, err := sqlite.Open(p.path, sqlite.ReadOnly)
	if err != nil {
		return err
	}
	mode := ""
	err = c.Each("PRAGMA journal_mode", nil, func(s *sqlite.Stmt) error {
		mode = s.Text(0)
		return nil
	})
	switch {
	case err != nil:
		return errors.Join(err, c.Close())
	case mode == "wal":
		p.watch = c
	default:
		p.all = append(p.all, c)
		p.giveBack(c)
	}
	return nil
}

// withConn calls do with a connection. While it runs, do must not call withConn, except by yield.
func (p *conns) withConn(do func(*sqlite.Conn) error) error {
	c, err := p.takeIdle()
	if err != nil {
		return err
	}
	defer p.giveBack(c)
	return do(c)
}

// yield calls do within a read, and lets other goroutines use the connection meanwhile.
func (p *conns) yield(c *sqlite.Conn, do func()) {
	p.giveBack(c)
	defer p.takeBack(c)
	do()
}

// takeIdle waits for a connection that is not in use, or opens one.
func (p *conns) takeIdle() (*sqlite.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if n := len(p.idle); n > 0 {
			c := p.idle[n-1]
			p.idle = p.idle[:n-1]
			return c, nil
		}
		if !p.fixed {
			if c, err := p.openAnother(); c != nil || err != nil {
				return c, err
			}
		}
		p.freed.Wait()
	}
}

// takeBack waits until a connection is not in use.
func (p *conns) takeBack(c *sqlite.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if i := slices.Index(p.idle, c); i >= 0 {
			p.idle = slices.Delete(p.idle, i, i+1)
			return
		}
		p.freed.Wait()
	}
}

// giveBack gives a connection to the other goroutines.
func (p *conns) giveBack(c *sqlite.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
	p.freed.Broadcast()
}

// openAnother opens a connection that sees the state of the others. It returns nil if that
// state is no longer the newest.
func (p *conns) openAnother() (*sqlite.Conn, error) {
	c, err := sqlite.Open(p.path, sqlite.ReadOnly)
	if err != nil {
		return nil, err
	}
	for same := p.watch == nil; !same && err == nil && !p.fixed; {
		if same, err = p.beginSame(c); err == nil && !same {
			err = c.Rollback()
			p.fixed = len(p.all) > 0
		}
	}
	if err != nil || p.fixed {
		return nil, errors.Join(err, c.Close())
	}
	p.all = append(p.all, c)
	return c, nil
}

// beginSame begins a transaction, and reports whether it has the state of the others: nothing
// was committed since before the first one began.
func (p *conns) beginSame(c *sqlite.Conn) (same bool, err error) {
	if len(p.all) == 0 {
		if p.seen, err = p.watch.Number("PRAGMA data_version"); err != nil {
			return false, err
		}
	}
	if err := c.Exec("BEGIN"); err != nil {
		return false, err
	}
	if _, err := c.Number("SELECT count(*) FROM sqlite_schema"); err != nil {
		return false, err
	}
	now, err := p.watch.Number("PRAGMA data_version")
	return now == p.seen, err
}

// Close closes the connections. No iterator may be in use.
func (p *conns) Close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watch != nil {
		err = p.watch.Close()
	}
	for _, c := range p.all {
		err = errors.Join(err, c.Close())
	}
	p.all, p.idle, p.watch = nil, nil, nil
	return err
}
