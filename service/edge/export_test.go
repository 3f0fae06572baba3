package edge

import (
	"context"
	"net/http"
	"time"
)

// NoPause makes a watch try again at once, and calls f with what it would have
// waited.
func NoPause(w *Watch, f func(time.Duration)) {
	w.pause = func(_ context.Context, d time.Duration) { f(d) }
}

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
