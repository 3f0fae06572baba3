package workload_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/secretstore"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
	"github.com/svc-edge/svc-verify/service/workload"
)

// shelf is a store in memory that may be away.
type shelf struct {
	mu      sync.Mutex
	away    bool
	records map[string]seal.Object
	reads   int
}

func (s *shelf) Read(_ context.Context, path string) (seal.Object, secretstore.Metadata, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.away {
		return nil, secretstore.Metadata{}, errors.New("away")
	}
	o, ok := s.records[path]
	if !ok {
		return nil, secretstore.Metadata{}, secretstore.ErrAbsent
	}
	return o, secretstore.Metadata{Version: 1}, nil
}

// change changes the store.
func (s *shelf) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// readAgain waits until the workload has read the generation that the pointer names, from
// beginning to end.
func (s *shelf) readAgain(t *testing.T) {
	t.Helper()
	count := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.reads
	}
	before := count()
	must.EventuallyOK(t, "another poll", func() error {
		if n := count() - before; n < 4 {
			return fmt.Errorf("%d reads", n)
		}
		return nil
	})
}

// generation is a new certificate with its key.
func generation(t *testing.T, slot int64) record.Generation {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(slot), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour)}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	return must.Get(record.NewGeneration(slot, [][]byte{der}, key, seal.Time(time.Now())))(t)
}

// scene is a workload that runs.
type scene struct {
	*testing.T
	store         *shelf
	mode, address string
	sessions      tls.ClientSessionCache // of a client that resumes where it can
	log           *must.Text
	stop          func()
}

func start(t *testing.T) *scene {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := &scene{T: t, store: &shelf{records: map[string]seal.Object{}}, address: l.Addr().String(), log: new(must.Text),
		sessions: tls.NewLRUClientSessionCache(0)}
	s.mode = filepath.Join(t.TempDir(), "mode")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- workload.Serve(ctx, l, workload.Config{
			Store: s.store, ModeFile: s.mode, Log: slog.New(slog.NewJSONHandler(s.log, nil)),
		})
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		check.Do(t, <-ended)
		check.That(t, !strings.Contains(s.log.String(), "PRIVATE KEY"), "the log has a key")
	})
	t.Cleanup(s.stop)
	return s
}

// put puts a generation into the store and has the pointer name it.
func (s *scene) put(g record.Generation) {
	s.store.change(func() {
		s.store.records[record.GenerationPath(g.Slot)] = g.Object()
		s.store.records[record.PointerPath] = record.Pointer{
			Active: record.Named{Slot: g.Slot, SHA256: g.CertificateSHA256}, UpdatedAt: seal.Time(time.Now()),
		}.Object()
	})
}

// behave sets the workload's mode.
func (s *scene) behave(mode string) {
	s.Helper()
	must.Do(s, os.WriteFile(s.mode+".next", []byte(mode+"\n"), 0o600))
	must.Do(s, os.Rename(s.mode+".next", s.mode))
}

// ask asks the workload over a new connection.
func (s *scene) ask(method, path string, config *tls.Config) (status int, leaf []byte, err error) {
	config.InsecureSkipVerify = true //nolint:gosec // the leaf is compared
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true},
		Timeout: 30 * time.Second}
	request, err := http.NewRequestWithContext(s.Context(), method, "https://"+s.address+path, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, answer.TLS.PeerCertificates[0].Raw, answer.Body.Close()
}

// shows is nil if the health check answers with a status and a generation's leaf.
func (s *scene) shows(g record.Generation, status int) error {
	pair, err := g.Certificate()
	if err != nil {
		return err
	}
	found, leaf, err := s.ask(http.MethodGet, workload.HealthPath,
		&tls.Config{ClientSessionCache: s.sessions}) //nolint:gosec // any version
	if err == nil && (found != status || !bytes.Equal(leaf, pair.Certificate[0])) {
		err = fmt.Errorf("status %d, the leaf expected: %v", found, bytes.Equal(leaf, pair.Certificate[0]))
	}
	return err
}

// complains waits until the workload has said so often that the store has nothing
// for it.
func (s *scene) complains(count int) {
	s.Helper()
	must.EventuallyOK(s.T, "a complaint", func() error {
		if n := strings.Count(s.log.String(), "the secret store has no certificate to use"); n != count {
			return fmt.Errorf("%d complaints, want %d", n, count)
		}
		return nil
	})
}

// becomes waits until the workload shows a generation.
func (s *scene) becomes(g record.Generation, status int) {
	s.Helper()
	must.EventuallyOK(s.T, g.String(), func() error { return s.shows(g, status) })
}

// stays holds that the workload shows a generation.
func (s *scene) stays(g record.Generation, status int) {
	s.Helper()
	check.Do(s, s.shows(g, status))
}
