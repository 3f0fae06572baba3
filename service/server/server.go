// Package server is the cloud as a process. It has its state on disk, its HTTP
// API, and everything that happens by itself, service/docs/service.md.
//
// Every decision is made in memory under one lock and is durable before any of
// it can be seen from outside. If it cannot be made durable the server fails,
// and with it every later request: what it would say next could contradict what
// it says after a restart.
//
// The ledger has that lock. On it stands the tenant, which every room of the
// server embeds, and each room has state of its own: policies, nodes,
// integrations, incidents, the authority, transactions. Issuances lead a
// transaction through these rooms; rotations, orders, intake, polls, evidence and
// overview are who comes to them. Each knows the rooms below it only.
//
// Package cloud is its judgement of evidence, package signer the protected
// signer behind its own keys, package revocation what is published of
// certificates.
package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Server is the cloud of one tenant: the rooms of its state, and who answers
// which call.
type Server struct {
	*issuances
	registrations *registrations
	checkpoints   *checkpoints
	rotations     *rotations
}

// New opens the state directory and returns the server as it was left, or a
// new one with its first signer keys and registry.
func New(c Config) (*Server, error) {
	c = c.withDefaults()
	if c.RequiredWitnesses < 1 || !form.SubjectID.Is(c.TenantID) {
		return nil, errors.New("cloud: expected a tenant id and at least one required witness")
	}
	l, err := openLedger(c.Dir)
	if err != nil {
		return nil, err
	}
	t := &tenant{config: c, ledger: l, roster: consent.NewRoster(c.TenantID), notices: &notices{ledger: l}}
	is := &issuances{
		tenant: t, policies: &policies{tenant: t}, nodes: &nodes{tenant: t, byID: map[string]*node{}},
		integrations: &integrations{tenant: t, byID: map[string]*integration{}}, incidents: &incidents{tenant: t},
		authority: &authority{tenant: t}, transactions: &transactions{tenant: t, open: map[string]*transaction{}},
	}
	s := &Server{
		issuances: is, registrations: &registrations{tenant: t}, rotations: &rotations{is},
		checkpoints: &checkpoints{tenant: t, nodes: is.nodes},
	}
	if err := s.restore(); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return s, nil
}

// Close ends the use of the state directory. No request may be under way.
func (s *Server) Close() error { return s.ledger.close() }

// tick is how often the server looks for what is due by itself.
const tick = 200 * time.Millisecond

// Run does what is due by itself: expiry, checkpoints, revocation lists. It
// ends with the context, or with the failure that ended the server.
func (s *Server) Run(ctx context.Context) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.broken:
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.failed
		case <-ticker.C:
			if err := s.update(s.due); err != nil {
				s.config.Log.Error("what is due could not be done", "error", err.Error())
			}
		}
	}
}

// TLS is TLS 1.3 for the server's API. Callers prove who they are by a
// certificate of these authorities; only what is open to all can be had
// without one.
func TLS(identity tls.Certificate, callers *x509.CertPool) *tls.Config {
	c := httpd.ServerTLS(identity, callers)
	c.ClientAuth = tls.VerifyClientCertIfGiven
	return c
}

// Serve runs the server and answers on the listener, until the context ends or
// the server fails.
func (s *Server) Serve(ctx context.Context, l net.Listener, c *tls.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- s.Run(ctx)
	}()
	err := httpd.Serve(ctx, l, c, s.Handler())
	cancel()
	return errors.Join(err, <-ended)
}

// due does what is due by itself.
func (s *Server) due() error {
	now := s.now()
	s.expire(now)
	s.incidents.expire(now)
	s.nodes.logReports(now, false)
	s.checkpoints.anchorQuiet(now)
	s.authority.publishLists(now)
	return nil
}
