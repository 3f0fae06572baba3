package store

import (
	"cmp"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// source is a source as far as it was read.
type source struct {
	facts.Progress
	whole      bool  // it was read to its end
	grows      bool  // more came behind its end
	forgotten  bool  // nothing was read of it
	replaced   int64 // the source that replaces it; 0 for none
	of         *cut  // the file that it is a range of; nil: it is the whole
	numbers    int64 // records and skips have numbers below this one
	containers []part.Container
	found      map[string]uint32 // the containers by path; nil if it is not known
	dirty      bool              // the case has it otherwise, and these containers
	changed    []uint32
	listed     chain.Hash // under which it is among the wholes
}

// cut is the file that a source is a range of, and where the range begins.
type cut struct {
	sha256      chain.Hash
	size, begin int64
}

// readSources reads the sources, by number from 1.
func readSources(c *sqlite.Conn) (all []*source, err error) {
	const query = `SELECT source, size, sha256 IS NOT NULL, how, reports, events, documents, skipped, numbers, read,
		read_sha256, coalesce(replaced, 0), whole_sha256, coalesce(whole_size, 0), coalesce(begins, 0)
		FROM sources ORDER BY source`
	gone, forgotten := 0, &source{forgotten: true}
	err = c.Each(query, nil, func(s *sqlite.Stmt) error {
		for int64(len(all))+1 < s.Int(0) { // it was forgotten
			if gone++; gone > mostForgotten {
				return alteredError("a source has the number %d, and most before it are not there", s.Int(0))
			}
			all = append(all, forgotten)
		}
		if s.Int(0) < 1 {
			return alteredError("a source has the number %d", s.Int(0))
		}
		one := &source{whole: s.Int(2) == 1, numbers: s.Int(8), replaced: s.Int(11)}
		one.Progress = facts.Progress{Source: s.Int(0), Size: s.Int(1), How: s.Text(3), Reports: s.Int(4),
			Events: s.Int(5), Documents: s.Int(6), Skipped: s.Int(7), Read: s.Int(9)}
		copy(one.ReadSHA256[:], s.Blob(10))
		if sum := s.Blob(12); len(sum) == len(chain.Hash{}) {
			one.of = &cut{chain.Hash(sum), s.Int(13), s.Int(14)}
		}
		all = append(all, one)
		return nil
	})
	if err != nil {
		return nil, err
	}
	const boxes = "SELECT source, path, format, why, unbatched FROM containers ORDER BY source, container"
	return all, c.Each(boxes, nil, func(s *sqlite.Stmt) error {
		n := s.Int(0)
		if n < 1 || n > int64(len(all)) {
			return errors.New("the case has a container of a source that is not there")
		}
		one := all[n-1]
		one.containers = append(one.containers, part.Container{Path: s.Text(1), Format: s.Text(2), Why: s.Text(3),
			Unbatched: s.Int(4)})
		return nil
	})
}

// mostForgotten bounds the numbers of sources that are no longer there.
const mostForgotten = 1 << 20

// container returns the number of a container, in the order of their appearance. One of
// several formats lists them in the order in which they were found.
func (s *source) container(c *facts.Container) uint32 {
	if s.found == nil {
		s.found = map[string]uint32{}
		for i := range s.containers {
			s.found[s.containers[i].Path] = uint32(i)
		}
	}
	n, ok := s.found[c.Path]
	if !ok {
		n = uint32(len(s.containers))
		s.found[c.Path] = n
		s.containers = append(s.containers, part.Container{Path: c.Path})
	}
	s.changed = append(s.changed, n)
	if c.Format != "" {
		box := &s.containers[n]
		box.Format, box.Why = joinNames(box.Format, c.Format), joinNames(box.Why, c.Why)
	}
	return n
}

func joinNames(all, next string) string {
	if all == "" {
		return next
	}
	return all + ", " + next
}

// countChunk counts the content of a chunk, whose containers have the given numbers.
func (s *source) countChunk(c *facts.Chunk, containers []uint32) {
	for i := range c.Skips {
		s.numbers = max(s.numbers, c.Skips[i].Record+1)
	}
	for i := range c.Documents {
		s.numbers = max(s.numbers, c.Documents[i].Record+1)
	}
	for i := range c.Events {
		a := &c.Events[i]
		s.numbers = max(s.numbers, a.Record+1)
		if a.Batch == "" {
			s.containers[containers[a.Container]].Unbatched++
		}
	}
}

// touch notes that the case has a source otherwise.
func (w *output) touch(s *source) {
	if !s.dirty {
		s.dirty = true
		w.touched = append(w.touched, s)
	}
}

// saveSources saves how far the sources were read.
func (w *output) saveSources() error {
	for _, s := range w.touched {
		if !s.dirty { // it was forgotten
			continue
		}
		s.dirty = false
		var whole any
		if s.whole {
			whole = s.ReadSHA256[:]
		}
		var of [3]any
		if s.of != nil {
			of = [3]any{s.of.sha256[:], s.of.size, s.of.begin}
		}
		const replace = "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		err := w.conn.Run(replace, s.Source, s.Size, whole, s.How, s.Reports, s.Events, s.Documents, s.Skipped,
			s.numbers, s.Read, s.ReadSHA256[:], numberOrNull(s.replaced), of[0], of[1], of[2])
		slices.Sort(s.changed)
		for _, i := range slices.Compact(s.changed) {
			if c := &s.containers[i]; err == nil {
				err = w.conn.Run("INSERT OR REPLACE INTO containers VALUES (?, ?, ?, ?, ?, ?)", s.Source, int64(i), c.Path,
					c.Format, c.Why, c.Unbatched)
			}
		}
		if s.changed = s.changed[:0]; err != nil {
			return err
		}
	}
	w.touched = w.touched[:0]
	return nil
}

