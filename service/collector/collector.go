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

	"github.com/svc-edge/svc-verify/service/form"
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
	ModeFile string         // names a [Mode], and may be absent; "" for none
	Log      *slog.Logger
}

// Counts are a collector's numbers of requests and records.
type Counts struct {
	Requests int64 // that came for [Path], whatever became of them
	Records  int64 // that are on disk
}

// Collector is a running collector.
type Collector struct {
	Config
	mode form.Mode[Mode]
	end  func() error // ends the server, and waits for it

	mu     sync.Mutex // guards the fields below
	file   *file
	counts Counts
}

// errDown refuses a connection while the collector is down.
var errDown = errors.New("told to be down")

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
	c := &Collector{Config: config, file: f,
		mode: form.Mode[Mode]{All: Modes(), File: config.ModeFile, Log: config.Log}}
	security := httpd.ServerTLS(config.Identity, config.Clients)
	security.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if c.Mode() == Down {
			return nil, errDown
		}
		return nil, nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Path, c.receive)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- httpd.Serve(ctx, l, security, mux) }()
	c.end = func() error {
		cancel()
		return <-ended
	}
	return c, nil
}

// URL is where an exporter sends to.
func (c *Collector) URL() string { return "https://" + c.Address + Path }

// SetMode changes how the collector behaves from the next request on, if no file does.
func (c *Collector) SetMode(m Mode) error { return c.mode.Set(m) }

// Mode is how the collector behaves now.
func (c *Collector) Mode() Mode { return c.mode.Now() }

// Counts returns the collector's counts since it was started.
func (c *Collector) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Close ends the collector and closes its file. It is called once.
func (c *Collector) Close() error { return errors.Join(c.end(), c.file.f.Close()) }

// receive handles one request.
func (c *Collector) receive(w http.ResponseWriter, r *http.Request) {
	b, ok := behaviours[c.Mode()]
	if !ok { // it is down, and the connection was there before
		panic(http.ErrAbortHandler)
	}
	c.mu.Lock()
	c.counts.Requests++
	c.mu.Unlock()
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
	rejected := b.keep(logs)
	if err := c.keep(logs, r.Header.Values(batchHeader)); err != nil {
		c.Log.Error("a request could not be kept", "error", err.Error())
		http.Error(w, "the request could not be kept", http.StatusServiceUnavailable)
		return
	}
	b.answer(w, r, rejected)
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
