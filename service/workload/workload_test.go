package workload_test

import (
	"crypto/tls"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/workload"
)

// TestFollows: the workload serves the certificate that the pointer names and nothing else.
func TestFollows(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.complains(1)
	if _, _, err := s.ask(http.MethodGet, workload.HealthPath, &tls.Config{}); err == nil { //nolint:gosec // any version
		t.Error("it shook hands without a certificate")
	}
	first, second, third := generation(t, 1), generation(t, 2), generation(t, 3)
	s.put(first)
	s.becomes(first, http.StatusOK)
	s.put(second)
	s.becomes(second, http.StatusOK)

	s.store.change(func() { s.store.away = true })
	s.complains(2)
	s.stays(second, http.StatusOK)
	s.store.change(func() { s.store.away = false })

	// A generation with the key of another one is not taken up.
	mixed := third
	mixed.PrivateKeyPEM = first.PrivateKeyPEM
	s.store.readAgain(t)
	s.put(mixed)
	s.complains(3)
	s.stays(second, http.StatusOK)
	s.put(third)
	s.becomes(third, http.StatusOK)
	s.complains(3)
	n := strings.Count(s.log.String(), "another certificate is in use")
	check.That(t, n == 3, "it took up %d certificates, want 3:\n%s", n, s.log)
}

// TestModes: the workload misbehaves as its mode demands, and at once.
func TestModes(t *testing.T) {
	t.Parallel()
	s := start(t)
	first, second, third := generation(t, 1), generation(t, 2), generation(t, 3)
	s.put(first)
	s.becomes(first, http.StatusOK)
	s.behave("down")
	s.stays(first, http.StatusServiceUnavailable)
	s.put(second)
	s.becomes(second, http.StatusServiceUnavailable)
	s.behave("banana") // changes nothing
	s.stays(second, http.StatusServiceUnavailable)
	s.behave("stuck")
	s.stays(second, http.StatusOK)
	s.put(third)
	s.store.readAgain(t)
	s.stays(second, http.StatusOK)
	s.behave("follow")
	s.becomes(third, http.StatusOK)
	must.Do(t, os.Remove(s.mode))
	s.stays(third, http.StatusOK)
	check.That(t, check.Err(workload.ParseMode("banana")) != nil, "banana is a mode")
}

// TestServes: other requests are refused, and the allowed ones are not.
func TestServes(t *testing.T) {
	t.Parallel()
	s := start(t)
	first := generation(t, 1)
	s.put(first)
	s.becomes(first, http.StatusOK)
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{http.MethodHead, workload.HealthPath, http.StatusOK},
		{http.MethodPost, workload.HealthPath, http.StatusMethodNotAllowed},
		{http.MethodGet, "/", http.StatusNotFound},
		{http.MethodGet, workload.HealthPath + "/", http.StatusNotFound},
	} {
		if status, _, err := s.ask(c.method, c.path, &tls.Config{}); err != nil ||
			status != c.want { //nolint:gosec // any version
			t.Errorf("%s %s: %d, %v, want %d", c.method, c.path, status, err, c.want)
		}
	}
	for version, well := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		config := &tls.Config{MinVersion: version, MaxVersion: version} //nolint:gosec // what is old is what is tried
		if _, _, err := s.ask(http.MethodGet, workload.HealthPath, config); (err == nil) != well {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
	}
}
