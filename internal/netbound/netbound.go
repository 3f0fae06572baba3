// Package netbound bounds how many connections a server has open. Idle
// connections do not block new ones.
package netbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
)

// Listener bounds the number of open connections. A further one replaces the
// oldest that has not sent a request yet, so idle connections, which need no
// certificate, do not block new ones. If all have sent requests, it waits until
// one is closed.
type Listener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	fresh []*counted // over which no request has come, the oldest first
}

// New returns a listener over another one, with at most so many connections. The
// server has to say of requests that they came: with [WithConn] as its
// ConnContext, and [Came] in its handler.
func New(l net.Listener, most int) *Listener {
	return &Listener{Listener: l, slots: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (b *Listener) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case b.slots <- struct{}{}:
	default:
		b.dropOldest()
		select {
		case b.slots <- struct{}{}:
		case <-b.closed:
			return nil, errors.Join(net.ErrClosed, conn.Close())
		}
	}
	c := &counted{Conn: conn, of: b, free: sync.OnceFunc(func() { <-b.slots })}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fresh = append(b.fresh, c)
	return c, nil
}

// dropOldest closes the oldest fresh connection, if there is one.
func (b *Listener) dropOldest() {
	b.mu.Lock()
	var oldest *counted
	if len(b.fresh) > 0 {
		oldest = b.fresh[0]
	}
	b.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close() // whatever it says, the slot is free
	}
}

// settle takes a connection out of the fresh ones.
func (b *Listener) settle(c *counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.fresh, c); i >= 0 {
		b.fresh = slices.Delete(b.fresh, i, i+1)
	}
}

// Close implements net.Listener.
func (b *Listener) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// counted is a connection that gives its slot back.
type counted struct {
	net.Conn
	of   *Listener
	free func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.free()
	c.of.settle(c)
	return c.Conn.Close()
}

// connKey is what the context of a request has its connection under.
type connKey struct{}

// WithConn keeps a connection, as the server has it, for its requests.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, conn)
}

// Came notes that a request has come over its connection.
func Came(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*counted); ok {
		c.of.settle(c)
	}
}
