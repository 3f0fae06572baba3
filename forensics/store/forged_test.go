package store_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/verify"
)

// changed is a content whose copies are changed.
type changed struct {
	part.Content
	change  func(facts.Log, *part.Copy)
	digests map[[block.DigestSize]byte][block.DigestSize]byte // the new digests of copies, by the old ones
}

// Copies implements part.Content.
func (c changed) Copies(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		for one, err := range c.Content.Copies(ctx, log, from) {
			if err == nil {
				before := one.Digest
				c.change(log, one)
				c.digests[before] = one.Digest
			}
			if !yield(one, err) {
				return
			}
		}
	}
}

// Statements implements part.Content. They follow the copies of a log.
func (c changed) Statements(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		for one, err := range c.Content.Statements(ctx, log, from) {
			if err == nil {
				one.Digest = c.digests[one.Digest]
			}
			if !yield(one, err) {
				return
			}
		}
	}
}

// rewritten makes a store of a tenant's log, and writes its rows again with changed copies.
func rewritten(t *testing.T, e *fleet.Evidence, change func(*store.File) func(facts.Log, *part.Copy)) (path string) {
	t.Helper()
	path = pour(t, laid(t, e, fleet.TenantLog), 0) // one run of one source
	f := must.Get(store.OpenRead(path))(t)
	type row struct {
		table        string
		octets, kept []byte
	}
	var rows []row
	content := changed{f.Content, change(f), map[[block.DigestSize]byte][block.DigestSize]byte{}}
	must.Do(t, part.WriteFrames(t.Context(), content, true, func(one part.RowFrame, octets, kept []byte) error {
		table := map[part.Kind]string{part.Copies: "blocks", part.Statements: "statements"}[one.Kind]
		rows = append(rows, row{table, bytes.Clone(octets), bytes.Clone(kept)})
		return nil
	}))
	must.Do(t, f.Close())
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	defer c.Close()
	numbers := map[string]int64{}
	for _, r := range rows {
		numbers[r.table]++
		if r.table == "blocks" {
			const update = "UPDATE blocks SET copies = ?, kept = ? WHERE block = ?"
			must.Do(t, c.Run(update, r.octets, r.kept, numbers[r.table]))
		} else {
			must.Do(t, c.Run("UPDATE statements SET octets = ? WHERE statement = ?", r.octets, numbers[r.table]))
		}
	}
	return path
}

// judgedAs marks the signature of every copy as judged.
func judgedAs(as event.Signed) func(*store.File) func(facts.Log, *part.Copy) {
	return func(*store.File) func(facts.Log, *part.Copy) {
		return func(_ facts.Log, c *part.Copy) { c.Signed = as }
	}
}

// claimed notes which signatures a judge asks for, and knows none.
type claimed struct {
	mu  sync.Mutex
	all []chain.Hash
}

func (a *claimed) Known(_ context.Context, c walk.Claims) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, c.SHA256)
	return false, nil
}

func (a *claimed) Keep(context.Context, walk.Claims) error { return nil }

// TestForgedSignatures: a memory of signatures in the case is not believed without a key, nor
// under the key of another user.
func TestForgedSignatures(t *testing.T) {
	events := chance.Sized(3000, 1500) // so many that blocks are series
	e := must.Get(fleet.Build(fleet.Scene, 1, events))(t)
	root := cases.Root(t, e)
	path := rewritten(t, e, func(f *store.File) func(facts.Log, *part.Copy) {
		return func(log facts.Log, c *part.Copy) {
			var l event.Line
			must.That(t, event.Scan(must.Get(f.CopyLine(t.Context(), log, c))(t), &l), "no event")
			c.Signature = [event.SignatureSize]byte{1}
			digest := facts.CopyDigest(l.Recorded, l.Link, &c.Signature, l.KeyID)
			copy(c.Digest[:], digest[:])
		}
	})
	f := must.Get(store.OpenRead(path))(t)
	memory := &claimed{}
	c := must.Get(f.Case(t.Context(), store.Judging{Judge: walk.RememberingJudge(root, memory)}))(t)
	must.Get(examine.Of(t.Context(), c, root, examine.Options{}))(t)
	must.Do(t, f.Close())
	must.That(t, len(memory.all) > 0, "no signature was asked for")

	w := must.Get(store.OpenWrite(path, cases.As(2)))(t)
	must.Do(t, w.KeepSignatures(memory.all), w.Commit(), w.Close())
	db := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	for _, digest := range memory.all {
		must.Do(t, db.Run("INSERT OR IGNORE INTO signatures VALUES (?)", digest[:]))
	}
	must.Do(t, db.Close())
	for user, options := range map[string][]store.Option{"maker": {cases.As(1)}, "nobody": nil} {
		r := must.Get(examine.Examine(t.Context(), path, root, examine.Options{Case: options}))(t)
		i := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == "tenant/acme-corp" })
		must.That(t, r.Verdict == verify.Rejected && r.Logs[i].SignatureValid == 0, "%s: %+v", user, r.Logs[i])
	}
}

// TestJudgedElsewhere: a store that comes with judgements is refused.
func TestJudgedElsewhere(t *testing.T) {
	e := cases.Evidence(t, fleet.Scene)
	must.Do(t, checked(t, rewritten(t, e, judgedAs(event.Unjudged))))
	for _, as := range []event.Signed{event.Neither, event.OverContent, event.OverRecorded} {
		err := checked(t, rewritten(t, e, judgedAs(as)))
		check.That(t, errors.Is(err, store.ErrAltered), "%v: %v", as, err)
	}
}

// TestRangeOfFile: a store whose source is a range of a file is refused.
func TestRangeOfFile(t *testing.T) {
	path := rewritten(t, cases.Evidence(t, fleet.Scene), judgedAs(event.Unjudged))
	c := must.Get(sqlite.Open(path, sqlite.ReadWrite))(t)
	must.Do(t, c.Exec("UPDATE sources SET whole_sha256 = sha256, whole_size = read, begins = 0"))
	must.Do(t, c.Close())
	err := checked(t, path)
	check.That(t, errors.Is(err, store.ErrAltered), "%v", err)
}
