package deployment_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// meetHostile has node and workload meet a store that sends back the token that
// they showed, and a private key, in every way that it can think of.
func (w *world) meetHostile(key string) {
	w.t.Helper()
	identity, err := tls.LoadX509KeyPair(filepath.Join(w.Dir, "store", "server.pem"),
		filepath.Join(w.Dir, "store", "server.key"))
	must.Do(w.t, err)
	var l net.Listener
	w.eventually("the address of the store", func() error {
		l, err = net.Listen("tcp", w.Store)
		return err
	})
	h := &hostile{key: key, asked: map[string]int{}}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(tls.NewListener(l,
			&tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{identity}}))
	}()
	w.eventually("those who ask a hostile store", func() error {
		w.issue() // which has the node look at the store, see storeIs
		return h.askedEnough()
	})
	check.Do(w.t, server.Close())
	<-ended
}

// hostile is a store that has gone over to the other side.
type hostile struct {
	key string

	mu    sync.Mutex
	asked map[string]int // by token
}

// askedEnough is nil if two have asked often enough to see every answer.
func (h *hostile) askedEnough() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	enough := 0
	for _, n := range h.asked {
		if n >= 4 {
			enough++
		}
	}
	if enough < 2 {
		return fmt.Errorf("%d have asked, %d of them enough", len(h.asked), enough)
	}
	return nil
}

func (h *hostile) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	token := r.Header.Get("X-Vault-Token")
	h.mu.Lock()
	n := h.asked[token]
	h.asked[token]++
	h.mu.Unlock()
	rw.Header().Set("Content-Type", "application/json")
	switch n % 4 {
	case 0:
		rw.WriteHeader(http.StatusForbidden)
		_,
			_ = rw.Write(
			seal.Canonical(seal.Object{"errors": seal.Strings([]string{token, h.key, "token " + token + " is bad"})}))
	case 1:
		rw.Header().Set("Location", "https://"+r.Host+"/"+token)
		rw.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = io.WriteString(rw, token) //nolint:gosec // nobody who reads it is a browser
	case 2:
		_, _ = rw.Write(seal.Canonical(seal.Object{"data": seal.Object{
			"data": seal.Object{
				"protocol": h.key, "slot": token, "active": h.key, token: token, "certificate_pem": h.key, "private_key_pem": h.key,
				"generation": h.key, "active_sha256": token, "updated_at": token, "certificate_sha256": token, "created_at": h.key,
			},
			"metadata": seal.Object{"version": int64(1), "created_time": token, "deletion_time": h.key, "destroyed": false},
		}}))
	case 3:
		rw.Header().Set("Content-Type", token)
		_, _ = io.WriteString(rw, token+h.key) //nolint:gosec // as above
	}
}
