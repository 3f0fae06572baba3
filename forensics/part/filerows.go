package part

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// fileRows is a stream of the content of frames of rows. A record stays as it is while the
// next one is read.
type fileRows[T any] struct {
	ctx     context.Context
	f       *File
	table   *table[T]
	frames  []frame       // that were not read
	size    int           // of the frame that is read
	r       block.Decoder // of it
	buffers [2][]byte
	records [2]T
	count   int // of records that were read
}

func rowsOf[T any](ctx context.Context, f *File, t *table[T], frames []frame) *fileRows[T] {
	return &fileRows[T]{ctx: ctx, f: f, table: t, frames: frames}
}

func (s *fileRows[T]) close() {}

func (s *fileRows[T]) next() (*T, error) {
	for len(s.r.B) == 0 {
		if len(s.frames) == 0 {
			return nil, nil
		}
		if err := s.nextFrame(); err != nil {
			return nil, err
		}
	}
	v, last, r := &s.records[s.count%2], &s.records[(s.count+1)%2], &s.r
	r.Check(s.size-len(r.B) < rowBlock, "the end of a block that is full")
	s.table.read(r, v, &s.f.x)
	r.Check(s.count == 0 || s.table.compare(last, v) < 0, "records in their order")
	r.Check(len(r.B) > 0 || len(s.frames) == 0 || s.size >= rowBlock, "a block that is full")
	if r.Fault != nil {
		return nil, r.Fault
	}
	s.count++
	return v, nil
}

// nextFrame reads a frame, and leaves the memory of the one before as it is.
func (s *fileRows[T]) nextFrame() error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	b, err := s.f.readFrame(&s.frames[0], s.buffers[0])
	if err != nil {
		return err
	}
	s.r, s.size = block.Decoder{B: b, At: s.frames[0].at}, len(b)
	if s.r.Check(len(b) > 0, "a row"); s.r.Fault != nil {
		return s.r.Fault
	}
	s.buffers[0], s.buffers[1], s.frames = s.buffers[1], b, s.frames[1:]
	return nil
}

func (f *File) skips(ctx context.Context) stream[Skip] {
	return rowsOf(ctx, f, &skipTable, f.frames[ofSkips])
}

func (f *File) documents(ctx context.Context) stream[Document] {
	return rowsOf(ctx, f, &documentTable, f.frames[ofDocuments])
}

func (f *File) batches(ctx context.Context) stream[Batch] {
	return rowsOf(ctx, f, &batchTable, f.frames[ofBatches])
}

// statementsFrom is a stream of statements from a sequence on.
type statementsFrom struct {
	*fileRows[Statement]
	from        uint64
	first, last uint64 // of the copies of the log
}

func (f *File) statements(ctx context.Context, log facts.Log, from uint64) stream[Statement] {
	frames := f.ofLog(log).statements
	first, last, _ := f.logRange(log)
	return statementsFrom{rowsOf(ctx, f, &statementTable, frames[firstFrame(frames, from):]), from, first, last}
}

func (s statementsFrom) next() (*Statement, error) {
	for {
		v, err := s.fileRows.next()
		if v == nil || err != nil {
			return nil, err
		}
		s.r.Check(v.Sequence >= s.first && v.Sequence <= s.last, "a statement of an event of the part")
		if s.r.Fault != nil {
			return nil, s.r.Fault
		}
		if v.Sequence >= s.from {
			return v, nil
		}
	}
}
