package edge

import (
	"crypto/x509"
	"net/http"
)

// Through has a watch ask something else than the network.
func Through(w *Watch, t http.RoundTripper) { w.Client.http.Transport = t }

// Backoff is how long a watch waits after so many failures.
var Backoff = backoff

// Origin reads the URL of a node.
func Origin(text string) error {
	_, err := origin(text)
	return err
}

// Proxies reports whether a client would ask the environment for a proxy: that
// never names one for a loopback address, so no test could see it.
func Proxies(c *Client) bool { return c.http.Transport.(*http.Transport).Proxy != nil }

// Leaf is the certificate of the connection that answered last.
func Leaf(w *Watch) *x509.Certificate { return w.Client.leaf }
