package netbound

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// retryAfter is after how many seconds a client with more than its share is asked to
// try again.
const retryAfter = 5

// Handler reports to the [Listener] of the connection how far each request is. A request
// counts as received when the handler has read its body to the end. A client is refused while
// the server works on requests of it over half of the connections.
func Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*counted)
		if !ok {
			h.ServeHTTP(w, r)
			return
		}
		if !c.belongTo(ownerOf(r)) {
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
			http.Error(w, "too many requests of this client at once: try again later", http.StatusTooManyRequests)
			return
		}
		if r.ContentLength == 0 {
			c.noteWork()
		} else {
			r.Body = &body{r.Body, c}
		}
		h.ServeHTTP(w, r)
	})
}

// ownerOf returns whose request it is.
func ownerOf(r *http.Request) (client owner) {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		client = sha256.Sum256(r.TLS.PeerCertificates[0].Raw)
	}
	return client
}

// body notes when the body of a request has come whole.
type body struct {
	io.ReadCloser
	conn *counted
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.conn.noteWork()
	}
	return n, err
}
