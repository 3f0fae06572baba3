package casefile

import (
	"context"
	"errors"
	"sync"

	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// Case is an open case. Any number of goroutines may read from it; each uses a
// connection of its own.
type Case struct {
	path string
	standing

	mu    sync.Mutex
	idle  []*sqlite.Conn // connections for reading
	words map[int64]string
}

// OpenRead opens an existing case for reading. It first checks the whole case,
// unless the key of the options vouches for it: see [Standing].
func OpenRead(path string, options ...Option) (*Case, error) {
	path, err := guard.Resolve(path)
	if err != nil {
		return nil, err
	}
	if err := kind.Identify(path); err != nil {
		return nil, err
	}
	c := newCase(path, options)
	err = c.read(func(r *sqlite.Conn) error {
		version, err := kind.Shape(r)
		if err != nil {
			return err
		}
		if err := readable(version); err != nil {
			return err
		}
		return c.stand(r)
	})
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func newCase(path string, options []Option) *Case {
	alone := standing{notify: func(string) {}, ctx: context.Background()}
	c := &Case{path: path, words: map[int64]string{}, standing: alone}
	for _, o := range options {
		o(&c.standing)
	}
	return c
}

// Close closes the connections for reading. No iterator may be in use.
func (c *Case) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, r := range c.idle {
		err = errors.Join(err, r.Close())
	}
	c.idle = nil
	return err
}

// read calls f with a connection for reading.
func (c *Case) read(f func(*sqlite.Conn) error) error {
	r, err := c.reader()
	if err != nil {
		return err
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.idle = append(c.idle, r)
	}()
	return f(r)
}

func (c *Case) reader() (*sqlite.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		r := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return r, nil
	}
	return sqlite.Open(c.path, sqlite.ReadOnly)
}
