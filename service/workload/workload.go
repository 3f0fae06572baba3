package workload

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/secretstore/consumer"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// HealthPath is the one path that the workload answers.
const HealthPath = "/healthz"

// pollInterval is how often the pointer is read.
const pollInterval = 500 * time.Millisecond

// Config configures a workload.
type Config struct {
	// Store is read with the workload's own token.
	Store consumer.Reader
	// ModeFile names the file that holds a [Mode]. It is looked at whenever the
	// mode matters, and may be absent.
	ModeFile string
	Log      *slog.Logger
}

// workload is a running workload.
type workload struct {
	Config
	mode form.Mode[Mode]

	mu         sync.Mutex       // guards the fields below
	pair       *tls.Certificate // nil before the first one
	generation string           // which one it is
	complaint  string           // the last error of the store
}

// Serve serves HTTPS (TLS 1.2 or later) on a listener with the pair that the
// pointer names, until the context ends. It looks for another pair every half
// second, and keeps the one that it has while the store is away. Before it has
// one it refuses every handshake. The listener is closed.
func Serve(ctx context.Context, l net.Listener, config Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &workload{Config: config, mode: form.Mode[Mode]{All: Modes(), File: config.ModeFile, Log: config.Log}}
	var following sync.WaitGroup
	following.Go(func() { w.follow(ctx) })
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+HealthPath, w.answer)
	err := httpd.Serve(ctx, l, w.tls(), mux)
	cancel()
	following.Wait()
	return err
}

func (w *workload) tls() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return w.current() },
		// A resumed session would go on showing the leaf that it began with.
		SessionTicketsDisabled: true,
	}
}

// current is the pair that is served.
func (w *workload) current() (*tls.Certificate, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pair == nil {
		return nil, errors.New("the workload has no certificate yet")
	}
	return w.pair, nil
}

// answer answers a health check.
func (w *workload) answer(rw http.ResponseWriter, _ *http.Request) {
	if w.mode.Now() == Down {
		http.Error(rw, "told to be down", http.StatusServiceUnavailable)
		return
	}
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(rw, "ok\n") // a client that is gone asks again
}

// follow uses the certificate that the pointer names, until the context ends.
func (w *workload) follow(ctx context.Context) {
	for ctx.Err() == nil {
		w.poll(ctx)
		_ = httpd.Pause(ctx, pollInterval, nil)
	}
}

// poll reads the pointer and its generation once.
func (w *workload) poll(ctx context.Context) {
	g, err := consumer.Read(ctx, w.Store)
	var pair tls.Certificate
	if err == nil {
		pair, err = g.Certificate()
	}
	if ctx.Err() != nil {
		return
	}
	stuck := w.mode.Now() == Stuck
	w.mu.Lock()
	defer w.mu.Unlock()
	complaint := fmt.Sprint(err)
	if err != nil && complaint != w.complaint {
		w.Log.Warn("the secret store has no certificate to use", "in_use", w.generation, "error", complaint)
	}
	w.complaint = complaint
	if err != nil || stuck || g.String() == w.generation {
		return
	}
	w.pair, w.generation = &pair, g.String()
	w.Log.Info("another certificate is in use", "slot", record.SlotName(g.Slot), "certificate_sha256",
		g.CertificateSHA256)
}

// Mode is how a workload behaves.
type Mode string

// The modes.
const (
	Follow Mode = "follow" // uses the certificate that the pointer names
	Stuck  Mode = "stuck"  // keeps the certificate that it has
	Down   Mode = "down"   // uses the certificate that the pointer names, and answers 503
)

// Modes returns all modes.
func Modes() []Mode { return []Mode{Follow, Stuck, Down} }

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) { return form.OneOf(name, Modes()) }