// numberOrNull is a number, or NULL for 0.
func numberOrNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// OtherName returns the first path under which a source was given; "" if it was given under
// this one.
func (w *output) OtherName(source int64, path string) (other string, err error) {
	const query = "SELECT coalesce(min(path), '') FROM paths WHERE source = ?1 AND NOT EXISTS (SELECT 1 FROM paths " +
		"WHERE source = ?1 AND path = ?2)"
	return other, w.conn.Each(query, []any{source, path}, func(s *sqlite.Stmt) error {
		other = s.Text(0)
		return nil
	})
}

// Unfinished returns the sources that were not read to their end, by the number of bytes
// that were read, ascending.
func (w *output) Unfinished() ([]facts.Progress, error) {
	var all []facts.Progress
	for _, s := range w.sources {
		if !s.whole && !s.forgotten && s.replaced == 0 {
			all = append(all, s.Progress)
		}
	}
	slices.SortFunc(all, func(a, b facts.Progress) int {
		return cmp.Or(cmp.Compare(a.Read, b.Read), slices.Compare(a.ReadSHA256[:], b.ReadSHA256[:]))
	})
	return all, nil
}

// Start begins a source.
func (w *output) Start(size int64, empty chain.Hash) (facts.Progress, error) {
	p := facts.Progress{Source: int64(len(w.sources)) + 1, Size: size, ReadSHA256: empty}
	s := &source{Progress: p}
	w.sources = append(w.sources, s)
	w.touch(s)
	return p, w.beginChange()
}

// Cut records that a source is the range of a file that begins at a byte.
func (j *Judged) Cut(source int64, file chain.Hash, size, begin int64) {
	s := j.sources[source-1]
	s.of = &cut{file, size, begin}
	j.touch(s)
}

// Forget drops an unread source.
func (w *output) Forget(source int64) error {
	s := w.sources[source-1]
	s.forgotten, s.dirty = true, false
	return errors.Join(w.conn.Run("DELETE FROM paths WHERE source = ?", source),
		w.conn.Run("DELETE FROM containers WHERE source = ?", source),
		w.conn.Run("DELETE FROM sources WHERE source = ?", source))
}

// ReadAs notes how a source is read.
func (w *output) ReadAs(source int64, how string) error {
	s := w.sources[source-1]
	s.How = how
	w.touch(s)
	return nil
}

// Name saves a path under which a source was given; absolute is "" for a stream.
func (w *output) Name(source int64, path, absolute string) error {
	return w.alter("INSERT OR IGNORE INTO paths VALUES (?, ?, ?)", source, path, absolute)
}

// Finish saves that a source was read to its end.
func (w *Writer) Finish(p facts.Progress) error {
	s := w.sources[p.Source-1]
	p.How = s.How
	if s.Progress, s.whole = p, true; !s.grows {
		s.found = nil
	}
	w.touch(s)
	w.wholes.addSource(s)
	w.added[p.Source] = true
	if w.keeper != nil {
		w.keeper.added[p.Source] = true
	}
	return w.beginChange()
}

// Refuse saves a path that was given and cannot be read.
func (w *output) Refuse(u facts.Unread) error {
	return w.alter("INSERT OR IGNORE INTO unread VALUES (?, ?, ?)", u.Path, u.Code, u.Detail)
}

// Withdraw removes the record that a path is not read for a reason.
func (w *output) Withdraw(path string, reason finding.Code) error {
	e := reason.Entry()
	for _, code := range append(e.Was, e.Code) {
		if err := w.alter("DELETE FROM unread WHERE path = ? AND code = ?", path, string(code)); err != nil {
			return err
		}
	}
	return nil
}
