package secretstore

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const userAgent = "svc-edge-node"

// maxAnswerHeader is how long the header of an answer is in bytes.
const maxAnswerHeader = 16 << 10

// singleTransport makes a connection for each request, by TLS 1.2 or later. A nil
// Proxy means none, whatever the environment says; a transport that is given a
// configuration of TLS speaks HTTP/1.1 alone, which never makes a request twice
// on a new connection.
func singleTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: timeout}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    timeout,
		MaxResponseHeaderBytes: maxAnswerHeader,
		DisableKeepAlives:      true,
		DisableCompression:     true,
	}
}
