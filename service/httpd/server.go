package httpd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spiffe/go-spiffe/v2/spiffeid"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/netbound"
)

// Call is a request whose body was read.
type Call struct {
	*http.Request
	Body seal.Object // nil for a request without one
}

// Identity is who a caller is: the parts of its SPIFFE id, such as acme.example,
// node and mesh-oslo-1.
type Identity struct{ TrustDomain, Role, Name string }

// Caller returns whom the verified client certificate names. It is refused if
// there is none, or if its one URI name is no SPIFFE id of a role and a name.
func (c *Call) Caller() (Identity, error) {
	if c.TLS == nil || len(c.TLS.VerifiedChains) == 0 {
		return Identity{}, Forbidden("expected a client certificate")
	}
	id, err := SPIFFEID(c.TLS.VerifiedChains[0][0])
	if err != nil {
		return Identity{}, Forbidden("expected a client certificate with one SPIFFE id")
	}
	role, name, _ := strings.Cut(strings.TrimPrefix(id.Path(), "/"), "/")
	if role == "" || name == "" {
		return Identity{}, Forbidden("expected a SPIFFE id of a role and a name, found %s", id)
	}
	return Identity{id.TrustDomain().Name(), role, name}, nil
}

// Number returns a query parameter that is a number from low to high, or
// otherwise if it is absent.
func (c *Call) Number(name string, low, high, otherwise int64) (int64, error) {
	values := c.URL.Query()[name]
	if len(values) == 0 {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || len(values) > 1 || n < low || n > high || strconv.FormatInt(n, 10) != values[0] {
		return 0, Invalid("%s: expected one number from %d to %d", name, low, high)
	}
	return n, nil
}

// Handle makes a handler of a function that answers a call with a document, or
// with an error as by [WriteProblem].
func Handle(f func(*Call) (seal.Object, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(w, r)
		var document seal.Object
		if err == nil {
			document, err = f(&Call{Request: r, Body: body})
		}
		if err != nil {
			WriteProblem(w, r, err)
			return
		}
		writeDocument(w, http.StatusOK, typeDocument, document)
	})
}

// bodiless are the methods whose requests have no document.
var bodiless = []string{http.MethodGet, http.MethodHead, http.MethodDelete}

// readBody reads the document of a request, nil for a method that has none.
func readBody(w http.ResponseWriter, r *http.Request) (seal.Object, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, Refuse(http.StatusRequestEntityTooLarge, "request_too_large", "expected a body of at most %d bytes",
			MaxRequest)
	case err != nil:
		return nil, Invalid("the body did not arrive whole")
	case slices.Contains(bodiless, r.Method):
		if len(b) > 0 {
			return nil, Invalid("expected no body")
		}
		return nil, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != typeDocument {
		return nil, Invalid("expected Content-Type %s", typeDocument)
	}
	document, err := seal.Parse(b)
	if err != nil {
		return nil, Invalid("the body: %s", strconv.QuoteToASCII(err.Error()))
	}
	return document, nil
}

// ServerTLS is TLS 1.3 for a server whose every caller has a certificate by one
// of the authorities.
func ServerTLS(identity tls.Certificate, clients *x509.CertPool) *tls.Config {
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{identity},
		ClientCAs:    clients,
		ClientAuth:   tls.RequireAndVerifyClientCert,
	}
}

// Serve answers on a listener until the context ends; then it lets the open requests finish,
// for ten seconds at most. A nil configuration serves without TLS. The listener is closed.
func Serve(ctx context.Context, l net.Listener, c *tls.Config, h http.Handler) error {
	l = netbound.New(l, maxConnections)
	if c != nil {
		l = tls.NewListener(l, c)
	}
	server := &http.Server{
		Handler:           netbound.Handler(h),
		ConnContext:       netbound.WithConn,
		ConnState:         netbound.ConnState,
		MaxHeaderBytes:    maxHeader,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		// Handshakes that fail are the callers' affair.
		ErrorLog: log.New(io.Discard, "", 0),
		// A poll that waits ends with the server.
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	if closed := <-ended; !errors.Is(closed, http.ErrServerClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

const lowest, highest = 20000, 32767

// Listen listens on 127.0.0.1, on any free port below the range for connections. A server that
// was down for a while can have the same one again: systems give the port numbers from 32768
// on to any connection.
func Listen() (net.Listener, error) {
	var l net.Listener
	var err error
	for range 100 {
		port := lowest + rand.IntN(highest-lowest+1) // #nosec G404 -- any will do
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return l, nil
		}
	}
	return nil, err
}

// oidAlternativeNames is subjectAltName, and tagURI a URI among its names (RFC
// 5280, 4.2.1.6).
var oidAlternativeNames = asn1.ObjectIdentifier{2, 5, 29, 17}

const tagURI = 6

// SPIFFEID returns the SPIFFE id of a certificate: its one URI name, byte for byte. The names
// that crypto/x509 parsed would not do, since net/url makes different names equal: SPIFFE://
// becomes spiffe://, and a # at the end is lost.
func SPIFFEID(certificate *x509.Certificate) (spiffeid.ID, error) {
	var found []asn1.RawValue
	for _, e := range certificate.Extensions {
		if !e.Id.Equal(oidAlternativeNames) {
			continue
		}
		var names []asn1.RawValue
		if rest, err := asn1.Unmarshal(e.Value, &names); err != nil || len(rest) > 0 {
			return spiffeid.ID{}, errors.New("the alternative names cannot be read")
		}
		found = append(found, slices.DeleteFunc(names, func(name asn1.RawValue) bool {
			return name.Class != asn1.ClassContextSpecific || name.Tag != tagURI
		})...)
	}
	if len(found) != 1 {
		return spiffeid.ID{}, errors.New("expected one URI name")
	}
	return spiffeid.FromString(string(found[0].Bytes))
}
