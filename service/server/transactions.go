package server

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// request opens a transaction under the policy in force. The same request again
// is answered with the transaction that it opened.
func (s *Server) request(c *call) (seal.Object, error) {
	id, terms, csr, err := readOrder(c.Body)
	if err != nil {
		return nil, err
	}
	profile := seal.Text(terms, "workload_profile")
	if c.who.Role == roleWorkload && c.who.Name != profile {
		return nil, httpd.Refuse(http.StatusForbidden, "identity_refused", "%s may not ask for profile %s", c.who.Name, profile)
	}
	request := seal.CloneObject(terms)
	request["by"] = c.who.Role + "/" + c.who.Name
	var view seal.Object
	err = s.ordered(c, func() error {
		if t, err := s.repeated(id, request); t != nil || err != nil {
			if t != nil {
				view = t.view()
			}
			return err
		}
		if err := s.incidents.check(); err != nil {
			return err
		}
		if err := s.room(); err != nil {
			return err
		}
		t := &transaction{
			Transaction: &cloud.Transaction{Case: consent.Case{TransactionID: id}}, request: request,
		}
		if err := s.enter(t, terms, csr); err != nil {
			return err
		}
		view = t.view()
		return nil
	})
	return view, err
}

// room refuses another transaction while too many are open.
func (s *Server) room() error {
	if len(s.open) >= s.config.MaximumOpen {
		return httpd.Refuse(http.StatusServiceUnavailable, "unavailable", "%d transactions are open already", len(s.open))
	}
	return nil
}

// repeated returns the transaction of an id that was asked for before, nil if
// there is none. Another request under the same id is a conflict.
func (s *Server) repeated(id string, request seal.Object) (*transaction, error) {
	t, err := s.find(id)
	if err != nil || t == nil {
		return nil, err
	}
	if seal.Digest(t.request) != seal.Digest(request) {
		return nil, conflict("transaction %s exists and is another one", id)
	}
	return t, nil
}

// readOrder reads what a workload asks for: the terms as far as they do not
// follow from the policy, and the certificate request.
func readOrder(body seal.Object) (id string, terms seal.Object, csr []byte, err error) {
	f := read(body)
	id = "tx-" + rand.Text()
	if f.has("transaction_id") {
		id = f.text("transaction_id", subjectID)
	}
	terms = seal.Object{
		"workload_profile":    f.text("workload_profile", identifier),
		"lifetime_seconds":    f.number("lifetime_seconds", 1, maximumLifetime),
		"names":               seal.Strings(f.names("names")),
		"extended_key_usages": seal.Strings(f.names("extended_key_usages")),
	}
	csr = f.octets("csr")
	if err := f.close(); err != nil {
		return "", nil, nil, err
	}
	return id, terms, csr, addKey(terms, csr)
}

// addKey completes terms with the key of a certificate request, and checks that
// the request asks for their names.
func addKey(terms seal.Object, csr []byte) error {
	request, err := pki.ReadRequest(csr)
	if err != nil {
		return httpd.Invalid("csr: expected a PKCS #10 request that the holder of its key signed")
	}
	algorithm, err := pki.AlgorithmOf(request.PublicKey)
	if err != nil {
		return httpd.Invalid("csr: %s", err)
	}
	terms["algorithm"], terms["public_key_sha256"] = algorithm, seal.SHA256(request.RawSubjectPublicKeyInfo)
	if err := pki.CheckTerms(request, terms); err != nil {
		return httpd.Invalid("csr: %s", err)
	}
	if _, err := pki.Leaf(terms, nil, time.Time{}); err != nil {
		return httpd.Invalid("%s", err)
	}
	return nil
}

// enter completes the terms by the policy in force and asks the nodes. Whether
// the policy allows the terms is for the nodes to judge.
func (s *Server) enter(t *transaction, terms seal.Object, csr []byte) error {
	policy := s.policies.current()
	profile := seal.Member(seal.Member(policy, "profiles"), seal.Text(terms, "workload_profile"))
	if profile == nil {
		return conflict("no policy in force has the profile %s", seal.Text(terms, "workload_profile"))
	}
	terms["policy_version"], terms["policy_sha256"] = policy["version"], seal.Digest(policy)
	terms["required_approvals"] = profile["required_approvals"]
	id := t.id()
	if err := s.cloud.Request(id, terms); err != nil {
		return err
	}
	evidence, err := s.cloud.Transaction(id)
	if err != nil {
		return err
	}
	t.Transaction, t.csr, t.since = evidence, csr, s.now()
	if s.open[id] == nil {
		s.begin(t)
	}
	s.save(t)
	s.advance(t)
	return nil
}

// transactionOf returns the transaction of a call's path, if the caller may see
// it.
func (s *Server) transactionOf(c *call) (*transaction, error) {
	id := c.PathValue("id")
	t, err := s.find(id)
	if err != nil {
		return nil, err
	}
	if t == nil || c.who.Role == roleWorkload && c.who.Name != t.profile() {
		return nil, notFound("no transaction %q", id)
	}
	return t, nil
}

// show answers with a transaction, once its status is final or the wait over.
func (s *Server) show(c *call) (seal.Object, error) {
	wait, err := c.wait(60)
	if err != nil {
		return nil, err
	}
	var view seal.Object
	err = s.await(c.Context(), wait, func() (bool, error) {
		t, err := s.transactionOf(c)
		if err != nil {
			return false, err
		}
		view = t.view()
		return t.status != statusPending, nil
	})
	return view, err
}

// list answers with the transactions that the caller may see, the newest first.
func (s *Server) list(c *call) (seal.Object, error) {
	limit, err := c.Number("limit", 1, 100, 50)
	if err != nil {
		return nil, err
	}
	from := ""
	var views []any
	err = s.inspect(func() error {
		if after := c.URL.Query().Get("after"); after != "" {
			t, err := s.find(after)
			if err != nil {
				return err
			}
			if t == nil {
				return notFound("no transaction %q", after)
			}
			from = descending(t.number)
		}
		views, err = s.listAfter(c, from, int(limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	return seal.Object{"transactions": views}, nil
}

func (s *Server) listAfter(c *call, from string, limit int) ([]any, error) {
	views := []any{}
	for len(views) < limit {
		entries, err := s.store.List(kindRecent, from, page)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			from = e.ID
			if c.who.Role == roleWorkload && c.who.Name != seal.Text(e.Document, "workload_profile") {
				continue
			}
			t, err := s.find(seal.Text(e.Document, "transaction_id"))
			if err != nil {
				return nil, err
			}
			if t == nil {
				return nil, fmt.Errorf("transaction %s is not in the store", seal.Text(e.Document, "transaction_id"))
			}
			if views = append(views, t.view()); len(views) == limit {
				break
			}
		}
		if len(entries) < page {
			break
		}
	}
	return views, nil
}
