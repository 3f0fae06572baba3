package store

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// writeRun writes the run that is in memory, and begins the next one.
func (w *output) writeRun(ctx context.Context) error {
	if w.run.count() == 0 {
		return nil
	}
	if w.judges != nil {
		if err := w.judges.waitForAll(); err != nil {
			return err
		}
	}
	s := &sorted{run: w.run, order: w.run.sort(), shares: w.provisional()}
	for _, l := range s.order {
		if !w.earlier.keeps {
			break
		}
		if err := w.writeBodies(ctx, s, l); err != nil {
			return err
		}
	}
	if err := w.bodies.endRow(); err != nil {
		return err
	}
	numbers := make([]int64, len(s.order))
	for i, l := range s.order {
		var err error
		if numbers[i], err = w.numberOf(l.Log); err != nil {
			return err
		}
	}
	run := w.next.run
	for source := range s.sources() {
		if err := w.conn.Run("INSERT INTO run_sources VALUES (?, ?)", run, source); err != nil {
			return err
		}
	}
	var content part.Logged = s
	if s.batched {
		content = &counted{Logged: s}
	}
	err := part.WriteFrames(ctx, content, w.earlier.keeps, func(f part.RowFrame, octets, kept []byte) error {
		return w.writeFrame(run, numbers, f, octets, kept)
	})
	if err == nil {
		err = w.events.insertRun(s, w.logs)
	}
	w.next.run++
	w.run = w.run.emptyRun()
	return err
}

// writeFrame writes a row of blocks or of statements.
func (w *output) writeFrame(run int64, logs []int64, f part.RowFrame, content, kept []byte) error {
	if f.Kind == part.Copies {
		row := w.next.block
		w.next.block++
		w.earlier.addFrame(run, logs[f.Log], part.RowFrame{Kind: f.Kind, Row: blockRow(row), First: f.First, Last: f.Last,
			Size: f.Size})
		w.block.Bind(row, run, logs[f.Log], int64(f.First), int64(f.Last), content, kept)
		return w.block.Do()
	}
	row, log := w.next.statement, any(nil)
	w.next.statement++
	number := int64(0)
	if f.Kind == part.Statements {
		number = logs[f.Log]
		log = number
	}
	w.earlier.addFrame(run, number, part.RowFrame{Kind: f.Kind, Row: statementRow(row), First: f.First, Size: f.Size})
	w.statement.Bind(row, run, int64(f.Kind), log, int64(f.First), content)
	return w.statement.Do()
}

// writeBodies writes the bodies of those copies of a log that the store has not, and marks the
// others.
func (w *output) writeBodies(ctx context.Context, s *sorted, l *log) error {
	held, err := w.heldBefore(ctx, s, l)
	if err != nil {
		return err
	}
	for all, err := range s.same(ctx, l.Log, 0) {
		if err != nil {
			return err
		}
		e := s.entry(all[0])
		if e.held = held[nameOf(e)]; e.held {
			continue
		}
		if e.body, err = w.bodies.keepBody(s.octets[e.kept.start:e.kept.end]); err != nil {
			return err
		}
	}
	return nil
}

// copyName identifies a copy of a log.
type copyName struct {
	sequence uint64
	digest   uint64
}

func nameOf(e *entry) copyName { return copyName{e.sequence, binary.BigEndian.Uint64(e.digest[:])} }

// heldBefore returns the copies of a log whose body an earlier run keeps.
func (w *output) heldBefore(ctx context.Context, s *sorted, l *log) (map[copyName]bool, error) {
	first, last := s.entry(l.entries[0]).sequence, s.entry(l.entries[len(l.entries)-1]).sequence
	runs := w.earlier.runsWithin(w.logs[l.Log], first, last)
	if len(runs) == 0 {
		return nil, nil
	}
	content, err := w.earlier.union(runs, connRows{w.conn}, s.shares, nil)
	if err != nil {
		return nil, err
	}
	held, at := map[copyName]bool{}, 0
	for c, err := range content.Copies(ctx, l.Log, first) {
		if err != nil {
			return nil, err
		}
		if c.Sequence > last {
			break
		}
		for at < len(l.entries) && s.entry(l.entries[at]).sequence < c.Sequence {
			at++
		}
		for i := at; i < len(l.entries) && s.entry(l.entries[i]).sequence == c.Sequence; i++ {
			if e := s.entry(l.entries[i]); e.digest == c.Digest && c.Body.Row > 0 {
				held[nameOf(e)] = true
				break
			}
		}
	}
	return held, nil
}

// numberOf returns the number of a log, and gives it one if it is new.
func (w *output) numberOf(l facts.Log) (int64, error) {
	if number, ok := w.logs[l]; ok {
		return number, nil
	}
	number := w.next.log
	w.next.log++
	w.logs[l], w.earlier.logs[number] = number, l
	return number, w.conn.Run("INSERT INTO logs VALUES (?, ?, ?)", number, l.TenantID, l.LogID)
}

// provisional returns the sources as shares, by number. The name of a source is only known
// once it was read.
func (w *output) provisional() []part.Share {
	for i := len(w.given); i < len(w.sources); i++ {
		s := part.Share{Records: math.MaxInt64, Containers: w.sources[i].containers}
		binary.BigEndian.PutUint64(s.Source[:], uint64(i))
		w.given = append(w.given, s)
	}
	for _, s := range w.touched {
		w.given[s.Source-1].Containers = s.containers
	}
	return w.given
}
