package receive

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"net/http"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestStop: a request that is on its way when the sink stops is kept and
// answered, and no other is taken.
func TestStop(t *testing.T) {
	s := start(t, options(t.TempDir()))
	body := proto(journal()[:50]...)
	from, to := io.Pipe()
	r := must.Have(http.NewRequest(http.MethodPost, s.base+logsPath, from))
	r.Header.Set("Content-Type", typeProto)
	status := make(chan int, 1)
	go func() {
		answer, err := oslo().Do(r)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		answer.Body.Close()
		status <- answer.StatusCode
	}()
	must.Have(to.Write(body[:1000]))
	<-s.active
	stopped := make(chan Counts, 1)
	go func() { stopped <- s.stop() }()
	must.Have(to.Write(body[1000:]))
	must.Do(t, to.Close())
	got := <-status
	check.That(t, got == http.StatusOK, "answered %d", got)
	if got := <-stopped; got.Requests != 1 || got.Events != 50 {
		t.Errorf("%+v", got)
	}
	if r, err := s.post(client(ours().Client("late")), message{kind: typeProto, body: body}); err == nil {
		t.Errorf("%d after the stop", r.status)
	}
	sources := must.Have(s.reader().Sources(t.Context()))
	check.That(t, len(sources) == 1 && sources[0].Events == 50, "%+v", sources)
}

// TestAfterTheStop: a request that comes to the archive too late is put off.
func TestAfterTheStop(t *testing.T) {
	s := start(t, options(t.TempDir()))
	s.stop()
	_, err := s.archive.keepRequest(&job{err: make(chan error, 1)})
	check.That(t, err == errStopped, "%v", err)
	a := s.notKept(errStopped)
	check.That(t, a.status == http.StatusServiceUnavailable && a.header == "Retry-After", "%+v", a)
}

// TestClientOf: a client is named as its certificate names it, not as net/url
// would spell that.
func TestClientOf(t *testing.T) {
	ca := testca.New("ours")
	for id, want := range map[string]string{
		"spiffe://acme.example/node/oslo":   "spiffe://acme.example/node/oslo",
		"SPIFFE://acme.example/node/oslo":   "SPIFFE://acme.example/node/oslo",
		"spiffe://acme.example/node/oslo#":  "spiffe://acme.example/node/oslo#",
		"spiffe://acme.example/node/oslo#x": "spiffe://acme.example/node/oslo#x",
	} {
		template := testca.SpeltTemplate("", id)
		template.Subject = pkix.Name{}
		state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{ca.Issue(template).Leaf}}
		got := clientOf(state)
		check.That(t, got == want, "%s is named %q", id, got)
	}
}
