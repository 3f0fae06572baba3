// Package httpd is the HTTP that all parts of the service share. It has TLS 1.3
// with certificates on both ends, limits, JSON documents as bodies (SPEC 1.1),
// problem documents as errors (RFC 9457), and the identities of callers
// (service/docs/service.md).
package httpd

import "time"

// Limits of a server and a client. Each bounds the cost that a peer can cause.
const (
	MaxRequest = 1 << 20 // bytes of a request's body
	MaxAnswer  = 8 << 20 // bytes of an answer's body that a client reads

	maxHeader      = 16 << 10
	maxConnections = 1024 // of a server, see package netbound
	headerTimeout  = 10 * time.Second
	readTimeout    = 30 * time.Second
	// writeTimeout is longer than the longest poll.
	writeTimeout = 120 * time.Second
	idleTimeout  = 120 * time.Second
	// drainTimeout is how long a server that ends waits for its callers.
	drainTimeout = 10 * time.Second
)

// Kinds of media.
const (
	typeDocument = "application/json"
	typeProblem  = "application/problem+json"
)
