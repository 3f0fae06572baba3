// Package server is the cloud as a process. It has its state on disk, its HTTP
// API, and everything that happens by itself, service/docs/service.md.
//
// Every decision is made in memory under one lock and is durable before any of it can be seen
// from outside. If it cannot be made durable the server fails, and with it every later
// request: its next answer could contradict its answers after a restart.
//
// The ledger has that lock. The tenant is built on it and embedded in every room of the
// server, and each room has state of its own: policies, nodes, integrations, incidents, the
// authority, transactions. Issuances lead a transaction through these rooms; rotations,
// orders, intake, polls, evidence and overview are who comes to them. Each knows the rooms
// below it only.
//
// Package cloud is its judgement of evidence, package signer the protected signer behind its
// own keys, package revocation the publication of the status of certificates.
package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
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

// tick is how often the server looks for due tasks.
const tick = 200 * time.Millisecond

// Run does the server's due tasks: expiry, checkpoints, revocation lists. It ends with the
// context, or with the failure that ended the server.
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

// TLS is TLS 1.3 for the server's API. Callers prove their identity by a certificate of these
// authorities; without one, they get only the documents that are open to all.
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

// due does the server's due tasks.
func (s *Server) due() error {
	now := s.now()
	s.expire(now)
	s.incidents.expire(now)
	s.nodes.logReports(now, false)
	s.checkpoints.anchorQuiet(now)
	s.authority.publishLists(now)
	return nil
}

// Config configures a server. Fields that are zero get their defaults.
type Config struct {
	TenantID string
	Dir      string // the state directory, the owner's alone
	// RequiredWitnesses is the number of witnesses that checkpoints demand, at least 1.
	RequiredWitnesses int64
	// Poll is the poll interval of the nodes: one that was not heard of for
	// three of them is offline. 10 s.
	Poll time.Duration
	// Expiry is how long a transaction may stay undecided. 10 min.
	Expiry time.Duration
	// Quiet is how long the log must not have grown before a checkpoint is made
	// of it by itself. 2 s.
	Quiet time.Duration
	// MaximumOpen is how many transactions may be open at once. 2000.
	MaximumOpen int
	// Patience is how long just enough nodes are asked to observe, approve or
	// decide, before all are. 5 s.
	Patience time.Duration
	// ListLifetime is the lifetime of revocation lists, 24 h; AnswerLifetime the lifetime of
	// OCSP answers, 1 h.
	ListLifetime, AnswerLifetime time.Duration
	// Clock gives the times of documents, the wall clock if nil. It may run
	// ahead of Now, which is for everything else; [time.Now] if nil.
	Clock chance.Clock
	Now   func() time.Time
	Log   *slog.Logger // the default one if nil
}

func (c Config) withDefaults() Config {
	for d, otherwise := range map[*time.Duration]time.Duration{
		&c.Poll: 10 * time.Second, &c.Expiry: 10 * time.Minute, &c.Quiet: 2 * time.Second, &c.Patience: 5 * time.Second,
		&c.ListLifetime: 24 * time.Hour, &c.AnswerLifetime: time.Hour,
	} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if c.MaximumOpen == 0 {
		c.MaximumOpen = 2000
	}
	if c.Clock == nil {
		c.Clock = chance.Wall()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// tenant is shared by all parts of the server.
type tenant struct {
	config Config
	*ledger
	cloud     *cloud.Cloud // the tenant log, and the evidence behind it
	roster    *consent.Roster
	policyKey seal.Key
	notices   *notices
}

func (t *tenant) now() time.Time { return t.config.Now().UTC() }

// saveCloud keeps the cloud's state besides its log.
func (t *tenant) saveCloud() { t.put(kindState, stateCloud, t.cloud.Document()) }

// answerOrder makes a decision that the caller asked for, if the fields of the request are as they
// should be, and returns its answer. Every event that follows from an operator's order names
// the operator. What a workload or a node asks for names itself.
func (t *tenant) answerOrder(c *call, f *fields, decide func() (seal.Object, error)) (answer seal.Object, err error) {
	if err := f.close(); err != nil {
		return nil, err
	}
	err = t.update(func() error {
		if c.who.Role == roleOperator {
			defer t.cloud.OrderedBy(t.cloud.OrderedBy(c.who.Name))
		}
		answer, err = decide()
		return err
	})
	return answer, err
}
