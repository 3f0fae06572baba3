package server

import (
	"net/http"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Kinds of documents in the store.
const (
	kindState       = "state" // single documents, by the ids below
	kindNode        = "node"
	kindTransaction = "transaction"
	kindRecent      = "recent" // transaction ids, the newest first
	kindOpen        = "open"   // transactions that need something done
	kindRotation    = "rotation"
	kindCertificate = "certificate"
	kindRegistry    = "registry"
	kindList        = "crl"
	kindNotice      = "notice"
	kindIntegration = "integration"
	kindResume      = "resume"

	stateCloud    = "cloud"
	statePolicy   = "policy"
	stateRoster   = "roster"
	stateServices = "services"
	stateIncident = "incident"
)

// place is where a document stands.
type place struct{ kind, id string }

// batch is what a decision changed and is not durable yet.
type batch struct {
	events       []seal.Object
	documents    map[place]seal.Object // nil to delete one
	through      map[string]string     // ids to delete through, by kind
	transactions map[*transaction]bool
}

func (b *batch) empty() bool {
	return len(b.events)+len(b.documents)+len(b.through)+len(b.transactions) == 0
}

// decide makes a decision: f, and then all that f changed durable. A refusal is
// returned as it is; whatever f had changed before stays changed.
func (s *Server) decide(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "the service has failed")
	}
	err := f()
	if failure := s.commit(); failure != nil {
		s.failed = failure
		close(s.broken)
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "the decision could not be made durable")
	}
	return err
}

// ordered is [Server.decide] for an order of the caller: every event that follows
// from it names the operator. What a workload or a node asks for names itself.
func (s *Server) ordered(c *call, f func() error) error {
	return s.decide(func() error {
		if c.who.Role == roleOperator {
			defer s.cloud.OrderedBy(s.cloud.OrderedBy(c.who.Name))
		}
		return f()
	})
}

// look runs f under the lock. It must change nothing that is durable.
func (s *Server) look(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "the service has failed")
	}
	return f()
}

// commit makes the batch durable and wakes whoever waits for a change.
func (s *Server) commit() error {
	b := s.batch
	if b.empty() {
		return nil
	}
	s.batch = batch{}
	err := s.store.Update(func(tx *durable.Tx) error { return b.write(tx) })
	if err != nil {
		return err
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return nil
}

func (b *batch) write(tx *durable.Tx) error {
	for _, event := range b.events {
		if err := tx.Append(event); err != nil {
			return err
		}
	}
	for t := range b.transactions {
		if err := tx.Put(kindTransaction, t.id(), t.document()); err != nil {
			return err
		}
	}
	for kind, id := range b.through {
		if err := tx.DeleteThrough(kind, id); err != nil {
			return err
		}
	}
	for at, document := range b.documents {
		if document == nil {
			if err := tx.Delete(at.kind, at.id); err != nil {
				return err
			}
			continue
		}
		if err := tx.Put(at.kind, at.id, document); err != nil {
			return err
		}
	}
	return nil
}

// put keeps a document with the decision at hand.
func (s *Server) put(kind, id string, document seal.Object) {
	if s.batch.documents == nil {
		s.batch.documents = map[place]seal.Object{}
	}
	s.batch.documents[place{kind, id}] = document
}

// remove drops a document with the decision at hand.
func (s *Server) remove(kind, id string) { s.put(kind, id, nil) }

// removeThrough drops the documents of a kind up to an id with the decision at
// hand.
func (s *Server) removeThrough(kind, id string) {
	if s.batch.through == nil {
		s.batch.through = map[string]string{}
	}
	s.batch.through[kind] = id
}

// touch keeps a transaction with the decision at hand.
func (s *Server) touch(t *transaction) {
	if s.batch.transactions == nil {
		s.batch.transactions = map[*transaction]bool{}
	}
	s.batch.transactions[t] = true
}

// keepCloud keeps what the cloud knows beside its log.
func (s *Server) keepCloud() { s.put(kindState, stateCloud, s.cloud.Document()) }
