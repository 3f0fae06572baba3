package read

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// excerptSize bounds the excerpt of a skipped span: enough for a person to recognise it.
const excerptSize = 512

// reportFormat reports that the stream holds a format, if that is new. The next records are of this
// format.
func (s *stream) reportFormat(f Format, why string) error {
	s.claimed = f
	if slices.Contains(s.told, f) {
		return nil
	}
	s.told = append(s.told, f)
	if err := s.flushSkip(); err != nil {
		return err
	}
	return s.handler.Format(s.container, f, why)
}

// reportRecord reports r.rec.
func (r *reader) reportRecord() error {
	if err := r.flushSkip(); err != nil {
		return err
	}
	r.rec.Place.Index = r.index
	r.index++
	r.given++
	r.rec.Batches, r.rec.Consumed = r.batches, r.consumed
	r.wrapped.addFacts(&r.rec)
	if err := r.handler.Record(&r.rec); err != nil || !r.overfull {
		return err
	}
	r.overfull = false
	place := r.rec.Place
	place.Length = 0
	return r.reportSkip(Skip{Place: place, Code: finding.SourceLimit,
		Detail: fmt.Sprintf("more than %d batch ids on a record; the others are not kept", maxBatches)})
}

// reportSkip reports a span or note. A span that continues the one before for the
// same reason makes it longer instead, so that a region of garbage is one
// report and not one for each of its lines.
func (r *reader) reportSkip(s Skip) error {
	r.damages++
	if !s.Block && (s.Code == finding.SourceUnparseable || s.Code == finding.SourceInvalidUTF8) {
		s.describeBlock(Block(s.Excerpt))
	}
	if r.pending.continuedBy(&s) {
		if s.Block && !r.pending.Block {
			r.pending.describeBlock(s.Detail)
		}
		r.pending.Place.Length = s.Place.Offset + s.Place.Length - r.pending.Place.Offset
		return nil
	}
	if err := r.flushSkip(); err != nil {
		return err
	}
	s.Excerpt = append(r.excerpt[:0], s.Excerpt[:min(len(s.Excerpt), excerptSize)]...)
	r.pending = s
	return nil
}

// describeBlock makes a block the detail, unless it is "".
func (s *Skip) describeBlock(block string) {
	if block != "" {
		s.Detail, s.Block = block, true
	}
}

// continuedBy reports whether t begins where s ends, or after one line break.
func (s *Skip) continuedBy(t *Skip) bool {
	end := s.Place.Offset + s.Place.Length
	return s.Code == t.Code && (s.Code == finding.SourceUnparseable || s.Code == finding.SourceUnknownFormat) &&
		s.Place.Container == t.Place.Container &&
		t.Place.Offset >= end && t.Place.Offset <= end+2
}

// flushSkip reports the pending skip.
func (r *reader) flushSkip() error {
	if r.pending.Code == "" {
		return nil
	}
	s := r.pending
	r.pending = Skip{}
	s.Place.Index, s.Consumed = r.index, r.consumed
	r.index++
	return r.handler.Skip(s)
}

// skipLost skips a part of the stream that b holds.
func (s *stream) skipLost(at int64, b []byte, f *fault) error {
	place := Place{Container: s.container, Offset: at, Length: int64(len(b))}
	return s.skip(Skip{Place: place, Code: f.code, Detail: f.text, Excerpt: b}) // which copies b
}

// placeFrom returns the place of the bytes read from an offset on.
func (s *stream) placeFrom(at int64) Place {
	return Place{Container: s.container, Offset: at, Length: s.in.offset - at}
}

// noteAt reports something about the stream at an offset.
func (s *stream) noteAt(at int64, code finding.Code, detail string) error {
	return s.skip(Skip{Place: Place{Container: s.container, Offset: at}, Code: code, Detail: detail})
}

// passSpan has a part of the stream consumed, and reports it as one without a record.
func (s *stream) passSpan(code finding.Code, detail string, consume func()) error {
	at, excerpt := s.in.offset, bytes.Clone(s.in.peekBytes(excerptSize))
	consume()
	s.noteFollowed(at)
	excerpt = excerpt[:min(int64(len(excerpt)), s.in.offset-at)]
	return s.skip(Skip{Place: s.placeFrom(at), Code: code, Detail: detail, Excerpt: excerpt})
}

// fault is a fault of a part of the evidence.
type fault struct {
	code finding.Code
	at   int // offset within the value it speaks of
	text string
}
