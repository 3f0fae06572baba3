// Package netbound bounds how many connections a server has open, so that slow
// clients do not keep others out.
package netbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listener bounds the number of open connections. If all are open, a further one
// replaces the slowest of those that wait for their client: for a handshake, a
// request, the rest of a body, or for it to read an answer. A client with many
// connections loses one first. The listener waits only while the server itself works
// on a request of each connection.
type Listener struct {
	net.Listener
	most int
	now  func() time.Time

	mu      sync.Mutex
	changed sync.Cond // a connection can be closed, or was
	closed  bool
	open    map[*counted]struct{}
	owned   map[owner]int // open connections of each client
}

// owner is the digest of a client's certificate, and zero before the first request
// and for a client without one.
type owner [32]byte

// New returns a listener over another one, with at most so many connections. The
// server must have [WithConn] as its ConnContext, [ConnState], and its handler in [Handler].
func New(l net.Listener, most int) *Listener {
	b := &Listener{Listener: l, most: most, now: time.Now, open: map[*counted]struct{}{}, owned: map[owner]int{}}
	b.changed.L = &b.mu
	return b
}

// Accept implements net.Listener.
func (b *Listener) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && len(b.open) >= b.most {
		if !b.closeSlowest(func(*counted) bool { return true }) {
			b.waitForRoom()
		}
	}
	if b.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	c := &counted{Conn: conn, of: b, since: b.now()}
	b.open[c] = struct{}{}
	b.owned[c.owner]++
	return c, nil
}

// waitForRoom waits until a connection was closed or can be.
func (b *Listener) waitForRoom() {
	blocked := time.AfterFunc(patience, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed.Broadcast()
	})
	defer blocked.Stop()
	b.changed.Wait()
}

// patience is how long a client may take for one write of an answer when others wait.
const patience = time.Second

// closeSlowest closes the slowest of some connections, and reports whether there was
// one. It closes none for which the server works.
func (b *Listener) closeSlowest(among func(*counted) bool) bool {
	var worst *counted
	now := b.now()
	for c := range b.open {
		switch {
		case c.isBusy(now), !among(c):
		case worst == nil, b.owned[c.owner] > b.owned[worst.owner],
			b.owned[c.owner] == b.owned[worst.owner] && c.byteRate(now) < worst.byteRate(now):
			worst = c
		}
	}
	if worst == nil {
		return false
	}
	b.forgetConn(worst)
	_ = worst.Conn.Close() // even if it fails, there is room
	return true
}

// forgetConn removes a connection from the open ones.
func (b *Listener) forgetConn(c *counted) {
	if _, open := b.open[c]; !open {
		return
	}
	delete(b.open, c)
	if b.owned[c.owner]--; b.owned[c.owner] == 0 {
		delete(b.owned, c.owner)
	}
	b.changed.Broadcast()
}

// Close implements net.Listener.
func (b *Listener) Close() error {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
	return b.Listener.Close()
}

// counted is an open connection. The listener's mutex guards all but Conn and of.
type counted struct {
	net.Conn
	of      *Listener
	owner   owner
	since   time.Time // when it was opened, or had its last answer
	octets  int64     // that came or went since
	working bool      // a request came whole, and its answer is not sent
	writes  int       // calls of Write that have not returned, and
	writing time.Time // since when there are some
}

// isBusy reports whether the server works on a request of the connection.
func (c *counted) isBusy(now time.Time) bool {
	return c.working && (c.writes == 0 || now.Sub(c.writing) < patience)
}

// head is how many bytes a new connection counts for, so that the younger of two that
// are silent is the faster one.
const head = 64

// byteRate is how many bytes came or went a second.
func (c *counted) byteRate(now time.Time) float64 {
	return float64(c.octets+head) / max(now.Sub(c.since).Seconds(), 1e-6)
}

// Read implements net.Conn.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.changeState(func() { c.octets += int64(n) })
	return n, err
}

// Write implements net.Conn.
func (c *counted) Write(p []byte) (int, error) {
	c.changeState(func() {
		if c.writes++; c.writes == 1 {
			c.writing = c.of.now()
		}
	})
	n, err := c.Conn.Write(p)
	c.changeState(func() {
		c.writes--
		c.octets += int64(n)
	})
	return n, err
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.changeState(func() { c.of.forgetConn(c) })
	return c.Conn.Close()
}

// changeState changes the state of the connection.
func (c *counted) changeState(f func()) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	f()
}

// belongTo enters whose connection it is. A client that has more than half of all
// loses its slowest other one; belongTo reports whether that was enough. A client
// without a certificate may have all.
func (c *counted) belongTo(client owner) (fair bool) {
	fair = true
	c.changeState(func() {
		if _, open := c.of.open[c]; open && c.owner != client {
			c.of.owned[client]++
			c.of.forgetConn(c)
			c.owner, c.of.open[c] = client, struct{}{}
		}
		most := max(1, c.of.most/2)
		for fair && client != (owner{}) && c.of.owned[client] > most {
			fair = c.of.closeSlowest(func(other *counted) bool { return other != c && other.owner == client })
		}
	})
	return fair
}

// noteWork notes that a request came whole.
func (c *counted) noteWork() { c.changeState(func() { c.working = true }) }

// ConnState is the function of that name of the server: a connection that is idle has
// sent its answer.
func ConnState(conn net.Conn, state http.ConnState) {
	c, ok := belowTLS(conn).(*counted)
	if !ok || state != http.StateIdle {
		return
	}
	c.changeState(func() {
		c.working, c.octets, c.since = false, 0, c.of.now()
		c.of.changed.Broadcast()
	})
}

// belowTLS returns the connection below TLS.
func belowTLS(conn net.Conn) net.Conn {
	if t, ok := conn.(*tls.Conn); ok {
		return t.NetConn()
	}
	return conn
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

// WithConn keeps a connection, as the server has it, for its requests.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, belowTLS(conn))
}
