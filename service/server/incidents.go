package server

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/topic"
)

// incident is the kill switch and the one request to resume that may be open, as they are
// kept and shown.
type incident struct {
	Paused  bool           `json:"issuance_paused"`
	Reason  string         `json:"reason,omitempty"`
	Request *resumeRequest `json:"resume_request,omitempty"`
}

// resumeRequest is a request to resume that waits for another operator.
type resumeRequest struct {
	ID string `json:"request_id"`
	operator
	Reason    string `json:"reason"`
	ExpiresAt string `json:"expires_at"`
}

// incidents are the kill switch and the requests to resume.
type incidents struct {
	*tenant
	current incident
}

func (is *incidents) restore() error {
	document, err := is.store.Get(kindState, stateIncident)
	if err != nil || document == nil {
		return err
	}
	return form.Restore(document, &is.current)
}

// become logs an event, and keeps the incident as it is from now on.
func (is *incidents) become(next incident, event string, data seal.Object) {
	is.current = next
	is.put(kindState, stateIncident, form.Document(next))
	is.cloud.Note(event, data)
}

// pause is the kill switch: nothing is issued from now on.
func (is *incidents) pause(reason string) error {
	if is.current.Paused {
		return conflictError("issuance is paused already")
	}
	is.become(incident{Paused: true, Reason: reason}, eventtype.IssuancePaused, seal.Object{"reason": reason})
	is.notices.add(topic.IssuancePaused, seal.Object{"reason": reason})
	return nil
}

// requestResume opens a request to resume, for another operator to approve.
func (is *incidents) requestResume(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	r := &resumeRequest{ID: "resume-" + rand.Text(), operator: c.operator(), Reason: f.Text("reason", form.Sentence)}
	valid := time.Duration(f.Number("valid_seconds", 60, 3600)) * time.Second
	return is.answerOrder(c, f, func() (seal.Object, error) {
		now := is.now()
		is.expire(now)
		if !is.current.Paused {
			return nil, conflictError("issuance is not paused")
		}
		if is.current.Request != nil {
			return nil, conflictError("the request %s is open already", is.current.Request.ID)
		}
		r.ExpiresAt = seal.Time(now.Add(valid))
		next := is.current
		next.Request = r
		is.become(next, eventtype.BreakGlassResumeRequested, seal.Object{
			"request_id": r.ID, "key_sha256": r.KeySHA256, "reason": r.Reason, "expires_at": r.ExpiresAt,
		})
		return seal.Object{"request_id": r.ID, "expires_at": r.ExpiresAt}, nil
	})
}

// approveResume ends the pause, if another operator asked for it and the
// request has not expired.
func (is *incidents) approveResume(c *call) (seal.Object, error) {
	return is.answerOrder(c, readFields(c.Body), func() (seal.Object, error) {
		is.expire(is.now())
		id, r := c.PathValue("id"), is.current.Request
		if r == nil || r.ID != id {
			return nil, is.closed(id)
		}
		if c.operator().is(r.operator) {
			return nil, httpd.Forbidden("expected another operator, with another key, than %s, who asked", r.Name)
		}
		is.put(kindResume, id, seal.Object{"end": "approved"})
		is.become(incident{}, eventtype.IssuanceResumed, seal.Object{
			"request_id": id, "key_sha256": c.operator().KeySHA256, "requested_by": r.Name,
		})
		return seal.Object{"issuance_paused": false}, nil
	})
}

// check returns a refusal while issuance is paused.
func (is *incidents) check() error {
	if !is.current.Paused {
		return nil
	}
	return httpd.Refuse(http.StatusLocked, "issuance_paused", "issuance is paused")
}

// closed returns why a request is not open.
func (is *incidents) closed(id string) error {
	known, err := is.exists(kindResume, id)
	if err != nil {
		return err
	}
	if !known {
		return notFound("no request %q", id)
	}
	return conflictError("the request %s has expired or was approved", id)
}

// expire closes the open request if its time is over.
func (is *incidents) expire(now time.Time) {
	r := is.current.Request
	if r == nil {
		return
	}
	// A request whose time cannot be read has expired.
	if at, err := seal.ParseTime(r.ExpiresAt); err == nil && now.Before(at) {
		return
	}
	next := is.current
	next.Request = nil
	is.put(kindResume, r.ID, seal.Object{"end": "expired"})
	defer is.cloud.OrderedBy(is.cloud.OrderedBy("")) // no operator ordered it, even if it happens during an order
	is.become(next, eventtype.BreakGlassResumeExpired, seal.Object{"request_id": r.ID})
}
