package server

import (
	"fmt"
	"net/http"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// growth is how far the tenant log has grown, reports of nodes left aside: a
// checkpoint makes nodes write, which makes them report, and so on without end.
type growth struct {
	sequence uint64
	at       time.Time
}

// Intervals of what happens by itself.
const (
	// collectFor is how long a checkpoint may collect receipts before a newer
	// one takes its place.
	collectFor = 5 * time.Second
	// longestGrowth is after how many quiet times a log that never is quiet
	// gets its checkpoint.
	longestGrowth = 10
)

// keepEvent takes in an event that the cloud logged.
func (s *Server) keepEvent(event seal.Object) {
	s.append(event)
	if body := seal.Member(event, "body"); seal.Text(body, "type") != "node.reported" {
		s.grown = growth{uint64(seal.Integer(body, "sequence")), s.now()}
	}
}

// anchor makes a checkpoint of everything that is known, the reports of the
// nodes among it.
func (s *Server) anchor() {
	s.nodes.logReports(s.now(), true)
	s.cloud.Checkpoint()
	s.saveCloud()
}

// anchorQuiet makes a checkpoint once the log has stopped growing, or has grown
// for long.
func (s *Server) anchorQuiet(now time.Time) {
	checkpoint, _ := s.cloud.Anchor()
	if s.grown.sequence <= uint64(versionOf(checkpoint, "sequence")) {
		return
	}
	created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
	if quiet := now.Sub(s.grown.at) >= s.config.Quiet; quiet || checkpoint != nil && now.Sub(created) >= longestGrowth*s.config.Quiet {
		s.anchor()
	}
}

// witnesses is how many receipts the newest checkpoint has.
func (s *Server) witnesses() int64 {
	_, receipts := s.cloud.Anchor()
	return int64(len(receipts))
}

// witnessWait is how long an export waits for witnesses, if nothing is said.
const witnessWait = 15 * time.Second

// evidence answers with the portable proof of a transaction, at a checkpoint
// that is made for it and that enough nodes witnessed.
func (s *Server) evidence(c *call) (seal.Object, error) {
	f := read(c.Body)
	wait := witnessWait
	if f.has("wait_seconds") {
		wait = time.Duration(f.number("wait_seconds", 0, 60)) * time.Second
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	var needed uint64
	if err := s.inspect(func() error {
		t, err := s.transactions.of(c)
		if err == nil && t.Issued == nil {
			err = conflict("no certificate was issued for transaction %s, so there is no evidence", t.id())
		}
		needed = s.cloud.Sequence()
		return err
	}); err != nil {
		return nil, err
	}
	end := time.NewTimer(wait)
	defer end.Stop()
	for over := false; ; {
		bundle, changed, err := s.prove(c, &needed)
		if bundle != nil || err != nil {
			return bundle, err
		}
		if over {
			return nil, s.witnessPending()
		}
		select {
		case <-changed:
		case <-time.After(tick):
		case <-s.broken:
		case <-end.C:
			over = true
		case <-c.Context().Done():
			over = true
		}
	}
}

// prove returns the bundle if a checkpoint of the log from needed on is
// witnessed, nil if not. It makes the checkpoint if there is none, and no older
// one still collects receipts.
func (s *Server) prove(c *call, needed *uint64) (bundle seal.Object, changed chan struct{}, err error) {
	err = s.update(func() error {
		checkpoint, _ := s.cloud.Anchor()
		covers := checkpoint != nil && uint64(versionOf(checkpoint, "sequence")) >= *needed
		enough := s.witnesses() >= s.config.RequiredWitnesses
		created, _ := seal.ParseTime(seal.Text(seal.Member(checkpoint, "statement"), "created_at"))
		changed = s.changed
		if !covers && (enough || s.now().Sub(created) >= collectFor) {
			s.anchor()
			return nil
		}
		if !covers || !enough {
			return nil
		}
		t, err := s.transactions.of(c)
		if err != nil {
			return err
		}
		if bundle, err = s.cloud.Export(t.Transaction); err != nil {
			*needed = s.cloud.Sequence() // it was revoked since
		}
		return nil
	})
	return bundle, changed, err
}

// witnessPending is the problem while too few nodes witnessed.
func (s *Server) witnessPending() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	have, want := s.witnesses(), s.config.RequiredWitnesses
	return &httpd.Problem{
		Status: http.StatusServiceUnavailable, Code: "audit_customer_witness_pending",
		Detail:   fmt.Sprintf("too few nodes have witnessed the checkpoint (%d/%d)", have, want),
		Received: have, Required: want,
	}
}

// window answers with a window of the tenant log.
func (s *Server) window(c *call) (seal.Object, error) {
	limit, err := c.Number("limit", 1, 500, 200)
	if err != nil {
		return nil, err
	}
	to, err := c.Number("to", 0, largest, largest)
	if err != nil {
		return nil, err
	}
	answer := seal.Object{}
	err = s.inspect(func() error {
		head := int64(s.cloud.Sequence())
		to = min(to, head)
		lines, err := s.store.Lines(uint64(max(0, to-limit)), int(min(limit, to)))
		if err != nil {
			return err
		}
		events := make([]any, len(lines))
		for i, line := range lines {
			if events[i], err = seal.Parse(line); err != nil {
				return err
			}
		}
		checkpoint, _ := s.cloud.Anchor()
		answer["events"] = events
		answer["head"] = seal.Object{"sequence": head, "hash": s.cloud.Head().String()}
		if checkpoint != nil {
			answer["checkpoint"] = seal.Object{"sequence": versionOf(checkpoint, "sequence")}
		}
		answer["witnesses"] = s.witnessView()
		return nil
	})
	return answer, err
}

// witnessView is who witnessed the newest checkpoint.
func (s *Server) witnessView() seal.Object {
	_, receipts := s.cloud.Anchor()
	ids := make([]string, len(receipts))
	for i, receipt := range receipts {
		ids[i] = seal.Text(seal.Member(receipt, "statement"), "node_id")
	}
	return seal.Object{
		"received": int64(len(receipts)), "required": s.config.RequiredWitnesses, "node_ids": seal.SortedStrings(ids),
	}
}
