package crosscheck

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// settle is how long a node may need to record a statement that it signed.
const settle = 10 * time.Second

// notRevoked is a bundle's word that a certificate was not revoked up to a sequence
// of the tenant log.
type notRevoked struct {
	upTo     uint64
	evidence finding.Evidence
}

// revoked is a revocation in a log that a bundle does not know of.
type revoked struct {
	notRevoked
	log      facts.Log
	sequence uint64
	ref      facts.Ref
}

// wants are the statements that logs must hold if the bundles are right.
type wants struct {
	*exam
	byKey       map[wantKey]*want
	list        []*want                  // in the order of the bundles
	issued      map[subject][]notRevoked // everything that bundles report was not revoked
	revoked     []revoked                // and was
	approvals   map[subject][]*want      // by transaction
	checkpoints map[facts.Log][]anchor   // of the bundles
}

func newWants(x *exam) *wants {
	return &wants{exam: x, byKey: map[wantKey]*want{}, issued: map[subject][]notRevoked{},
		approvals: map[subject][]*want{}, checkpoints: map[facts.Log][]anchor{}}
}

// matchStatement matches a statement with the records that bundles want.
func (ws *wants) matchStatement(s *statement) {
	if w := ws.byKey[wantKey{s.log, s.Type, s.said.Digest}]; w != nil {
		switch {
		case s.Type == event.ApprovalSigned && s.said.Decision == "deny":
			w.denied, w.same, w.ref = s.Link.Sequence, true, s.Ref
		case w.sequence == 0 || w.sequence == s.Link.Sequence && w.hash == s.Recorded:
			w.Answer, w.Sequence, w.ref = Recorded, s.Link.Sequence, s.Ref
		}
	}
	switch {
	case s.Type == event.ApprovalSigned && s.said.Decision == "deny":
		for _, w := range ws.approvals[subject{s.log.TenantID, s.TransactionID}] {
			if w.log == s.log && w.denied == 0 {
				w.denied, w.ref = s.Link.Sequence, s.Ref
			}
		}
	case s.Type == event.CertificateRevoked:
		for _, c := range ws.issued[subject{s.log.TenantID, s.TransactionID}] {
			if s.Link.Sequence <= c.upTo {
				ws.revoked = append(ws.revoked, revoked{c, s.log, s.Link.Sequence, s.Ref})
			}
		}
	}
}

// absent are the codes for events that are not in the log where they must be, by the type of
// event.
var absent = map[string]finding.Code{
	event.ApprovalSigned:     finding.NotInJournal,
	event.CheckpointWitness:  finding.NotInJournal,
	event.CapabilityObserved: finding.NotInJournal,
	event.ApprovalRecorded:   finding.NotInLog,
	event.DecisionRecorded:   finding.NotInLog,
	event.IssuanceCompleted:  finding.EventNotInLog,
	event.CertificateRevoked: finding.EventNotInLog,
}

// settleStatements gives every statement of the bundles its answer.
func (ws *wants) settleStatements(ctx context.Context) error {
	for _, w := range ws.list {
		if err := ws.settleOne(ctx, w); err != nil {
			return err
		}
		if w.Answer != NotCovered && w.Answer != NoLog {
			ws.compared++
		}
		ws.result.Statements = append(ws.result.Statements, w.Statement)
	}
	if err := ws.unanswered(ctx); err != nil {
		return err
	}
	for _, r := range ws.revoked {
		f := finding.Finding{Code: finding.RevocationWithheld, TenantID: r.log.TenantID, LogID: r.log.LogID,
			Sequence: r.sequence, LastSequence: r.sequence, Expected: fmt.Sprintf("the revocation in a bundle of the log at %d",
				r.upTo), Found: "the status issued", Evidence: []finding.Evidence{r.evidence}}
		if err := ws.addFinding(ctx, f, r.ref); err != nil {
			return err
		}
	}
	return nil
}

// unanswered counts for each log the statements of bundles to which it gives no answer.
func (ws *wants) unanswered(ctx context.Context) error {
	byLog := map[facts.Log][]*want{}
	for _, w := range ws.list {
		if w.Answer == NotCovered || w.Answer == NoLog {
			byLog[w.log] = append(byLog[w.log], w)
		}
	}
	for _, log := range sortedLogs(byLog) {
		open := byLog[log]
		f := finding.Finding{Code: finding.StatementNotCovered, TenantID: log.TenantID, LogID: log.LogID,
			Evidence: []finding.Evidence{open[0].evidence},
			Expected: fmt.Sprintf("a log that is known to be whole around each of %s",
				safetext.Count(int64(len(open)), "statement")), Found: "one that is not"}
		if open[0].Answer == NoLog {
			f.Found = "no event of it"
		}
		if err := ws.addFinding(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (ws *wants) settleOne(ctx context.Context, w *want) error {
	here := ws.logs[w.log]
	other, err := ws.otherEvent(ctx, w)
	if err != nil {
		return err
	}
	f := finding.Finding{Code: absent[w.Kind], TenantID: w.log.TenantID, LogID: w.log.LogID, Sequence: w.sequence,
		LastSequence: w.sequence, Expected: fmt.Sprintf("%s of %s", w.Kind, w.SHA256),
		Evidence: []finding.Evidence{w.evidence}}
	switch {
	case w.same || w.Answer != Recorded && w.denied > 0 && ws.covered(w):
		w.Answer, w.Sequence = Denied, w.denied
		f.Code, f.Sequence, f.LastSequence = finding.ApprovalDenied, w.denied, w.denied
		f.Expected, f.Found = "the approval of "+w.TransactionID+" that a bundle holds", "a denial"
		return ws.addFinding(ctx, f, w.ref)
	case w.Answer == Recorded:
		return nil
	case !here:
		w.Answer = NoLog
		return nil
	case !other.IsZero():
		w.Answer, f.Found = Missing, "another event, which holds as well"
		return ws.addFinding(ctx, f, other)
	case ws.covered(w):
		w.Answer, f.Found = Missing, "none, in a log that is whole there"
		if w.at > 0 {
			f.Found += " at " + time.UnixMilli(w.at).UTC().Format("2006-01-02T15:04:05.000Z")
		}
		return ws.addFinding(ctx, f)
	}
	w.Answer = NotCovered
	return nil
}

// covered reports whether the log would have to hold a wanted record.
func (ws *wants) covered(w *want) bool {
	s := ws.spines[w.log]
	switch {
	case s == nil:
		return false
	case w.sequence > 0:
		return false // another event at its sequence shows it, and nothing else
	case w.issuance != nil:
		return w.issuance.Answer == Recorded && s.isWhole(1, w.issuance.sequence)
	}
	return s.covers(w.at, settle.Milliseconds())
}

// otherEvent returns an event that holds, in the place of a disclosed one that
// was not found; the zero reference if there is none.
func (ws *wants) otherEvent(ctx context.Context, w *want) (facts.Ref, error) {
	if !ws.logs[w.log] || w.sequence == 0 || w.Answer == Recorded {
		return facts.Ref{}, nil
	}
	for e, err := range ws.in.Events(ctx, w.log, w.sequence, w.sequence) {
		if err != nil {
			return facts.Ref{}, err
		}
		if e.Recorded == w.hash {
			continue
		}
		if held, err := ws.isGenuine(w.log, e); held || err != nil {
			return e.Ref, err
		}
	}
	return facts.Ref{}, nil
}
