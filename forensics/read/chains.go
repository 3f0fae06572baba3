package read

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
)

// Container runtimes and shippers cut long lines into several records. Here the
// parts are joined again, before anything looks at the line.

// Limits of the open lines that are kept: so many in one stream, which is one for each output
// of each container that writes into it, and for each part that came too early so many bytes
// more than it has.
const (
	maxChains = 1024
	earlyPart = 128
)

// mostImplied is the largest length of a line that continues only by a missing line feed:
// longer than an event (SPEC 4.2) in any spelling.
const mostImplied = 8 << 20

// part is a part of a line, in a record of its own.
type part struct {
	key   string // parts of one line have the same
	text  []byte
	place Place
	level int     // how many texts it was decoded out of
	time  int64   // when it was collected; 0 if unknown
	ids   []Batch // of its record

	last    bool // the line ends with it
	implied bool // a line feed marks the last part, which some writers leave out
	inJSON  bool // bytes that are not UTF-8 were replaced
	ordinal int  // from 1; 0 if the parts are in order
	torn    bool // the file ends within the record

	unordered bool // the store keeps no order of its records
}

// chain is a line whose parts were not all read. Its part is the first one, with the text and
// the place of all.
type chain struct {
	part
	damaged string         // the fault of the line; may be ""
	damages int            // how many spans were skipped before the latest part
	lost    bool           // the text was too long, and is not kept
	joined  int            // the ordinal of the latest part in the text
	count   int            // how many parts there are; 0 if unknown
	early   map[int][]byte // parts before which one is missing
	octets  int            // the memory for the texts
	rest    bool           // it can be the rest of a line in an earlier file
}

// chains are the open lines of a stream.
type chains struct {
	open   map[string]*chain
	oldest []*chain        // with lines that were closed
	octets int             // the memory for the texts of all
	known  map[string]bool // with a line that was read; some are forgotten
}

// isFirst reports whether no line of a key was read before.
func (all *chains) isFirst(key string) bool {
	if all.known[key] {
		return false
	}
	if all.known == nil || len(all.known) >= maxChains {
		all.known = make(map[string]bool)
	}
	all.known[key] = true
	return true
}

// addPart adds a part of a line. If the line is whole with it, it is read.
func (s *stream) addPart(p part) error {
	if s.chains.open == nil {
		s.chains.open = make(map[string]*chain)
	}
	p.key = shortKey(p.key)
	c := s.chains.open[p.key]
	if c != nil && p.implied && (len(c.text) > mostImplied || startsAnew(c.text, p.text)) {
		c.level = max(c.level, p.level) // the decoded form of the part stays
		if err := s.readChain(c); err != nil {
			return err
		}
		c = nil
	}
	if c == nil {
		first := s.chains.isFirst(p.key)
		if p.last && p.ordinal <= 1 {
			return s.readWrappedLine(&chain{part: p, joined: p.ordinal, rest: first})
		}
		c = &chain{part: p, damages: s.damages, rest: first}
		c.text, c.ids = nil, nil
		s.chains.open[p.key] = c
		s.chains.oldest = append(s.chains.oldest, c)
	}
	if c.damages != s.damages && p.ordinal == 0 {
		c.damaged = "a part of a line may be in the skipped bytes"
	}
	if p.unordered && p.ordinal == 0 && len(c.text) > 0 {
		c.damaged = "the order of the parts of a line is not known"
	}
	c.damages = s.damages
	s.countLooked(len(p.text))
	s.chains.addPart(c, &p)
	if c.isWholeWith(&p) {
		return s.readChain(c)
	}
	return s.makeRoom(c)
}

