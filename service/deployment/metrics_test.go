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

	"github.com/svc-edge/svc-verify/internal/must"
)

// counts has certificates issued: over all nodes each counts once.
func (w *world) counts() {
	w.t.Helper()
	for range 3 {
		w.issue()
	}
	must.EventuallyOK(w.t, "the count of certificates", func() error {
		sum := 0
		for _, id := range w.Nodes {
			n, err := w.metric(id, "svc_node_certificates_issued_total")
			if err != nil {
				return err
			}
			sum += n
		}
		if sum != 3 {
			return fmt.Errorf("it is %d, want 3", sum)
		}
		return nil
	})
}

// metric is a series without labels of a node's metrics.
func (w *world) metric(id, name string) (int, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must.Get(os.ReadFile(filepath.Join(w.Dir, "authorities", "local.pem")))(w.t))
	file := w.Client("observer", "prometheus")
	identity := must.Get(tls.LoadX509KeyPair(file, strings.TrimSuffix(file, ".pem")+".key"))(w.t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: roots, Certificates: []tls.Certificate{identity}, MinVersion: tls.VersionTLS13,
	}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get("https://" + w.APIs[id] + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	b := must.Get(io.ReadAll(answer.Body))(w.t)
	_, rest, found := strings.Cut(string(b), "\n"+name+" ")
	if !found {
		return 0, fmt.Errorf("%s has no %s", id, name)
	}
	var n int
	_, err = fmt.Sscan(rest, &n)
	return n, err
}
