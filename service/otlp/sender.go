package otlp

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// maxResponse bounds an answer's body in bytes.
const maxResponse = 64 << 10

// mediaType is the media type of OTLP over HTTP in protobuf, for request and answer.
const mediaType = "application/x-protobuf"

// batchHeader carries the batch id, SPEC 9.2.
const batchHeader = "X-Svc-Edge-Audit-Batch"

// failure is why a batch was not exported.
type failure struct {
	code  string
	cause error
}

// Error returns code and cause.
func (f *failure) Error() string { return f.code + ": " + f.cause.Error() }

func failOTLP(code, format string, args ...any) *failure {
	return &failure{code, fmt.Errorf(format, args...)}
}

// sender makes requests of one collector.
type sender struct {
	export    *nodeconfig.Export
	chain     []*x509.Certificate // of the identity that the transport shows
	transport *http.Transport
}

// send sends a request body under a batch id, and returns the collector's message to people if
// the collector accepted all of it. Any other end is a *failure.
func (s *sender) send(ctx context.Context, now time.Time, batchID string, body []byte) (string, error) {
	if err := s.identify(now); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, s.export.RequestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.export.Endpoint, bytes.NewReader(body))
	if err != nil {
		return "", failOTLP(TransportFailed, "%w", err)
	}
	request.Header.Set("Content-Type", mediaType)
	request.Header.Set(batchHeader, batchID)
	request.Header.Set("User-Agent", "svc-edge-node")
	// The transport itself follows no redirect and keeps no cookie.
	answer, err := s.transport.RoundTrip(request)
	if err != nil {
		return "", failOTLP(TransportFailed, "%w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	return judgeAnswer(answer)
}

// judgeAnswer decides whether an answer is acceptance (service/docs/service.md).
func judgeAnswer(answer *http.Response) (string, error) {
	switch status := answer.StatusCode; {
	case status >= 300 && status <= 399:
		return "", failOTLP(TransportFailed, "the collector redirects, with status %d", status)
	case status != http.StatusOK:
		return "", failOTLP(CollectorRejected, "the collector answers with status %d", status)
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != mediaType {
		return "", failOTLP(ResponseInvalid, "expected an answer of the media type %s", mediaType)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse+1))
	if err != nil {
		return "", failOTLP(TransportFailed, "the answer did not arrive whole: %w", err)
	}
	if len(body) > maxResponse {
		return "", failOTLP(ResponseInvalid, "expected an answer of at most %d bytes", maxResponse)
	}
	r, err := decodeResponse(body)
	switch {
	case err != nil:
		return "", failOTLP(ResponseInvalid, "%w", err)
	case r.GetRejectedLogRecords() < 0:
		return "", failOTLP(ResponseInvalid, "expected a number of rejected records, found %d", r.GetRejectedLogRecords())
	case r.GetRejectedLogRecords() > 0:
		return "", failOTLP(PartialSuccess, "the collector rejected %d records, and says %.200q",
			r.GetRejectedLogRecords(), r.GetErrorMessage())
	}
	return r.GetErrorMessage(), nil
}

// identify reads the client identity anew, and sees to it that connections are
// made with it.
func (s *sender) identify(now time.Time) error {
	id, faults := s.export.Identity.ReadClient(now)
	for _, c := range id.Chain {
		if now.Before(c.NotBefore) || now.After(c.NotAfter) {
			return failOTLP(ClientIdentityExpired, "the certificate %q is valid from %s to %s", c.Subject,
				c.NotBefore.UTC(), c.NotAfter.UTC())
		}
	}
	if len(faults) > 0 {
		return failOTLP(TransportFailed, "the client identity: %w", faults)
	}
	if s.transport != nil && slices.EqualFunc(s.chain, id.Chain, (*x509.Certificate).Equal) {
		return nil
	}
	s.close()
	s.chain, s.transport = id.Chain, httpd.Transport(&tls.Config{
		MinVersion:   tls.VersionTLS13,
		RootCAs:      s.export.Authorities.Pool(),
		Certificates: []tls.Certificate{id.Pair()},
	}, s.export.RequestTimeout)
	return nil
}

// close ends connections that are not in use.
func (s *sender) close() {
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
}
