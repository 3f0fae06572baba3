package collector

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/svc-edge/svc-verify/service/httpd"
)

// Path is where the collector accepts requests.
const Path = "/v1/logs"

const (
	mediaType = "application/x-protobuf"
	// batchHeader is the header that names a batch (SPEC 9.2), and the attribute made from it.
	batchHeader = "x-svc-edge-audit-batch"
	// maxRequest bounds a request, in bytes: 1 MiB of events and the data around them.
	maxRequest = 4 << 20
)

// Config configures a collector.
type Config struct {
	Address  string // to listen at, host:port; port 0 is chosen once
	Identity tls.Certificate
	Clients  *x509.CertPool // the authorities of the clients
	File     string         // the file to write, such as logs.jsonl
	Log      *slog.Logger
}

// Counts are a collector's numbers of requests and records.
type Counts struct {
	Requests int64 // that came, whatever became of them
	Records  int64 // that are on disk
}

// Collector is a running collector.
type Collector struct {
	Config
	life context.Context // for servers that are started later

	mu     sync.Mutex // guards the fields below
	file   *file
	mode   Mode
	counts Counts
	// down ends the server that is running, and waits for it; nil while none is.
	down func() error

	changing sync.Mutex // one change of the mode at a time
}

// Start starts a collector, in mode [Accept]. It answers until the context ends;
// then Close waits for the last request.
func Start(ctx context.Context, config Config) (*Collector, error) {
	l, err := net.Listen("tcp", config.Address)
	if err != nil {
		return nil, err
	}
	f, err := openFile(config.File)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	config.Address = l.Addr().String()
	c := &Collector{Config: config, life: ctx, file: f, mode: Accept}
	c.serve(l)
	return c, nil
}

// URL is where an exporter sends to.
func (c *Collector) URL() string { return "https://" + c.Address + Path }

// SetMode changes how the collector behaves from the next request on. When it
// returns, the collector has ended to listen, or listens again.
func (c *Collector) SetMode(m Mode) error {
	if _, err := ParseMode(string(m)); err != nil {
		return err
	}
	c.changing.Lock()
	defer c.changing.Unlock()
	c.mu.Lock()
	c.mode = m
	down := c.down
	c.mu.Unlock()
	switch {
	case m == Down && down != nil:
		err := down()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.down = nil
		return err
	case m != Down && down == nil:
		return c.up()
	}
	return nil
}

// Mode is how the collector behaves now.
func (c *Collector) Mode() Mode {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mode
}

// Counts returns the collector's counts since it was started.
func (c *Collector) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Close ends the collector and closes its file.
func (c *Collector) Close() error {
	return errors.Join(c.SetMode(Down), c.file.f.Close())
}

// up listens at the same address again.
func (c *Collector) up() error {
	l, err := net.Listen("tcp", c.Address)
	if err == nil {
		c.serve(l)
	}
	return err
}

// serve answers on a listener until down is called, or until the collector ends.
func (c *Collector) serve(l net.Listener) {
	ctx, cancel := context.WithCancel(c.life)
	ended := make(chan error, 1)
	go func() { ended <- httpd.Serve(ctx, l, httpd.ServerTLS(c.Identity, c.Clients), c) }()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = func() error {
		cancel()
		return <-ended
	}
}

// ServeHTTP handles one request.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode := c.count()
	if r.URL.Path != Path {
		http.Error(w, "expected POST "+Path, http.StatusNotFound)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "expected POST "+Path, http.StatusMethodNotAllowed)
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != mediaType {
		http.Error(w, "expected "+mediaType, http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		http.Error(w, fmt.Sprintf("expected at most %d bytes", maxRequest), http.StatusRequestEntityTooLarge)
		return
	}
	// An ExportLogsServiceRequest has one field only, the same as LogsData.
	var logs plog.Logs
	if err == nil {
		logs, err = (&plog.ProtoUnmarshaler{}).UnmarshalLogs(body)
	}
	if err != nil {
		http.Error(w, "expected an ExportLogsServiceRequest", http.StatusBadRequest)
		return
	}
	b, ok := behaviours[mode]
	if !ok { // the mode became Down while the request was under way
		panic(http.ErrAbortHandler)
	}
	rejected := b.keep(logs)
	if err := c.keep(logs, r.Header.Values(batchHeader)); err != nil {
		c.Log.Error("a request could not be kept", "error", err.Error())
		http.Error(w, "the request could not be kept", http.StatusServiceUnavailable)
		return
	}
	b.answer(w, r, rejected)
}

func (c *Collector) count() Mode {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Requests++
	return c.mode
}

// keep writes records, with the batch ids as an attribute of each.
func (c *Collector) keep(logs plog.Logs, ids []string) error {
	records := logs.LogRecordCount()
	if records == 0 {
		return nil
	}
	eachRecords(logs, func(records plog.LogRecordSlice) {
		for _, record := range records.All() {
			for _, id := range ids {
				record.Attributes().PutStr(batchHeader, id)
			}
		}
	})
	line, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.file.add(append(line, '\n')); err != nil {
		return err
	}
	c.counts.Records += int64(records)
	return nil
}
