package delivery

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// soon is how soon after the first a second arrival is a retry. An exporter
// tries again within minutes; a queue that is played again after a restart, or
// an export that is made again, comes later.
const soon = 10 * time.Minute

// near replaces the time where times of arrival are not known: how many records may lie
// between.
const near = 10_000

// redeliveries is the further arrivals of a log's events, by kind.
type redeliveries map[string]*extents

func (x *examiner) newRedeliveries(log facts.Log) redeliveries {
	r := redeliveries{}
	for _, k := range kinds {
		r[k] = x.newExtents(finding.DuplicateDelivery, log)
	}
	return r
}

// addArrivals adds the arrivals of one sequence.
func (r redeliveries) addArrivals(ctx context.Context, same []evidence.Arrived) error {
	for first, later := range evidence.Later(same) {
		k := kindOf(first, later)
		if err := r[k].addEvent(ctx, later.Sequence, later.Ref, k); err != nil {
			return err
		}
	}
	return nil
}

// skipArrivals passes over a run up to the arrivals of its last sequence. Each of its events
// came once from each source.
func (r redeliveries) skipArrivals(last []evidence.Arrived) {
	if len(last) > 1 {
		r[overlap].last = last[0].Sequence
	}
}

func (r redeliveries) close(ctx context.Context) error {
	for _, k := range kinds {
		if err := r[k].close(ctx); err != nil {
			return err
		}
	}
	return nil
}

// The kinds of further arrivals.
const (
	overlap = "another in a source that overlaps"
	retry   = "another soon after: a retry"
	replay  = "another long after, or under another batch: a replay"
)

var kinds = []string{overlap, retry, replay}

// kindOf finds the kind by the facts of both arrivals in the index.
func kindOf(first, later evidence.Arrived) string {
	if later.Source != first.Source {
		return overlap
	}
	if later.Batch != first.Batch {
		return replay
	}
	if later.ObservedAt != 0 && first.ObservedAt != 0 {
		if time.Duration(absolute64(later.ObservedAt-first.ObservedAt)) <= soon {
			return retry
		}
		return replay
	}
	if absolute64(later.Record-first.Record) <= near {
		return retry
	}
	return replay
}

func absolute64(n int64) int64 { return max(n, -n) }

// once are the types with one event for each transaction in a log (SPEC 4.4), and the codes of
// a second one.
var once = []struct {
	eventType string
	code      finding.Code
}{
	{event.IssuanceCompleted, finding.IssuedTwice},
	{event.CertificateRevoked, finding.RevokedTwice},
}

// examineRepeated goes over the transactions that a log has completed or revoked twice.
func (x *examiner) examineRepeated(ctx context.Context, log facts.Log) error {
	if strings.HasPrefix(log.LogID, "node/") {
		return nil // these types are the tenant log's
	}
	for _, o := range once {
		l := few{x: x, code: o.code, about: log}
		for id, err := range x.r.Repeated(ctx, log, o.eventType) {
			if err != nil {
				return err
			}
			if err := x.noteSecond(ctx, &l, log, subject{id, o.eventType}); err != nil {
				return err
			}
		}
		l.countUnlisted()
	}
	return nil
}

// subject identifies an event that a log holds once.
type subject struct{ transactionID, eventType string }

// noteSecond notes the second event about a subject, unless one of the two does not give its own
// hash: then it was not logged like this, and the walk reports it.
func (x *examiner) noteSecond(ctx context.Context, l *few, log facts.Log, s subject) error {
	var first, last facts.Event
	times := 0
	for e, err := range x.r.Chosen(ctx, log, evidence.Choice{Types: []string{s.eventType},
		TransactionID: s.transactionID}) {
		if err != nil {
			return err
		}
		if !e.Intact() || last.Link.Sequence == e.Link.Sequence {
			continue
		}
		if times++; times == 1 {
			first = e.Event
		}
		last = e.Event
	}
	if times < 2 {
		return nil
	}
	return l.addFinding(ctx, finding.Finding{Sequence: last.Link.Sequence, LastSequence: last.Link.Sequence,
		Expected: fmt.Sprintf("event %d as the only %s of transaction %s", first.Link.Sequence, s.eventType, s.transactionID),
		Found:    fmt.Sprintf("%d such events", times)}, first.Ref, last.Ref)
}
