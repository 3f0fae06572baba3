package read

import (
	"bytes"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// A file of lines is read by several goroutines: it is cut into pieces between two
// lines, and each piece is read as if nothing before it mattered. That is so if the
// reader of the piece before ended where its bytes do, with nothing open. Whether it
// did is known when it has read them; the reports of a piece are handed on only then.
// Where something was open, the file is read on by one goroutine for a while.

// pieceSize is half of the most that is in one piece.
const pieceSize = 1 << 20

// pieces are the parts of a stream that other goroutines read.
type pieces struct {
	*stream
	cut  func(w []byte) int  // where a piece of a window ends; 0 if nowhere
	read func(p *piece) bool // reads a piece, and reports whether nothing is left open

	from  int64 // nothing is tried before this offset
	pause int64 // how much is read by one goroutine after the next failure

	free  []*reader // that no piece is read with, and pieces that were handed on
	spare []*piece
}

// piece is a part of a stream that is read by a goroutine of its own.
type piece struct {
	reports
	octets []byte
	at     int64 // where it begins in the stream
	stream *stream
	clean  bool // nothing was open at its end
	done   chan struct{}
}

// newPieces prepares for reading a stream in pieces; nil if one goroutine reads it.
func newPieces(s *stream, cut func([]byte) int, read func(*piece) bool) *pieces {
	if s.workers < 2 || s.depth > 0 {
		return nil
	}
	return &pieces{stream: s, cut: cut, read: read, pause: int64(s.pieceSize)}
}

// readPieces reads as much of the stream as can be read in pieces; nothing, if the
// stream is not in a state that no line before matters for.
func (p *pieces) readPieces() error {
	if p == nil || p.in.offset < p.from || p.last == Journal || !p.isClean() {
		return nil
	}
	var begun []*piece
	defer func() { p.giveUp(begun) }()
	start := *p.stream
	for p.ctx.Err() == nil {
		for len(begun) < p.workers+1 {
			next := p.beginPiece()
			if next == nil {
				break
			}
			begun = append(begun, next)
		}
		if len(begun) == 0 {
			p.readAlone()
			return nil
		}
		first := begun[0]
		<-first.done
		if !first.clean || !p.hasRoom(first) {
			p.readAlone()
			return nil
		}
		begun = begun[1:]
		if err := p.mergeReports(first); err != nil {
			return err
		}
		if p.last != start.last || p.claimed != start.claimed || len(p.told) != len(start.told) {
			return nil // the others were begun in a former state
		}
	}
	return p.ctx.Err()
}

// readAlone has the stream read by one goroutine for a while, which is longer each time.
func (p *pieces) readAlone() {
	p.from = p.in.offset + p.pause
	p.pause *= 2
}

// isClean reports whether nothing that was read of the stream matters for the next lines,
// except the state that a piece begins with.
func (s *stream) isClean() bool {
	mayGrow := s.pending.Code == finding.SourceUnparseable || s.pending.Code == finding.SourceUnknownFormat
	return !mayGrow && s.action.Code == "" && s.chains.known == nil && s.chains.open == nil && s.units == nil
}

// beginPiece cuts the next piece from the stream and has it read; may be nil.
func (p *pieces) beginPiece() *piece {
	w := p.in.peekBytes(2 * p.pieceSize)
	n := p.cut(w)
	if n == 0 {
		return nil
	}
	b := &piece{}
	if last := len(p.spare) - 1; last >= 0 {
		b, p.spare = p.spare[last], p.spare[:last]
	}
	b.octets, b.at, b.done = append(b.octets[:0], w[:n]...), p.in.offset, make(chan struct{})
	b.most = 1 + n/leastAlone
	p.in.skipBytes(n)
	sub := p.borrowReader(b)
	b.stream = &stream{reader: sub, in: sub.root, forced: p.forced, known: true, told: slices.Clone(p.told),
		claimed: p.claimed, last: p.last}
	unpacks := p.made > 0
	go func() {
		defer close(b.done)
		err := tasks.Guard(func() error {
			b.clean = p.read(b)
			return nil
		})
		b.clean = b.clean && err == nil && b.stream.isClean() && !sub.root.short && sub.root.offset == b.at+int64(n) &&
			(sub.made > 0) == unpacks
	}()
	return b
}

// borrowReader returns a reader for a piece.
func (p *pieces) borrowReader(b *piece) *reader {
	var sub *reader
	if n := len(p.free); n > 0 {
		sub, p.free = p.free[n-1], p.free[:n-1]
	} else {
		sub = newReader(p.ctx, nil, Options{Limits: p.limits}, nil)
		sub.keys.names, sub.forms, sub.blocks, sub.confinement = p.keys.names, p.forms, p.blocks, p.confinement
	}
	sub.handler = &b.reports
	sub.restartFor(&input{buf: b.octets, end: len(b.octets), offset: b.at, err: io.EOF, enough: p.in.enough})
	if p.made > 0 {
		sub.made = 1 // whether anything was decompressed matters for each unit
	}
	return sub
}

// hasRoom reports whether the decompressed bytes of a piece, and the memory for them, are
// within the limits, at any place of the piece.
func (p *pieces) hasRoom(b *piece) bool {
	return p.made+b.stream.made <= FreeExpansion+p.limits.Expansion*b.at &&
		p.taken+b.stream.taken <= FreeMemory+MemoryRate*b.at
}

// mergeReports hands on the reports of a piece.
func (p *pieces) mergeReports(b *piece) error {
	sub := b.stream.reader
	before := p.consumed
	for i := range b.all {
		if err := p.handOn(&b.all[i], before); err != nil {
			return err
		}
	}
	if sub.pending.Code != "" {
		if err := p.flushSkip(); err != nil {
			return err
		}
		p.pending = sub.pending
		p.pending.Excerpt = append(p.excerpt[:0], sub.pending.Excerpt...)
	}
	p.consumed, p.damages, p.looked = before+sub.consumed, p.damages+sub.damages, p.looked+sub.looked
	p.given += sub.given
	if p.undecoded.Code == "" || p.undecoded.Code == finding.SourceListed && b.stream.undecoded.Code != "" {
		p.undecoded = b.stream.undecoded
	}
	p.made, p.taken = p.made+max(0, sub.made-1), p.taken+sub.taken
	p.last, p.claimed = b.stream.last, b.stream.claimed
	p.aside += int64(len(b.octets))
	p.free, p.spare = append(p.free, sub), append(p.spare, b)
	b.reports.resetReports()
	return nil
}

// handOn hands on a report of a piece before which so much was consumed.
func (p *pieces) handOn(r *report, before int64) error {
	if r.format != "" && r.container == p.container {
		return p.reportFormat(r.format, r.why)
	}
	if err := p.flushSkip(); err != nil {
		return err
	}
	switch {
	case r.format != "":
		return p.handler.Format(r.container, r.format, r.why)
	case r.skip.Code != "":
		r.skip.Place.Index, r.skip.Consumed = p.index, r.skip.Consumed+before
		p.index++
		return p.handler.Skip(r.skip)
	}
	r.record.Place.Index, r.record.Consumed = p.index, r.record.Consumed+before
	p.index++
	return p.handler.Record(&r.record)
}

// giveUp puts the bytes of pieces back in front of the stream.
func (p *pieces) giveUp(begun []*piece) {
	var octets []byte
	for _, b := range begun {
		<-b.done
		octets = append(octets, b.octets...)
	}
	p.in.putBack(octets)
}

// isBetween reports whether nothing is open in the values that were read.
func (v *values) isBetween() bool {
	return !v.array && !v.inline && !v.goesOn && v.again == 0 && v.in.offset >= v.lonely && v.last != ""
}

// cutBetweenValues returns where the last of some bytes can be cut: between two lines
// that are both JSON values, as far as their ends tell; 0 if there is none such.
func cutBetweenValues(w []byte) int {
	end := bytes.LastIndexByte(w, '\n') + 1
	for behind := false; end > 0; {
		start := bytes.LastIndexByte(w[:end-1], '\n') + 1
		before := looksWhole(bytes.TrimRight(w[start:end], " \t\r\n"))
		if behind && before {
			return end
		}
		behind, end = before, start
	}
	return 0
}

// readValues reads a piece of lines of values.
func readValues(p *piece) bool {
	v := &values{stream: p.stream}
	for v.passSpace() {
		if v.blankBlock() != nil || v.readUnit() != nil {
			return false
		}
	}
	return v.isBetween()
}

// cutBehindLine returns where the last whole line of some bytes ends.
func cutBehindLine(w []byte) int { return bytes.LastIndexByte(w, '\n') + 1 }

// readPieces reads records in pieces, if earlier records of the table do not matter for later
// ones.
func (t *csvTable) readPieces(p *pieces) error {
	if t.made == 0 || t.again > 0 || t.in.offset < t.single {
		return nil
	}
	return p.readPieces()
}

// readRecords reads a piece of a table.
func readRecords(p *piece, head csvHead) bool {
	t := &csvTable{stream: p.stream, head: head}
	for len(t.in.peekBytes(1)) > 0 {
		if t.nextRecord() != nil {
			return false
		}
	}
	return t.again == 0 && t.single == 0
}
