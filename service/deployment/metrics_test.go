package deployment_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestMetrics: a node's metrics are there for whoever has a certificate of the
// local API, and for nobody else; over all nodes each certificate counts once.
func TestMetrics(t *testing.T) {
	w := start(t, 3)
	for range 5 {
		w.issue()
	}
	w.eventually("the count of certificates", func() error {
		sum := 0
		for _, id := range w.Nodes {
			n, err := w.metric(id, "svc_node_certificates_issued_total")
			if err != nil {
				return err
			}
			sum += n
		}
		if sum != 5 {
			return fmt.Errorf("it is %d, want 5", sum)
		}
		return nil
	})
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet,
		"https://"+w.APIs[w.Nodes[0]]+"/metrics", nil))(t)
	bare := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: w.authority("local"), MinVersion: tls.VersionTLS13}}
	if answer, err := bare.RoundTrip(request); err == nil {
		answer.Body.Close()
		t.Error("the metrics are there without a certificate")
	}
}

// authority is one of the deployment's authorities.
func (w *world) authority(name string) *x509.CertPool {
	w.t.Helper()
	b := must.Get(os.ReadFile(filepath.Join(w.Dir, "authorities", name+".pem")))(w.t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(b)
	return pool
}

// metrics are the metrics of a node.
func (w *world) metrics(id string) ([]byte, error) {
	file := w.Client("observer", "prometheus")
	identity, err := tls.LoadX509KeyPair(file, strings.TrimSuffix(file, ".pem")+".key")
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: w.authority("local"), Certificates: []tls.Certificate{identity}, MinVersion: tls.VersionTLS13,
	}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get("https://" + w.APIs[id] + "/metrics")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// metric is a series without labels of a node's metrics.
func (w *world) metric(id, name string) (int, error) {
	b, err := w.metrics(id)
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(b), "\n"+name+" ")
	if !found {
		return 0, fmt.Errorf("%s has no %s", id, name)
	}
	var n int
	_, err = fmt.Sscan(rest, &n)
	return n, err
}
