package store

import (
	"context"
	"errors"
	"iter"

	"github.com/svc-edge/svc-verify/chain"
)

// Walk is what a walk over the logs of a case said.
type Walk struct {
	Number      int64 // given by the case
	TrustSHA256 chain.Hash
	Verdict     string
	Result      []byte // JSON, without the findings
	State       []byte // from which the next walk may go on; nil if it may not
}

// Finding is one finding of a walk, with what it is filtered by.
type Finding struct {
	Code, Severity, LogID  string
	Sequence, LastSequence uint64
	JSON                   []byte // the whole finding
}

// KeepWalk adds a walk and its findings, in the order of its report, and
// commits them. It returns the walk's number.
func (w *Writer) KeepWalk(walk Walk, findings []Finding) (int64, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	number, err := w.conn.number("SELECT coalesce(max(walk), 0) + 1 FROM walks")
	if err != nil {
		return 0, err
	}
	var state any
	if walk.State != nil {
		state = walk.State
	}
	err = w.conn.run("INSERT INTO walks VALUES (?, ?, ?, ?, ?)", number, walk.TrustSHA256[:], walk.Verdict, string(walk.Result), state)
	for i, f := range findings {
		if err != nil {
			return 0, err
		}
		err = w.conn.run("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?)", number, int64(i), f.Code, f.Severity, f.LogID,
			int64(f.Sequence), int64(f.LastSequence), string(f.JSON))
	}
	return number, errors.Join(err, w.Commit())
}

// LastWalk returns the newest walk under a trust file; ok is false if there is
// none.
func (c *Case) LastWalk(ctx context.Context, trustSHA256 chain.Hash) (walk Walk, ok bool, err error) {
	const query = "SELECT walk, verdict, result, state FROM walks WHERE trust_sha256 = ? ORDER BY walk DESC LIMIT 1"
	for walk, err := range rows(ctx, c, ask(query, trustSHA256[:]), func(s *stmt) (Walk, error) {
		walk := Walk{Number: s.columnInt(0), TrustSHA256: trustSHA256, Verdict: s.columnText(1), Result: []byte(s.columnText(2))}
		if !s.columnNull(3) {
			walk.State = []byte(s.columnText(3))
		}
		return walk, nil
	}) {
		return walk, err == nil, err
	}
	return Walk{}, false, nil
}

// Findings yields the findings of a walk in the order of its report.
func (c *Case) Findings(ctx context.Context, walk int64) iter.Seq2[Finding, error] {
	const query = "SELECT code, severity, log_id, sequence, last_sequence, finding FROM findings WHERE walk = ? ORDER BY number"
	return rows(ctx, c, ask(query, walk), func(s *stmt) (Finding, error) {
		return Finding{s.columnText(0), s.columnText(1), s.columnText(2), uint64(s.columnInt(3)), uint64(s.columnInt(4)),
			[]byte(s.columnText(5))}, nil
	})
}
