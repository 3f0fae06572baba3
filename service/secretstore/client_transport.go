package secretstore

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/service/nodeconfig"
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

// keyPair is an identity as TLS takes it.
func keyPair(id nodeconfig.Identity) tls.Certificate {
	pair := tls.Certificate{PrivateKey: id.Key, Leaf: id.Chain[0]}
	for _, c := range id.Chain {
		pair.Certificate = append(pair.Certificate, c.Raw)
	}
	return pair
}
