package casefile

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// ErrAltered reports a case whose rows contradict each other. svc-verify never
// writes such a case.
var ErrAltered = errors.New("the case was altered, or is damaged; ingest the sources into a new case")

func altered(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrAltered, fmt.Sprintf(format, args...))
}

// check goes over all evidence of a case that nobody vouches for. What the
// octets of an event give is derived from them again and compared with the
// columns that every question uses. It needs an open transaction.
func check(ctx context.Context, c *sqlite.Conn) (err error) {
	k := &checker{ctx: ctx, c: c}
	defer func() { err = errors.Join(err, k.source.close()) }()
	for _, step := range []func() error{k.pages, k.names, k.events, k.copies, k.places, k.documents} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

type checker struct {
	ctx        context.Context
	c          *sqlite.Conn
	logs       map[int64]Log
	words      map[int64]string
	containers map[int64]string // where the file of the container's source is
	rows       []checkRow
	last       int64 // the block that was decompressed last
	block      []byte
	source     sourceFile // for events by reference
}

// pages has the engine check every page: that trees are in order, and that
// indexes have the rows of their tables.
func (k *checker) pages() error {
	found := "nothing"
	err := k.c.Each("PRAGMA integrity_check(1)", nil, func(s *sqlite.Stmt) error {
		found = s.Text(0)
		return nil
	})
	if err == nil && found != "ok" {
		err = altered("%s", safetext.Line(found))
	}
	return err
}

// mostName bounds the texts of the case that are kept in memory or shown.
const mostName = 64 << 10

// names reads the dictionaries.
func (k *checker) names() error {
	k.logs, k.words, k.containers = map[int64]Log{}, map[int64]string{}, map[int64]string{}
	texts := [][2]string{{"words", "text"}, {"logs", "log_id"}, {"logs", "tenant_id"}, {"batches", "ids"},
		{"paths", "path"}, {"paths", "absolute"}, {"containers", "path"}, {"unread", "path"}, {"unread", "detail"},
		{"skips", "detail"}, {"skips", "code"}}
	for _, t := range texts {
		most := mostName
		if t[1] == "ids" {
			most = mostIDs
		}
		long := fmt.Sprintf("SELECT EXISTS (SELECT 1 FROM %s WHERE length(%s) > %d)", t[0], t[1], most)
		n, err := k.c.Number(long) // #nosec G201 -- names of ours
		if err == nil && n != 0 {
			err = altered("a text of %s has more than %d characters", t[0], most)
		}
		if err != nil {
			return err
		}
	}
	return inOrder(
		func() error {
			return k.c.Each("SELECT word, text FROM words", nil, func(s *sqlite.Stmt) error {
				k.words[s.Int(0)] = s.Text(1)
				return nil
			})
		},
		func() error {
			return k.c.Each("SELECT log, tenant_id, log_id FROM logs", nil, func(s *sqlite.Stmt) error {
				k.logs[s.Int(0)] = readLog(s)
				return nil
			})
		},
		func() error {
			const query = `SELECT container, (SELECT coalesce(max(absolute), '') FROM paths
				WHERE paths.source = containers.source)
				FROM containers JOIN sources USING (source)`
			return k.c.Each(query, nil, func(s *sqlite.Stmt) error {
				k.containers[s.Int(0)] = s.Text(1)
				return nil
			})
		})
}

// mostIDs bounds the batch ids of a record, as package read does.
const mostIDs = 1 << 20

// checkRow is a row of events or of variants.
type checkRow struct {
	bodyRow
	e      facts.Event
	digest []byte // of a variant, as it is kept
}

// window is how many rows are checked together: neighbours in a log can be in
// blocks far apart, and a block is decompressed once in a window.
const window = 8192

func (k *checker) events() error {
	return k.table("SELECT event, " + copyColumns + ", event & 0xffffffffff, NULL, event >> 40 FROM events ORDER BY event")
}

func (k *checker) copies() error {
	return k.table("SELECT -variant, " + copyColumns + ", sequence, digest, log FROM variants ORDER BY variant")
}

func (k *checker) table(query string) error {
	err := k.c.Each(query, nil, func(s *sqlite.Stmt) error {
		r, err := k.row(s)
		if err != nil {
			return err
		}
		if k.rows = append(k.rows, r); len(k.rows) < window {
			return nil
		}
		return k.flush()
	})
	return errors.Join(err, k.flush())
}

// row reads a row, and looks up what its numbers mean.
func (k *checker) row(s *sqlite.Stmt) (r checkRow, err error) {
	const colLog = colDigest + 1
	log, ok := k.logs[s.Int(colLog)]
	number := s.Int(colSequence)
	further := len(s.Blob(colDigest)) > 0 // has a digest of its own, as rows of variants have
	ok = ok && number > 0 && s.Int(colEvent) != 0 && (s.Int(colEvent) < 0) == further
	r.e.Ref, r.sequence, r.tenant, r.log = facts.Ref(s.Int(colEvent)), number, log.TenantID, log.LogID
	r.e.Link.Sequence = uint64(number)
	if len(s.Blob(colDigest)) > sha256.Size || len(s.Blob(colTransactionID)) > mostName {
		return r, altered("%s has a value that is too long", r.name())
	}
	key, typ, whole := readWholeEvent(&r.e, s)
	r.digest = bytes.Clone(s.Blob(colDigest))
	r.bodyRow.ofRow(s)
	var ok1, ok2, ok3 bool
	r.e.KeyID, ok1 = k.words[key]
	r.typ, ok2 = k.words[typ]
	r.absolute, ok3 = k.containers[r.container]
	if !ok || !whole || !ok1 || !ok2 || !ok3 {
		return r, altered("%s names what is not there", r.name())
	}
	// So that no value can stand for more than one member of the body.
	if strings.ContainsAny(r.tenant+r.log+r.typ+r.transaction+r.e.KeyID, `"\`) {
		return r, altered("%s has a name with a quotation mark", r.name())
	}
	return r, nil
}

func (r *checkRow) name() string {
	if r.log == "" {
		return fmt.Sprintf("row %d", r.e.Ref)
	}
	return fmt.Sprintf("event %d of %s", r.sequence, safetext.Quote(r.log))
}

// flush checks the rows that were read, block by block.
func (k *checker) flush() error {
	slices.SortStableFunc(k.rows, func(a, b checkRow) int { return cmp.Compare(a.block, b.block) })
	defer func() { k.rows = k.rows[:0] }()
	for i := range k.rows {
		if i%contextEvery == 0 && k.ctx.Err() != nil {
			return k.ctx.Err()
		}
		if err := k.check(&k.rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// check compares a row with its event's octets.
func (k *checker) check(r *checkRow) (err error) {
	if own := r.e.Digest(); r.digest != nil && !bytes.Equal(own[:], r.digest) {
		return altered("%s is kept under the digest of another copy", r.name())
	}
	if r.block == 0 {
		return k.referred(r)
	}
	if r.block != k.last {
		k.last = 0
		if k.block, err = readBlock(k.c, r.block); err != nil {
			return altered("%s: %v", r.name(), err)
		}
		k.last = r.block
	}
	body, err := r.body(k.block)
	if err != nil {
		return altered("%s: %v", r.name(), err)
	}
	if got := chain.Hash(sha256.Sum256(body)); got != r.e.Link.Body {
		return altered("%s: its columns and its data give a body of digest %s, and not %s", r.name(), got, r.e.Link.Body)
	}
	return nil
}

// referred compares a row with its line in a source. A source that is gone or
// has changed is for a walk to report.
func (k *checker) referred(r *checkRow) error {
	l, err := k.source.line(&r.bodyRow)
	if err != nil || !isOf(&l, &r.e) {
		return nil
	}
	if string(l.TenantID) != r.tenant || string(l.LogID) != r.log || string(l.Type) != r.typ ||
		string(l.TransactionID) != r.transaction || l.OccurredAt != r.occurredAt {
		return altered("%s: its columns are not those of its line", r.name())
	}
	return nil
}

// places checks that nothing arrived of events that are not there.
func (k *checker) places() error {
	const query = `SELECT EXISTS (SELECT 1 FROM deliveries d WHERE
		CASE WHEN event > 0 THEN NOT EXISTS (SELECT 1 FROM events e WHERE e.event = d.event)
		ELSE NOT EXISTS (SELECT 1 FROM variants v WHERE v.variant = -d.event) END
		OR NOT EXISTS (SELECT 1 FROM containers c JOIN sources USING (source) WHERE c.container = d.container))`
	n, err := k.c.Number(query)
	if err == nil && n != 0 {
		err = altered("an event that is not there was delivered again")
	}
	return err
}

// documents checks the digests of documents.
func (k *checker) documents() error {
	return k.c.Each("SELECT sha256, bytes FROM documents", nil, func(s *sqlite.Stmt) error {
		want := chain.Hash{}
		copy(want[:], s.Blob(0))
		if got := chain.Hash(sha256.Sum256(s.Blob(1))); got != want {
			return altered("a document has the digest %s, and not %s", got, want)
		}
		return k.ctx.Err()
	})
}
