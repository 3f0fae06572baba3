package secretstore

import (
	"context"
	"crypto"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// TestProbe: the leaf itself decides, and the status.
func TestProbe(t *testing.T) {
	r := newRig(t)
	template := testca.ServerTemplate()
	own, stranger := r.authority.Issue(template), testca.New("another").Issue(testca.ServerTemplate())
	renewed := r.authority.Certify(template, own.PrivateKey.(crypto.Signer))
	expired := testca.ServerTemplate()
	expired.NotAfter = expired.NotBefore.Add(1)
	expired.IPAddresses = nil
	old := r.authority.Issue(expired)
	chain := stranger
	chain.Certificate = [][]byte{stranger.Certificate[0], own.Certificate[0]}
	for name, c := range map[string]struct {
		shown  tls.Certificate
		leaf   []byte
		status int
		high   uint16 // version of TLS
		why    string // "" if it confirms
	}{
		"the leaf":                           {own, own.Certificate[0], 200, 0, ""},
		"the leaf by TLS 1.2":                {own, own.Certificate[0], 200, tls.VersionTLS12, ""},
		"the leaf by TLS 1.1":                {own, own.Certificate[0], 200, tls.VersionTLS11, "protocol version"},
		"a leaf of whatever authority":       {stranger, stranger.Certificate[0], 200, 0, ""},
		"a leaf of other names, and expired": {old, old.Certificate[0], 200, 0, ""},
		"another leaf":                       {own, stranger.Certificate[0], 200, 0, errLeaf.Error()},
		"another leaf of the same key":       {own, renewed.Certificate[0], 200, 0, errLeaf.Error()},
		"the leaf behind another":            {chain, own.Certificate[0], 200, 0, errLeaf.Error()},
		"a leaf and more": {own,
			append(own.Certificate[0][:len(own.Certificate[0]):len(own.Certificate[0])], 0), 200, 0, errLeaf.Error()},
		"no leaf":    {own, nil, 200, 0, errLeaf.Error()},
		"not well":   {own, own.Certificate[0], 503, 0, "found 503"},
		"no content": {own, own.Certificate[0], 204, 0, "found 204"},
	} {
		t.Run(name, func(t *testing.T) {
			origin := serve(t, r.authority, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) },
				func(s *tls.Config) {
					s.Certificates, s.MinVersion, s.MaxVersion = []tls.Certificate{c.shown}, tls.VersionTLS10, c.high
				})
			r.settings.HealthURL = origin + "/healthz"
			err := NewWorkload(r.settings).Probe(t.Context(), c.leaf)
			check.That(t, (err == nil) == (c.why == "") && (err == nil || strings.Contains(err.Error(), c.why)),
				"expected %q, found %v", c.why, err)
		})
	}
}

// TestProbeConnections: each probe is a connection of its own, to the health URL
// and nowhere else, so that a workload which changes its certificate for new ones
// shows it.
func TestProbeConnections(t *testing.T) {
	r := newRig(t)
	first, second := r.authority.Server(), r.authority.Server()
	current, redirect := &first, false
	var seen counter
	origin := serve(t, r.authority, func(w http.ResponseWriter, q *http.Request) {
		seen.add(q.Method + " " + q.URL.Path)
		if redirect && q.URL.Path == "/a/" {
			http.Redirect(w, q, "/b", http.StatusFound)
		}
	}, func(c *tls.Config) {
		c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return &tls.Config{Certificates: []tls.Certificate{*current}, MinVersion: tls.VersionTLS12}, nil
		}
	})
	r.settings.HealthURL = origin + "/a/"
	w := NewWorkload(r.settings)
	must.Do(r, w.Probe(t.Context(), first.Certificate[0]))
	current = &second
	check.That(t, w.Probe(t.Context(), first.Certificate[0]) != nil, "the old leaf is confirmed")
	must.Do(r, w.Probe(t.Context(), second.Certificate[0]))
	redirect = true
	err := w.Probe(t.Context(), second.Certificate[0])
	check.That(t, err != nil && strings.Contains(err.Error(), "302"), "%v", err)
	found := fmt.Sprint(seen.all())
	check.That(t, found == "[GET /a/ GET /a/ GET /a/]", "%v", found)
}

// TestProbeEnds: with its time, or with the caller's context.
func TestProbeEnds(t *testing.T) {
	r := newRig(t)
	server := r.authority.Server()
	r.settings.HealthURL = serve(t, r.authority, func(_ http.ResponseWriter, q *http.Request) { hold(q) },
		func(c *tls.Config) { c.Certificates = []tls.Certificate{server} })
	r.settings.RequestTimeout = 200 * time.Millisecond
	err := NewWorkload(r.settings).Probe(t.Context(), server.Certificate[0])
	check.That(t, err != nil &&
		!errors.Is(err, context.DeadlineExceeded), "%v", err)
	r.settings.RequestTimeout = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = NewWorkload(r.settings).Probe(ctx, server.Certificate[0])
	check.That(t, errors.Is(err, context.Canceled), "%v", err)
	r.settings.HealthURL = "https://127.0.0.1:1/"
	check.That(t, NewWorkload(r.settings).Probe(t.Context(), server.Certificate[0]) != nil, "an answer of nobody")
}
