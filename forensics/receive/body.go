package receive

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"sync"
)

// memory is the budget of the bodies of all requests together. One client may not hold all of
// it, so that bodies that it does not end leave room for another client.
type memory struct {
	mu   sync.Mutex
	left int64
	most int64            // for one client
	held map[string]int64 // by each client
}

// reserveMemory reports whether n more bytes are free for a client, and reserves them if so.
// A negative n releases.
func (m *memory) reserveMemory(client string, n int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n > 0 && (n > m.left || m.held[client]+n > m.most) {
		return false
	}
	m.left -= n
	if m.held[client] += n; m.held[client] == 0 {
		delete(m.held, client)
	}
	return true
}

// The faults of a body that are found before its content is read.
var (
	errTooLarge   = errors.New("the body is too large")
	errNoMemory   = errors.New("too many bodies at once")
	errConnection = errors.New("the connection did not bring the whole body")
	errGzip       = errors.New("the body is no gzip data")
)

// body is a body in memory. It holds on to its share until it is dropped.
type body struct {
	memory *memory
	client string
	held   int64
	bytes  []byte
}

func (b *body) dropBody() {
	b.memory.reserveMemory(b.client, -b.held)
	b.held, b.bytes = 0, nil
}

// readBody reads a request's body and decompresses it. Neither form of it may have more than
// most bytes.
func (b *body) readBody(r *http.Request, most int64) error {
	if r.ContentLength > most {
		return errTooLarge
	}
	raw := &transport{r: io.LimitReader(r.Body, most+1)}
	err := b.decodeBody(raw, r.Header.Get("Content-Encoding") == "gzip", most)
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, errNoMemory):
		return err
	case raw.err != nil:
		return errConnection
	case raw.n > most:
		return errTooLarge
	case err != nil:
		return errGzip
	}
	return nil
}

func (b *body) decodeBody(raw io.Reader, compressed bool, most int64) error {
	if !compressed {
		return b.readToEnd(raw, most)
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return err
	}
	return b.readToEnd(z, most)
}

// readToEnd reads to the end, with a share of the memory taken before it is used.
func (b *body) readToEnd(r io.Reader, most int64) error {
	for {
		if len(b.bytes) == cap(b.bytes) && !b.growBuffer(most) {
			return errNoMemory
		}
		n, err := r.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > most:
			return errTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// firstShare is the memory that the smallest body uses.
const firstShare = 32 << 10

func (b *body) growBuffer(most int64) bool {
	size := min(max(firstShare, 2*b.held), most+1)
	if !b.memory.reserveMemory(b.client, size-b.held) {
		return false
	}
	b.held = size
	b.bytes = append(make([]byte, 0, size), b.bytes...)
	return true
}

// transport distinguishes a connection that failed from data that is wrong: the first is no
// reason to refuse the request for ever.
type transport struct {
	r   io.Reader
	n   int64
	err error
}

func (t *transport) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}
