package server

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// incident is the kill switch and the one request to resume that may be open.
type incident struct {
	paused  bool
	reason  string
	request *resumeRequest
}

// resumeRequest is a request to resume that waits for another operator.
type resumeRequest struct {
	id, reason string
	by         operator
	expiresAt  time.Time
}

func (i incident) document() seal.Object {
	o := seal.Object{"issuance_paused": i.paused}
	if i.paused {
		o["reason"] = i.reason
	}
	if r := i.request; r != nil {
		o["resume_request"] = seal.Object{
			"request_id": r.id, "by": r.by.name, "key_sha256": r.by.keySHA256,
			"reason": r.reason, "expires_at": seal.Time(r.expiresAt),
		}
	}
	return o
}

func restoreIncident(o seal.Object) incident {
	paused, _ := o["issuance_paused"].(bool)
	i := incident{paused: paused, reason: seal.Text(o, "reason")}
	if r := seal.Member(o, "resume_request"); r != nil {
		// A request whose time cannot be read has expired.
		expires, _ := seal.ParseTime(seal.Text(r, "expires_at"))
		i.request = &resumeRequest{
			seal.Text(r, "request_id"), seal.Text(r, "reason"),
			operator{seal.Text(r, "by"), seal.Text(r, "key_sha256")}, expires,
		}
	}
	return i
}

func (s *Server) keepIncident() { s.put(kindState, stateIncident, s.incident.document()) }

// paused refuses what is not done while issuance is paused.
func paused() error {
	return httpd.Refuse(http.StatusLocked, "issuance_paused", "issuance is paused")
}

// pause is the kill switch: nothing is issued from now on, and what is open is
// denied.
func (s *Server) pause(c *call) (seal.Object, error) {
	f := read(c.Body)
	reason := f.text("reason", anyText)
	if err := f.close(); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		if s.incident.paused {
			return conflict("issuance is paused already")
		}
		s.incident = incident{paused: true, reason: reason}
		s.keepIncident()
		s.cloud.Note("issuance.paused", seal.Object{"reason": reason})
		s.notices.add("incident.issuance_paused", seal.Object{"reason": reason})
		for _, t := range s.inOrder() {
			if t.status == statusPending {
				s.deny(t, "issuance_paused", "issuance was paused")
			}
		}
		return nil
	})
	return seal.Object{"issuance_paused": true, "reason": reason}, err
}

// requestResume opens a request to resume, for another operator to approve.
func (s *Server) requestResume(c *call) (seal.Object, error) {
	f := read(c.Body)
	r := &resumeRequest{id: "resume-" + rand.Text(), by: c.operator(), reason: f.text("reason", anyText)}
	valid := time.Duration(f.number("valid_seconds", 60, 3600)) * time.Second
	if err := f.close(); err != nil {
		return nil, err
	}
	err := s.ordered(c, func() error {
		now := s.now()
		s.expireResume(now)
		if !s.incident.paused {
			return conflict("issuance is not paused")
		}
		if s.incident.request != nil {
			return conflict("the request %s is open already", s.incident.request.id)
		}
		r.expiresAt = now.Add(valid)
		s.incident.request = r
		s.keepIncident()
		s.cloud.Note("break_glass.resume_requested", seal.Object{
			"request_id": r.id, "key_sha256": r.by.keySHA256, "reason": r.reason, "expires_at": seal.Time(r.expiresAt),
		})
		return nil
	})
	return seal.Object{"request_id": r.id, "expires_at": seal.Time(r.expiresAt)}, err
}

// approveResume ends the pause, if another operator asked for it and the
// request has not expired.
func (s *Server) approveResume(c *call) (seal.Object, error) {
	f := read(c.Body)
	if err := f.close(); err != nil {
		return nil, err
	}
	id := c.PathValue("id")
	err := s.ordered(c, func() error {
		s.expireResume(s.now())
		r := s.incident.request
		if r == nil || r.id != id {
			return s.closedResume(id)
		}
		if c.operator().is(r.by) {
			return httpd.Refuse(http.StatusForbidden, "identity_refused",
				"expected another operator, with another key, than %s, who asked", r.by.name)
		}
		s.incident = incident{}
		s.keepIncident()
		s.put(kindResume, id, seal.Object{"end": "approved"})
		s.cloud.Note("issuance.resumed", seal.Object{
			"request_id": id, "key_sha256": c.operator().keySHA256, "requested_by": r.by.name,
		})
		return nil
	})
	return seal.Object{"issuance_paused": false}, err
}

// closedResume says why a request is not open.
func (s *Server) closedResume(id string) error {
	known, err := s.exists(kindResume, id)
	if err != nil {
		return err
	}
	if !known {
		return notFound("no request %q", id)
	}
	return conflict("the request %s has expired or was approved", id)
}

// expireResume closes the open request if its time is over.
func (s *Server) expireResume(now time.Time) {
	r := s.incident.request
	if r == nil || now.Before(r.expiresAt) {
		return
	}
	s.incident.request = nil
	s.keepIncident()
	s.put(kindResume, r.id, seal.Object{"end": "expired"})
	defer s.cloud.OrderedBy(s.cloud.OrderedBy("")) // by nobody, whoever's order it is noticed in
	s.cloud.Note("break_glass.resume_expired", seal.Object{"request_id": r.id})
}
