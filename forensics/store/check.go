package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// ErrAltered reports a store whose rows contradict each other. svc-verify never writes such
// a store.
var ErrAltered = errors.New("the case was altered, or is damaged; ingest the sources into a new one")

func alteredError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrAltered, fmt.Sprintf(format, args...))
}

// Check examines everything in a store that no one vouches for. All facts that questions use
// are derived again from the bytes of an event, and compared: the hash of its content, the
// digest of the copy, its statement, and the batches that events are in. The maker of a store
// could choose where and how events arrived, and leave out some.
func (f *File) Check(ctx context.Context) error {
	k := &checker{ctx: ctx, f: f, bodyRows: bodyRows{read: f.bodies}}
	for _, step := range []func() error{k.pages, k.frames, k.checkLogs, k.batches, k.documents} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

type checker struct {
	ctx context.Context
	f   *File
	bodyRows
	made   []*part.Batch
	events *checkedEvents
}

// pages has the engine check every page.
func (k *checker) pages() error {
	found := "nothing"
	err := k.f.withConn(func(c *sqlite.Conn) error {
		return c.Each("PRAGMA integrity_check(1)", nil, func(s *sqlite.Stmt) error {
			found = s.Text(0)
			return nil
		})
	})
	if err == nil && found != "ok" {
		err = alteredError("%s", safetext.Line(found))
	}
	return err
}

// frames checks that rows of blocks name the sequences in them, and that the rows of a run and
// a log are in order.
func (k *checker) frames() error {
	type place struct{ run, log int64 }
	last := map[place]uint64{}
	return k.f.withConn(func(c *sqlite.Conn) error {
		return c.Each("SELECT run, log, first, last, copies FROM blocks ORDER BY block", nil, func(s *sqlite.Stmt) error {
			at := place{s.Int(0), s.Int(1)}
			first, end := block.SequencesOf(s.Blob(4))
			before, some := last[at]
			if uint64(s.Int(2)) != first || uint64(s.Int(3)) != end || end < first || some && first < before {
				return alteredError("a row of blocks of run %d says other sequences than it has", at.run)
			}
			last[at] = end
			return k.ctx.Err()
		})
	})
}

// checkLogs checks the copies of each log.
func (k *checker) checkLogs() error {
	return k.f.withConn(func(c *sqlite.Conn) error { return c.Snapshot(func() error { return k.logsBy(c) }) })
}

// logsBy is logs with a connection that reads the index of events, in one transaction. One
// goroutine works here, so that the copies can be read with the same connection.
func (k *checker) logsBy(c *sqlite.Conn) (err error) {
	if k.events, err = openEvents(c, k.f); err != nil {
		return err
	}
	defer k.events.closeStatement()
	k.f.yield(c, func() {
		for _, log := range k.f.Content.Logs() {
			if err == nil {
				err = k.checkLog(log)
			}
		}
	})
	if err != nil {
		return err
	}
	return k.events.checkCount()
}

// checkLog checks the copies of a log, and collects their batches.
func (k *checker) checkLog(log facts.Log) error {
	next, stop := iter.Pull2(k.f.Content.Statements(k.ctx, log, 0))
	defer stop()
	statement, err, more := next()
	types := evidence.StatementTypes(log.LogID)
	batches := part.NewBatcher(log, func(b *part.Batch) { k.made = append(k.made, b) })
	for c, fault := range k.f.Content.Copies(k.ctx, log, 0) {
		if fault != nil || err != nil {
			return cmp.Or(fault, err)
		}
		batches.Add(c)
		if c.Body.Row == 0 {
			return alteredError("%s is kept nowhere", nameOfCopy(log, c))
		}
		said, err := k.copy(log, c)
		if err == nil {
			err = k.events.checkCopy(log, c, said.transaction)
		}
		if err != nil {
			return err
		}
		if !slices.Contains(types, c.Type) {
			continue
		}
		if !more || !said.belongsTo(statement, c) {
			return alteredError("%s does not match its data", nameOfCopy(log, c))
		}
		if statement, err, more = next(); err != nil {
			return err
		}
	}
	if more && err == nil {
		err = alteredError("a log has a statement of an event that it has not")
	}
	batches.End()
	return err
}

func nameOfCopy(log facts.Log, c *part.Copy) string {
	return fmt.Sprintf("event %d of %s", c.Sequence, safetext.Quote(log.LogID))
}

// sayings are the facts in the bytes of an event.
type sayings struct {
	transaction string
	data        []byte
}

// belongsTo reports whether a statement belongs to a copy.
func (s *sayings) belongsTo(one *part.Statement, c *part.Copy) bool {
	var want []byte
	if said, ok := evidence.ReadSaid(c.Type, s.data); ok {
		want = evidence.AppendSaid(nil, &said)
	}
	return one.Sequence == c.Sequence && one.Digest == c.Digest && one.Type == c.Type &&
		one.TransactionID == s.transaction && bytes.Equal(one.Said, want)
}

// copy compares a copy with its bytes, and returns their facts.
func (k *checker) copy(log facts.Log, c *part.Copy) (s sayings, err error) {
	if c.Judged() {
		return s, alteredError("%s comes with a judgement of its signature", nameOfCopy(log, c))
	}
	// So that no value can stand for more than one member of the body.
	if strings.ContainsAny(log.TenantID+log.LogID+c.Type+c.KeyID, `"\`) {
		return s, alteredError("%s has a name with a quotation mark", nameOfCopy(log, c))
	}
	kept, _, err := k.kept(c)
	if err != nil {
		return s, alteredError("%s: %v", nameOfCopy(log, c), err)
	}
	if bytes.ContainsAny(kept.transaction, `"\`) {
		return s, alteredError("%s has a name with a quotation mark", nameOfCopy(log, c))
	}
	body, data, err := kept.body(log, c)
	if err != nil {
		return s, alteredError("%s: %v", nameOfCopy(log, c), err)
	}
	link := c.Link
	link.Body = sha256.Sum256(body)
	if got := link.Hash(); got != c.Computed {
		return s, alteredError("%s: its octets give the hash %s, and not %s", nameOfCopy(log, c), got, c.Computed)
	}
	digest := facts.CopyDigest(c.Recorded, link, &c.Signature, c.KeyID)
	if !bytes.Equal(digest[:block.DigestSize], c.Digest[:]) {
		return s, alteredError("%s is kept under the digest of another copy", nameOfCopy(log, c))
	}
	return sayings{string(kept.transaction), data}, nil
}

// batches checks that batches match the copies.
func (k *checker) batches() error {
	sortBatches(k.made)
	for b, err := range k.f.Content.Batches(k.ctx) {
		if err != nil {
			return err
		}
		if len(k.made) == 0 || *k.made[0] != *b {
			return alteredError("a batch does not match its events")
		}
		k.made = k.made[1:]
	}
	if len(k.made) > 0 {
		return alteredError("a batch of events is not there")
	}
	return nil
}

// documents checks the digests of documents.
func (k *checker) documents() error {
	for d, err := range k.f.Content.Documents(k.ctx) {
		if err != nil {
			return err
		}
		if got := chain.Hash(sha256.Sum256(d.Bytes)); got != d.SHA256 {
			return alteredError("a document has the digest %s, and not %s", got, d.SHA256)
		}
	}
	return nil
}
