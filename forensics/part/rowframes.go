package part

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Rows are frames that stand in the rows of a store.
type Rows interface {
	// Frame returns the content of a frame, in the buffer if that is large enough.
	Frame(row int64, buffer []byte) ([]byte, error)

	// Kept returns the kept columns of a block of copies.
	Kept(row int64, buffer []byte) ([]byte, error)
}

// Kind describes the content of a frame.
type Kind = kind

// The kinds of frames that a store keeps in rows.
const (
	Copies     = ofCopies
	Statements = ofStatements
	Batches    = ofBatches
)

// RowFrame is a frame in a row, of one of the kinds above.
type RowFrame struct {
	Kind        Kind
	Row         int64
	Log         int    // index of the log, if it is of one
	First, Last uint64 // the sequences of its first record and, of copies, of its last
	Size        int    // bytes
}

// InRows returns a part whose frames are in rows: its logs are in order, and the frames of a
// kind and a log are. It has nothing else of a part. If its blocks of copies have kept
// columns, they may be unjudged.
func InRows(rows Rows, shares []Share, logs []facts.Log, frames []RowFrame, keeps bool) *File {
	f := &File{close: func() error { return nil }, rows: rows, keeps: keeps}
	f.x.shares, f.x.logs, f.logs = shares, logs, make([]logFrames, len(logs))
	for _, one := range frames {
		in := frame{at: one.Row, first: one.First, last: one.Last, size: uint32(one.Size)}
		switch one.Kind {
		case ofCopies:
			f.logs[one.Log].copies = append(f.logs[one.Log].copies, in)
		case ofStatements:
			f.logs[one.Log].statements = append(f.logs[one.Log].statements, in)
		default:
			f.frames[one.Kind] = append(f.frames[one.Kind], in)
		}
	}
	return f
}

// WriteFrames passes on the frames of the kinds that a store keeps: the content of each, and
// the kept columns of a block of copies, if there are any.
func WriteFrames(ctx context.Context, c Logged, keeps bool, put func(f RowFrame, content, kept []byte) error) error {
	w := &writer{ctx: ctx}
	w.copies.Keeps = keeps
	w.block = func(k kind, content []byte) error {
		f := RowFrame{Kind: k, Log: w.log, Size: len(content)}
		switch k {
		case ofCopies:
			f.First, f.Last = block.SequencesOf(content)
		case ofStatements:
			f.First, _ = block.SequencesOf(content)
		case ofLog:
			return nil
		}
		return put(f, content, w.kept)
	}
	w.x.shares = c.Shares()
	if err := w.ofLogs(c); err != nil {
		return err
	}
	return writeRows(w, &batchTable, c.Batches(ctx))
}
