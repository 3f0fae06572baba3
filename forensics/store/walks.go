package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"iter"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Walk is the result of a walk over the logs of a case.
type Walk struct {
	Number      int64 // given by the case
	TrustSHA256 chain.Hash
	TrustPath   string // absolute path of the trust file; "" if it is not known
	Verdict     string
	Result      []byte // JSON, without the findings
	State       []byte // from which the next walk may go on; nil if it may not
}

// Finding is one finding of a walk, and the values to filter it by.
type Finding struct {
	Code, Severity, LogID  string
	Sequence, LastSequence uint64
	JSON                   []byte // the whole finding
}

// digest covers everything that is kept of a walk but its findings.
func (w *Walk) digest() []byte {
	h := sha256.New()
	for _, part := range [][]byte{w.TrustSHA256[:], []byte(w.Verdict), w.Result, w.State} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}

// addFinding adds a finding to the digest of a walk's findings.
func addFinding(h hash.Hash, f *Finding) {
	fmt.Fprintf(h, "%q %q %q %d %d %q\n", f.Code, f.Severity, f.LogID, f.Sequence, f.LastSequence, f.JSON)
}

// mostWalks bounds the numbers of walks, so that there is always a next one.
const mostWalks = 1 << 40

// KeepWalk adds a walk and its findings, in the order of its report, commits them
// and returns the number of the walk. Without a key that vouches for the case, the
// walk can be looked at, but no later walk continues from it.
func (w *Writer) KeepWalk(walk Walk, findings []Finding) (int64, error) {
	if err := w.begin(); err != nil {
		return 0, err
	}
	number, err := w.conn.Number("SELECT coalesce(max(walk), 0) + 1 FROM walks WHERE walk < ?", int64(mostWalks))
	if err != nil {
		return 0, err
	}
	if err := w.conn.Run("DELETE FROM findings WHERE walk = ?", number); err != nil {
		return 0, err
	}
	var state any
	if walk.State != nil {
		state = walk.State
	}
	err = w.conn.Run("INSERT INTO walks VALUES (?, ?, ?, ?, ?)", number, walk.TrustSHA256[:], walk.Verdict,
		string(walk.Result), state)
	all := sha256.New()
	for i, f := range findings {
		if err != nil {
			return 0, err
		}
		addFinding(all, &f)
		err = w.conn.Run("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			number, int64(i), f.Code, f.Severity, f.LogID, int64(f.Sequence), int64(f.LastSequence), string(f.JSON))
	}
	if err == nil && w.lineage != nil {
		err = errors.Join(writeStanding(w.conn, w.standing.key, w.walkPlace(number), all.Sum(walk.digest())),
			writeStanding(w.conn, w.standing.key, w.trustPlace(), append(walk.TrustSHA256[:], walk.TrustPath...)))
	}
	if err == nil {
		err = w.keeper.addEntry(w.conn, custody.Entry{Walk: &custody.Walk{Number: number, Trust: walk.TrustSHA256.String(),
			Verdict: walk.Verdict, Findings: int64(len(findings)), Result: resultDigest(all.Sum(walk.digest()))}})
	}
	if err = errors.Join(err, w.Commit()); err == nil {
		w.keeper.committed()
	}
	return number, err
}

func (s *standing) walkPlace(number int64) chain.Hash {
	return s.key.code("walk", s.lineage, strconv.AppendInt(nil, number, 10))
}

// TrustFile is which trust file a walk used.
type TrustFile struct {
	Path   string // absolute
	SHA256 chain.Hash
}

// TrustFile returns the trust file of the last walk under the case's key; the zero value if the key
// vouches for none.
func (k Kept) TrustFile() (file TrustFile, err error) {
	if k.f.lineage == nil {
		return file, nil
	}
	err = k.f.withConn(func(r *sqlite.Conn) error {
		value, err := readStanding(r, k.f.key, k.f.trustPlace())
		if len(value) > len(file.SHA256) {
			file.Path = string(value[copy(file.SHA256[:], value):])
		}
		return err
	})
	return file, err
}

func (s *standing) trustPlace() chain.Hash { return s.key.code("trust file", s.lineage) }

// LastWalk returns the newest walk under a trust file. It ignores walks that the
// case's key does not vouch for; ok is false if there is none.
func (k Kept) LastWalk(ctx context.Context, trustSHA256 chain.Hash) (walk Walk, ok bool, err error) {
	return k.newest(ctx, walkColumns+"WHERE trust_sha256 = ? ORDER BY walk DESC", trustSHA256[:])
}

// NewestWalk is LastWalk for any trust file.
func (k Kept) NewestWalk(ctx context.Context) (walk Walk, ok bool, err error) {
	return k.newest(ctx, walkColumns+"ORDER BY walk DESC")
}

// WalkThrough is LastWalk for any trust file, among the walks up to a number.
func (k Kept) WalkThrough(ctx context.Context, most int64) (walk Walk, ok bool, err error) {
	return k.newest(ctx, walkColumns+"WHERE walk <= ? ORDER BY walk DESC", most)
}

const walkColumns = "SELECT walk, trust_sha256, verdict, result, state FROM walks "

// newest returns the first walk for which the key vouches.
func (k Kept) newest(ctx context.Context, query string, about ...any) (walk Walk, ok bool, err error) {
	if k.f.lineage == nil {
		return Walk{}, false, ctx.Err()
	}
	all := eachRow(ctx, k.f, func(c *sqlite.Conn, yield func(*Walk) error) error {
		return c.Each(query, about, func(s *sqlite.Stmt) error { return yield(readWalk(s)) })
	})
	for walk, err := range all {
		if err != nil {
			return Walk{}, false, err
		}
		if ok, err := k.vouchedFor(ctx, walk); ok || err != nil {
			return *walk, ok, err
		}
	}
	return Walk{}, false, nil
}

func readWalk(s *sqlite.Stmt) *Walk {
	walk := &Walk{Number: s.Int(0), Verdict: s.Text(2), Result: []byte(s.Text(3))}
	copy(walk.TrustSHA256[:], s.Blob(1))
	if !s.Null(4) {
		walk.State = []byte(s.Text(4))
	}
	return walk
}

// vouchedFor reports whether a walk and its findings are as a walk under the
// case's key left them.
func (k Kept) vouchedFor(ctx context.Context, walk *Walk) (bool, error) {
	var want []byte
	err := k.f.withConn(func(r *sqlite.Conn) (err error) {
		want, err = readStanding(r, k.f.key, k.f.walkPlace(walk.Number))
		return err
	})
	if err != nil || want == nil {
		return false, err
	}
	all := sha256.New()
	for f, err := range k.Findings(ctx, walk.Number) {
		if err != nil {
			return false, err
		}
		addFinding(all, f)
	}
	return bytes.Equal(want, all.Sum(walk.digest())), nil
}

// Findings yields the findings of a walk in the order of its report.
func (k Kept) Findings(ctx context.Context, walk int64) iter.Seq2[*Finding, error] {
	return eachRow(ctx, k.f, func(c *sqlite.Conn, yield func(*Finding) error) error {
		return c.Each(findingsOfWalk, []any{walk}, func(s *sqlite.Stmt) error { return yield(readFinding(s)) })
	})
}

const findingsOfWalk = "SELECT code, severity, log_id, sequence, last_sequence, finding FROM findings WHERE walk = ? " +
	"ORDER BY number"

func readFinding(s *sqlite.Stmt) *Finding {
	return &Finding{s.Text(0), s.Text(1), s.Text(2), uint64(s.Int(3)), uint64(s.Int(4)), []byte(s.Text(5))}
}
