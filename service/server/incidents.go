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

// incidents are the kill switch and the requests to resume.
type incidents struct {
	*tenant
	current incident
}

func (is *incidents) restore() error {
	document, err := is.store.Get(kindState, stateIncident)
	is.current = restoreIncident(document)
	return err
}

// become logs what happened, and keeps the incident as it is from now on.
func (is *incidents) become(next incident, event string, data seal.Object) {
	is.current = next
	is.put(kindState, stateIncident, next.document())
	is.cloud.Note(event, data)
}

// pause is the kill switch: nothing is issued from now on.
func (is *incidents) pause(reason string) error {
	if is.current.paused {
		return conflict("issuance is paused already")
	}
	is.become(incident{paused: true, reason: reason}, eventtype.IssuancePaused, seal.Object{"reason": reason})
	is.notices.add(topic.IssuancePaused, seal.Object{"reason": reason})
	return nil
}

// requestResume opens a request to resume, for another operator to approve.
func (is *incidents) requestResume(c *call) (seal.Object, error) {
	f := read(c.Body)
	r := &resumeRequest{id: "resume-" + rand.Text(), by: c.operator(), reason: f.Text("reason", form.Sentence)}
	valid := time.Duration(f.Number("valid_seconds", 60, 3600)) * time.Second
	return is.answerOrder(c, f, func() (seal.Object, error) {
		now := is.now()
		is.expire(now)
		if !is.current.paused {
			return nil, conflict("issuance is not paused")
		}
		if is.current.request != nil {
			return nil, conflict("the request %s is open already", is.current.request.id)
		}
		r.expiresAt = now.Add(valid)
		next := is.current
		next.request = r
		is.become(next, eventtype.BreakGlassResumeRequested, seal.Object{
			"request_id": r.id, "key_sha256": r.by.keySHA256, "reason": r.reason, "expires_at": seal.Time(r.expiresAt),
		})
		return seal.Object{"request_id": r.id, "expires_at": seal.Time(r.expiresAt)}, nil
	})
}

// approveResume ends the pause, if another operator asked for it and the
// request has not expired.
func (is *incidents) approveResume(c *call) (seal.Object, error) {
	return is.answerOrder(c, read(c.Body), func() (seal.Object, error) {
		is.expire(is.now())
		id, r := c.PathValue("id"), is.current.request
		if r == nil || r.id != id {
			return nil, is.closed(id)
		}
		if c.operator().is(r.by) {
			return nil, httpd.Refuse(http.StatusForbidden, "identity_refused",
				"expected another operator, with another key, than %s, who asked", r.by.name)
		}
		is.put(kindResume, id, seal.Object{"end": "approved"})
		is.become(incident{}, eventtype.IssuanceResumed, seal.Object{
			"request_id": id, "key_sha256": c.operator().keySHA256, "requested_by": r.by.name,
		})
		return seal.Object{"issuance_paused": false}, nil
	})
}

// check refuses what is not done while issuance is paused.
func (is *incidents) check() error {
	if !is.current.paused {
		return nil
	}
	return httpd.Refuse(http.StatusLocked, "issuance_paused", "issuance is paused")
}

// closed says why a request is not open.
func (is *incidents) closed(id string) error {
	known, err := is.exists(kindResume, id)
	if err != nil {
		return err
	}
	if !known {
		return notFound("no request %q", id)
	}
	return conflict("the request %s has expired or was approved", id)
}

// expire closes the open request if its time is over.
func (is *incidents) expire(now time.Time) {
	r := is.current.request
	if r == nil || now.Before(r.expiresAt) {
		return
	}
	next := is.current
	next.request = nil
	is.put(kindResume, r.id, seal.Object{"end": "expired"})
	defer is.cloud.OrderedBy(is.cloud.OrderedBy("")) // by nobody, whoever's order it is noticed in
	is.become(next, eventtype.BreakGlassResumeExpired, seal.Object{"request_id": r.id})
}
