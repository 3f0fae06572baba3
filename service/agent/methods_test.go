package agent_test

import (
	"crypto/tls"
	"net/http"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/must"
)

// TestMethodsOfTheLocalAPI: what is there is read by GET and HEAD alone, and says
// so; what is not there has no methods.
func TestMethodsOfTheLocalAPI(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	defer stop()
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: d.local.Pool(), Certificates: []tls.Certificate{d.observer}, MinVersion: tls.VersionTLS13,
	}}}
	defer client.CloseIdleConnections()
	for path, there := range map[string]bool{"/healthz": true, "/metrics": true, "/none": false} {
		for method, reads := range map[string]bool{"GET": true, "HEAD": true, "POST": false, "PUT": false, "PATCH": false,
			"DELETE": false, "OPTIONS": false, "BREW": false} {
			r := must.Get(http.NewRequest(method, "https://"+a.Address().String()+path, http.NoBody))(t)
			answer := must.Get(client.Do(r))(t)
			answer.Body.Close()
			status, allow := http.StatusOK, ""
			switch {
			case !there:
				status = http.StatusNotFound
			case !reads:
				status, allow = http.StatusMethodNotAllowed, "GET, HEAD"
			}
			if found := answer.Header.Get("Allow"); answer.StatusCode != status || found != allow {
				t.Errorf("%s %s: %d, Allow: %q, want %d, %q", method, path, answer.StatusCode, found, status, allow)
			}
		}
	}
}
