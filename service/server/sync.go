package server

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// repeatAfter is when the same news is given to a node again that has done
// nothing about it.
const repeatAfter = time.Second

// position is how far a node says that it has come.
type position struct {
	policy, roster, registrations int64
	notices                       int64
	witnessed                     int64
	wait                          time.Duration
	status                        string
	report                        seal.Object // nil if there is none
}

func readPosition(body seal.Object, nodeID string) (position, error) {
	f := read(body)
	p := position{
		policy: f.number("policy_version", 0, largest), roster: f.number("roster_version", 0, largest),
		registrations: f.number("registrations_version", 0, largest),
		notices:       f.number("notices_after", 0, largest), witnessed: f.number("witnessed", 0, largest),
		wait: time.Duration(f.number("wait_seconds", 0, 30)) * time.Second,
	}
	// The rest of the health document is for those who ask the node.
	p.status = read(f.object("health")).word("status", nodeOK, nodeDegraded)
	if f.has("report") {
		p.report = f.object("report")
	}
	if err := f.close(); err != nil {
		return p, err
	}
	if p.status != nodeOK && p.status != nodeDegraded {
		f.fail("health", "expected a status of ok or degraded")
		return p, f.err
	}
	if p.report != nil {
		return p, checkReport(p.report, nodeID)
	}
	return p, nil
}

// sync is the poll of a node: its sign of life, and whatever is new for it.
func (s *Server) sync(c *call) (seal.Object, error) {
	p, err := readPosition(c.Body, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	var n *node
	if err := s.update(func() (err error) {
		if n, err = s.nodes.caller(c); err != nil {
			return err
		}
		return s.nodes.heard(n, p)
	}); err != nil {
		return nil, err
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		n.polls--
		n.seen = s.now()
	}()
	return s.poll(c, p)
}

// poll waits for news for a node.
func (s *Server) poll(c *call, p position) (seal.Object, error) {
	answer := seal.Object{}
	end := time.NewTimer(p.wait)
	defer end.Stop()
	for {
		var changed chan struct{}
		var again time.Duration // until the same news may be given again
		if err := s.inspect(func() error {
			n, err := s.nodes.caller(c)
			if err != nil {
				return err
			}
			changed = s.changed
			answer, again, err = s.fresh(n, p)
			return err
		}); err != nil || len(answer) > 0 && again == 0 {
			return answer, err
		}
		repeat := time.NewTimer(max(again, tick))
		select {
		case <-changed:
		case <-repeat.C:
		case <-s.broken:
		case <-end.C:
			repeat.Stop()
			return answer, nil
		case <-c.Context().Done():
			repeat.Stop()
			return answer, nil
		}
		repeat.Stop()
	}
}

// fresh is the news for a node. If it was given the same a moment ago, again is
// how long it has to wait.
func (s *Server) fresh(n *node, p position) (answer seal.Object, again time.Duration, err error) {
	answer, err = s.news(n, p)
	if err != nil || len(answer) == 0 {
		return answer, 0, err
	}
	digest := seal.Digest(answer)
	if since := time.Since(n.lastNewsAt); digest == n.lastNews && since < repeatAfter {
		return answer, repeatAfter - since, nil
	}
	n.lastNews, n.lastNewsAt = digest, time.Now()
	return answer, 0, nil
}

// news is whatever is new for a node, empty if there is nothing.
func (s *Server) news(n *node, p position) (seal.Object, error) {
	answer := seal.Object{}
	if s.policies.version() > p.policy {
		answer["policy"] = s.policies.envelope
	}
	if s.nodes.published != nil && versionOf(s.nodes.published, "roster_version") > p.roster {
		answer["roster"] = s.nodes.published
	}
	if checkpoint := s.wanted(n, p.witnessed); checkpoint != nil {
		answer["checkpoint"] = checkpoint
	}
	if s.registrations.version() > p.registrations {
		answer["registrations"] = s.registrations.views()
	}
	notices, err := s.notices.after(p.notices)
	if err != nil {
		return nil, err
	}
	if len(notices) > 0 {
		answer["notices"] = notices
	}
	if work := s.work(n, s.now()); len(work) > 0 {
		answer["work"] = work
	}
	desired, waiting := s.integrations.desired(n.id)
	if len(desired) > 0 && (waiting || len(answer) > 0) {
		answer["integrations"] = desired
	}
	return answer, nil
}
