package replay_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/replay"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/verify"
)

// kept writes a ledger of the planted objects, with one run under a policy.
func (p *planted) kept(policy verify.Policy) string {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "ledger")
	w := must.Get(ledger.OpenWrite(context.Background(), path, ledger.Secret{1}))(p.t)
	must.Do(p.t, w.Begin(1))
	for _, row := range p.rows {
		o := *row
		o.AddedIn, o.ReadIn, o.ReadAt, o.VerifiedIn, o.VerifiedAt = 1, 1, 1, 1, 1
		o.Context = object.ContextOf(p.trust.root(p.t), policy)
		must.Do(p.t, w.Put(&o))
		must.Do(p.t, w.Note(&run.Change{Path: o.Path, Class: "added", After: o.State()}))
	}
	_, err := w.AppendRun(context.Background(),
		run.Record{Began: 1, Ended: 2, Tool: "test", Rules: verify.Rules, Whole: true,
			Trust: p.trust.root(p.t).SHA256(), Policy: policy, Counts: map[string]int64{"added": 4}})
	must.Do(p.t, errors.Join(err, w.Close()))
	return path
}

// replayed replays without the second signer key, with a ledger.
func (p *planted) replayed(path string, secret ledger.Secret, asked verify.Policy) (*replay.Result, replay.Options) {
	p.t.Helper()
	l := must.Get(ledger.Open(context.Background(), path, secret))(p.t)
	defer l.Close()
	less := p.trust.clone()
	delete(less.Signer, "signer-2026-2")
	o := replay.Options{Old: replay.Under{Policy: asked}, New: replay.Under{Policy: asked}}
	must.Do(p.t, o.UseLedger(context.Background(), l, asked))
	return p.run(p.trust, less, o), o
}

func TestLedger(t *testing.T) {
	p := plant(t)
	two := verify.Policy{MinimumApprovals: 2}
	path := p.kept(two)
	r, o := p.replayed(path, ledger.Secret{1}, verify.Policy{})
	check.That(t, o.Old.Policy.MinimumApprovals == 2 && o.New.Policy.MinimumApprovals == 2 && len(o.Remarks) == 0, "%+v",
		o)
	check.That(t, r.Believed == 4 && r.JudgedBefore == 0 && r.Lost == 1, "%+v", r)
	// A policy flag sets the demand after the change.
	if r, o := p.replayed(path, ledger.Secret{1},
		verify.Policy{MinimumApprovals: 1000}); o.Old.Policy.MinimumApprovals != 2 ||
		r.Believed != 4 || r.Lost != 2 {
		t.Errorf("%+v", r)
	}
	if r, o := p.replayed(path, ledger.Secret{1}, verify.Policy{TenantID: "another"}); o.Old.Policy.TenantID != "" ||
		r.Lost != 2 {
		t.Errorf("%+v", r)
	}
}

// TestLedgerOfPolicy: the policy of the newest run applies before the change, and after it
// except for the caller's demands.
func TestLedgerOfPolicy(t *testing.T) {
	p := plant(t)
	kept := verify.Policy{TenantID: "acme-corp", MinimumApprovals: 2}
	r, o := p.replayed(p.kept(kept), ledger.Secret{1}, verify.Policy{})
	check.That(t, r.Believed == 4 && object.PolicyDigest(o.Old.Policy) == object.PolicyDigest(o.New.Policy) &&
		o.Old.Policy.TenantID == "acme-corp", "%+v, %+v", r, o.Old.Policy)
	_, o = p.replayed(p.kept(kept), ledger.Secret{1}, verify.Policy{MinimumApprovals: 3})
	check.That(t, o.Old.Policy.MinimumApprovals == 2 && o.New.Policy.MinimumApprovals == 3 &&
		o.New.Policy.TenantID == "acme-corp", "%+v, then %+v", o.Old.Policy, o.New.Policy)
}

// TestForeignLedger: no verdict of it is used, and it is said.
func TestForeignLedger(t *testing.T) {
	p := plant(t)
	r, _ := p.replayed(p.kept(verify.Policy{}), ledger.Secret{2}, verify.Policy{})
	check.That(t, r.Believed == 0 && r.JudgedBefore == 4 && r.Lost == 1 &&
		strings.Contains(r.NotExamined[0], "another user's"), "%+v", r)
}

// TestAlteredLedger: nothing of it is believed, and no replay with it is verified.
func TestAlteredLedger(t *testing.T) {
	p := plant(t)
	path := p.kept(verify.Policy{})
	conn := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	must.Do(t, conn.Exec("DELETE FROM objects WHERE path = CAST('a.json' AS BLOB)"))
	must.Do(t, conn.Close())
	l := must.Get(ledger.Open(context.Background(), path, ledger.Secret{1}))(t)
	defer l.Close()
	var o replay.Options
	must.Do(t, o.UseLedger(context.Background(), l, verify.Policy{}))
	r := p.run(p.trust, p.trust, o)
	check.That(t, r.Believed == 0 && r.JudgedBefore == 4 && r.Verdict == "inconclusive" &&
		strings.Contains(r.NotExamined[0], "altered"), "%+v", r)
}
