package part

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Write writes a part, and returns its digest. The same records give the same bytes.
// Without a key the part has no MAC. It returns an error if the content is not in
// order or names places that its shares do not have.
func Write(ctx context.Context, to io.Writer, c Content, key *Key) (chain.Hash, error) {
	file := &fileWriter{to: to, digest: sha256.New()}
	if err := file.writeOctets([]byte(magic)); err != nil {
		return chain.Hash{}, err
	}
	w := &writer{ctx: ctx, block: file.frame}
	if err := w.writeContent(c); err != nil {
		return chain.Hash{}, err
	}
	return file.writeEnd(key)
}

// writer makes frames of a content.
type writer struct {
	ctx    context.Context
	x      known
	copies block.Writer
	frame  []byte
	kept   []byte // kept columns of a block of copies
	log    int    // that is written
	block  func(k kind, content []byte) error
}

// fileWriter writes frames behind each other.
type fileWriter struct {
	to     io.Writer
	digest hash.Hash
}

func (w *writer) writeContent(c Content) error {
	w.x.shares = c.Shares()
	if err := w.putFrame(ofHeader, appendHeader(nil, c.Header())); err != nil {
		return err
	}
	if err := writeRows(w, &shareTable, pointersOf(w.x.shares)); err != nil {
		return err
	}
	for i := range w.x.shares[min(1, len(w.x.shares)):] {
		if one, other := &w.x.shares[i], &w.x.shares[i+1]; one.Source == other.Source && one.Range.To >= other.Range.From {
			return fmt.Errorf("%w: shares that touch: %s and %s", errOrder, one.Range, other.Range)
		}
	}
	err := writeRows(w, &unreadTable, pointersOf(c.Unread()))
	if err == nil {
		err = writeRows(w, &skipTable, c.Skips(w.ctx))
	}
	if err == nil {
		err = writeRows(w, &documentTable, c.Documents(w.ctx))
	}
	if err == nil {
		err = w.ofLogs(c)
	}
	if err != nil {
		return err
	}
	return writeRows(w, &batchTable, c.Batches(w.ctx))
}

// ofLogs writes the records of the logs.
func (w *writer) ofLogs(c Logged) (err error) {
	w.x.logs, w.x.log = slices.Clone(c.Logs()), map[facts.Log]int{}
	for i, log := range w.x.logs {
		if err != nil {
			return err
		}
		if i > 0 && w.x.logs[i-1].Compare(log) >= 0 {
			return errOrder
		}
		w.x.log[log], w.log = i, i
		err = w.ofLog(c, log)
	}
	return err
}

func (w *writer) ofLog(c Logged, log facts.Log) error {
	if err := w.putFrame(ofLog, appendLog(nil, log)); err != nil {
		return err
	}
	if err := w.allCopies(c, log); err != nil {
		return err
	}
	return writeRows(w, &statementTable, c.Statements(w.ctx, log, 0))
}

func (w *writer) allCopies(c Logged, log facts.Log) error {
	w.copies.Reset()
	some := false
	var last Copy
	for v, err := range c.Copies(w.ctx, log, 0) {
		if err != nil {
			return err
		}
		if some && v.Sequence <= last.Sequence && block.CompareCopy(&last, v) >= 0 {
			return fmt.Errorf("%w: copies of %d and %d", errOrder, last.Sequence, v.Sequence)
		}
		if err := w.checkCopy(v); err != nil {
			return err
		}
		last, some = *v, true
		if w.copies.Add(v) {
			if err := w.copyBlock(); err != nil {
				return err
			}
		}
	}
	if !some {
		return fmt.Errorf("a log without copies: %v", log)
	}
	return w.copyBlock()
}

// checkCopy returns an error if a copy cannot be written.
func (w *writer) checkCopy(c *Copy) error {
	if len(c.Arrivals) == 0 {
		return errNowhere
	}
	if len(c.Arrivals) > block.MaxArrivals {
		return fmt.Errorf("event %d arrived %d times: expected at most %d", c.Sequence, len(c.Arrivals), block.MaxArrivals)
	}
	if c.Size < 0 || !c.Judged() && !w.copies.Keeps || c.Signed > event.OverRecorded {
		return fmt.Errorf("event %d has the size %d and the signature state %d", c.Sequence, c.Size, c.Signed)
	}
	for i := range c.Arrivals {
		if err := w.x.checkPlace(&c.Arrivals[i].Place); err != nil {
			return err
		}
		if i > 0 && block.CompareArrival(&c.Arrivals[i-1], &c.Arrivals[i]) >= 0 {
			return fmt.Errorf("%w: arrivals of event %d", errOrder, c.Sequence)
		}
	}
	return nil
}

func (w *writer) copyBlock() error {
	if w.copies.Count() == 0 {
		return nil
	}
	w.frame = w.copies.AppendTo(w.frame[:0])
	if w.copies.Keeps {
		w.kept = w.copies.AppendKept(w.kept[:0])
	}
	w.copies.Reset()
	return w.putFrame(ofCopies, w.frame)
}

// pointersOf yields the values of a list.
func pointersOf[T any](all []T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

// writeRows writes records in blocks of rows.
func writeRows[T any](w *writer, t *table[T], rows iter.Seq2[*T, error]) error {
	var block []byte
	var last T
	n := 0
	for v, err := range rows {
		if err != nil {
			return err
		}
		if n > 0 && t.compare(&last, v) >= 0 {
			return fmt.Errorf("%w: %s", errOrder, t.kind)
		}
		if block, err = t.append(block, v, &w.x); err != nil {
			return fmt.Errorf("%s: %w", t.kind, err)
		}
		last = *v
		n++
		if len(block) >= rowBlock {
			if err := w.putFrame(t.kind, block); err != nil {
				return err
			}
			block = block[:0]
		}
	}
	if len(block) == 0 {
		return nil
	}
	return w.putFrame(t.kind, block)
}

// putFrame hands on a frame.
func (w *writer) putFrame(k kind, content []byte) error {
	if len(content) > maxFrame {
		return fmt.Errorf("%s of %d octets: expected at most %d", k, len(content), maxFrame)
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.block(k, content)
}

// frame writes a frame: its kind, how long its content is, and that.
func (w *fileWriter) frame(k kind, content []byte) error {
	if err := w.writeOctets(binary.AppendUvarint([]byte{byte(k)}, uint64(len(content)))); err != nil {
		return err
	}
	return w.writeOctets(content)
}

func (w *fileWriter) writeOctets(b []byte) error {
	w.digest.Write(b)
	_, err := w.to.Write(b)
	return err
}

// writeEnd writes the digest, the MAC or zeros, and the ending.
func (w *fileWriter) writeEnd(key *Key) (sum chain.Hash, err error) {
	w.digest.Sum(sum[:0])
	var mac chain.Hash
	if key != nil {
		mac = key.code(sum)
	}
	trailer := slices.Concat(sum[:], mac[:], []byte(ending))
	_, err = w.to.Write(trailer)
	return sum, err
}