// shortKey returns a key that needs little memory.
func shortKey(key string) string {
	if len(key) <= 2*sha256.Size {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return string(sum[:])
}

// startsAnew reports whether a record begins a line of its own, although nothing shows that
// the line before has ended. Writers that leave out line feeds would otherwise have all their
// lines joined.
func startsAnew(text, next []byte) bool {
	if bytes.HasPrefix(text, []byte("{")) {
		return bytes.HasSuffix(text, []byte("}")) && bytes.HasPrefix(next, []byte(`{"`))
	}
	return slices.ContainsFunc(starts, func(start []byte) bool { return bytes.HasPrefix(next, start) })
}

// addPart adds a part to a line.
func (all *chains) addPart(c *chain, p *part) {
	c.place.Length = p.place.Offset + p.place.Length - c.place.Offset
	c.torn = p.torn
	for _, id := range p.ids {
		if len(c.ids) < maxBatches && !slices.Contains(c.ids, id) {
			c.ids = append(c.ids, id)
		}
	}
	before := c.octets
	switch {
	case p.ordinal > 0:
		c.addOrdered(p)
	case !c.lost:
		c.text = append(c.text, p.text...)
		c.octets += len(p.text)
	}
	all.octets += c.octets - before
}

// addOrdered adds a part that has an ordinal. One that was delivered twice counts once.
func (c *chain) addOrdered(p *part) {
	if p.last {
		c.count = p.ordinal
	}
	if _, twice := c.early[p.ordinal]; c.lost || twice || p.ordinal <= c.joined {
		return
	}
	if p.ordinal > c.joined+1 {
		if c.early == nil {
			c.early = make(map[int][]byte)
		}
		c.early[p.ordinal] = bytes.Clone(p.text)
		c.octets += len(p.text) + earlyPart
		return
	}
	c.text = append(c.text, p.text...)
	c.octets += len(p.text)
	for c.joined = p.ordinal; ; c.joined++ {
		text, ok := c.early[c.joined+1]
		if !ok {
			return
		}
		c.text = append(c.text, text...)
		c.octets -= earlyPart
		delete(c.early, c.joined+1)
	}
}

// isWholeWith reports whether a line is whole with a part.
func (c *chain) isWholeWith(p *part) bool {
	if p.ordinal == 0 || c.lost {
		return p.last
	}
	return c.count > 0 && c.joined >= c.count
}

// faultOf returns the fault of a line; may be "".
func (c *chain) faultOf() string {
	if c.damaged == "" && (len(c.early) > 0 || c.joined < c.count) {
		return fmt.Sprintf("part %d of a line is missing", c.joined+1)
	}
	return c.damaged
}

// allText returns the text of a line, without the parts that are missing.
func (c *chain) allText() []byte {
	text := c.text
	for _, n := range slices.Sorted(maps.Keys(c.early)) {
		text = append(text, c.early[n]...)
	}
	return text
}

// makeRoom makes room. A line that is too long by itself is not kept, and of many
// open lines the oldest are closed.
func (s *stream) makeRoom(c *chain) error {
	all := &s.chains
	if c.octets > s.limits.Unit {
		all.octets -= c.octets
		c.text, c.early, c.octets, c.lost = bytes.Clone(c.text[:min(len(c.text), excerptSize)]), nil, 0, true
	}
	for len(all.open) > maxChains || all.octets > s.limits.Unit {
		oldest := all.oldestOpen()
		oldest.damaged = "more lines are open at once than are kept"
		if err := s.readChain(oldest); err != nil {
			return err
		}
	}
	return nil
}

// oldestOpen returns the oldest open line.
func (all *chains) oldestOpen() *chain {
	for all.open[all.oldest[0].key] != all.oldest[0] {
		all.oldest = all.oldest[1:]
	}
	return all.oldest[0]
}

// readChain reads a line and forgets it.
func (s *stream) readChain(c *chain) error {
	all := &s.chains
	all.octets -= c.octets
	delete(all.open, c.key)
	if len(all.oldest) > 2*len(all.open)+maxChains {
		all.oldest = slices.DeleteFunc(all.oldest, func(c *chain) bool { return all.open[c.key] != c })
	}
	return s.readWrappedLine(c)
}

// readUnfinished reads the lines that are open at the end of a stream, in the order
// in which they began.
func (s *stream) readUnfinished() error {
	for len(s.chains.open) > 0 {
		c := s.chains.oldestOpen()
		c.torn = true
		if err := s.readChain(c); err != nil {
			return err
		}
	}
	return nil
}
