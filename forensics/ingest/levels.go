package ingest

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// Level is the file itself, a member of an archive, or a stream that was decompressed. Each
// byte of it is in exactly one range.
type Level struct {
	Path   string  `json:"path"`   // as in [read.Place]; "" for the file itself
	Octets int64   `json:"octets"` // that were read
	Ranges []Range `json:"ranges"` // ascending, from the first byte to the last

	whole bool // it was read to its end
	most  int  // ranges
}

// Range is neighbouring bytes of a level with one answer.
type Range struct {
	Offset int64        `json:"offset"`
	Length int64        `json:"length"`
	Answer Answer       `json:"answer"`
	Code   finding.Code `json:"code,omitempty"`
	Detail string       `json:"detail"`
	Help   string       `json:"help,omitempty"` // as in [read.Skip]
}

// Answer is one of the three for a part of a source (SPEC 13.1).
type Answer string

// The answers.
const (
	Evidence   Answer = "evidence"
	Understood Answer = "understood" // and no evidence
	Unread     Answer = "not-read"
)

// Rank orders answers, the worst first.
func (a Answer) Rank() int { return slices.Index([]Answer{Unread, Evidence, Understood}, a) }

// How many levels of a file and ranges of a level are kept. Evidence can have any number.
const (
	firstLevels = 16 // with mostRanges each
	mostLevels  = 4096
	mostRanges  = 4096
	fewRanges   = 16 // of each further level
)

// restDetail describes bytes around and between the parts that were reported.
const restDetail = "the form of the records, and ends of lines"

func (r *Range) endOffset() int64 { return r.Offset + r.Length }

// isLike reports whether two ranges differ at most in their places.
func (r *Range) isLike(o *Range) bool {
	return r.Answer == o.Answer && r.Code == o.Code && r.Detail == o.Detail && r.Help == o.Help
}

// addRange adds a report of some bytes. Ranges can overlap until [Level.tileRanges].
func (l *Level) addRange(r Range) {
	if r.Length == 0 {
		return
	}
	if l.Ranges = append(l.Ranges, r); len(l.Ranges) >= 2*l.most {
		last := slices.MaxFunc(l.Ranges, func(a, b Range) int { return cmp.Compare(a.endOffset(), b.endOffset()) })
		l.Ranges = joinRanges(withoutOverlaps(l.Ranges, Range{Length: last.endOffset()}))
		for len(l.Ranges) > l.most {
			l.Ranges = halveRanges(l.Ranges)
		}
	}
}

// tileRanges covers the level with ranges, also where nothing was reported.
func (l *Level) tileRanges(holdsLevels bool) {
	rest := Range{Length: l.Octets, Answer: Understood, Detail: restDetail}
	switch {
	case !l.whole:
		rest.Answer, rest.Detail = Unread, "not reached"
	case holdsLevels:
		rest.Detail = "an archive or compressed data, whose content is further levels"
	}
	l.Ranges = joinRanges(withoutOverlaps(l.Ranges, rest))
	for len(l.Ranges) > 2*l.most {
		l.Ranges = halveRanges(l.Ranges)
	}
}

// withoutOverlaps returns ranges that do not overlap, ascending, up to the end of rest: each byte
// is in the shortest that it was in, of equal ones in that with the worst answer, or else in
// rest. With a rest of no answer, such a byte is in none.
func withoutOverlaps(all []Range, rest Range) []Range {
	slices.SortStableFunc(all, func(a, b Range) int { return cmp.Compare(a.Offset, b.Offset) })
	var out []Range
	var open shortest
	for at, i := int64(0), 0; at < rest.Length; {
		for ; i < len(all) && all[i].Offset <= at; i++ {
			heap.Push(&open, all[i])
		}
		for len(open) > 0 && open[0].endOffset() <= at {
			heap.Pop(&open)
		}
		next, r := rest.Length, rest
		if i < len(all) {
			next = min(next, all[i].Offset)
		}
		if len(open) > 0 {
			next, r = min(next, open[0].endOffset()), open[0]
		}
		if r.Offset, r.Length = at, next-at; r.Answer != "" {
			out = append(out, r)
		}
		at = next
	}
	return out
}

// shortest is a heap of ranges.
type shortest []Range

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (s shortest) Len() int { return len(s) }
func (s shortest) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(s[i].Length, s[j].Length), s[i].Answer.Rank()-s[j].Answer.Rank()) < 0
}
func (s shortest) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *shortest) Push(x any)   { *s = append(*s, x.(Range)) }
func (s *shortest) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// joinRanges makes one of neighbours that are alike. One or two bytes between ranges, such
// as the end of a line, belong to the range before them.
func joinRanges(all []Range) []Range {
	const lineEnd = 2
	out := all[:0]
	for _, r := range all {
		n := len(out)
		switch {
		case n > 0 && out[n-1].isLike(&r) && r.Offset-out[n-1].endOffset() <= lineEnd:
			out[n-1].Length = r.endOffset() - out[n-1].Offset
		case n > 0 && r.Detail == restDetail && r.Length <= lineEnd:
			out[n-1].Length += r.Length
		default:
			out = append(out, r)
		}
	}
	return out
}

// halveRanges makes one of every two neighbours, with the worse of their answers.
func halveRanges(all []Range) []Range {
	out := all[:0]
	for pair := range slices.Chunk(all, 2) {
		r := pair[0]
		if last := pair[len(pair)-1]; len(pair) == 2 {
			if last.Answer.Rank() < r.Answer.Rank() {
				r.Answer, r.Code, r.Help = last.Answer, last.Code, last.Help
			}
			r.Length, r.Detail = last.endOffset()-r.Offset, "many parts, with this answer for at least one of them"
		}
		out = append(out, r)
	}
	return out
}

// levelOf returns the level of a path. It returns nil if there are too many.
func (x *explanation) levelOf(path string) *Level {
	l := x.levels[path]
	if l == nil && len(x.levels) < mostLevels {
		l = &Level{Path: strings.Clone(path), Ranges: []Range{}, most: fewRanges}
		if len(x.levels) < firstLevels {
			l.most = mostRanges
		}
		x.levels[path] = l
		x.out.Levels = append(x.out.Levels, l)
	}
	return l
}

// Level implements [read.LevelHandler].
func (x *explanation) Level(path string, octets int64) error {
	if l := x.levelOf(path); l != nil {
		l.Octets, l.whole = octets, true
	} else {
		x.out.MoreLevels++
	}
	return nil
}

// endLevels covers every level with ranges, and drops the levels of tables, which have no
// bytes.
func (x *explanation) endLevels() {
	if file := x.levelOf(""); !file.whole {
		file.Octets = x.out.Octets
	}
	holds := map[string]bool{}
	for _, l := range x.out.Levels {
		outer := l.Path[:max(0, strings.LastIndexByte(l.Path, '!'))]
		holds[outer] = holds[outer] || l.Path != ""
	}
	x.out.Levels = slices.DeleteFunc(x.out.Levels, func(l *Level) bool { return !l.whole && l.Path != "" })
	for _, l := range x.out.Levels {
		l.tileRanges(holds[l.Path])
	}
	slices.SortFunc(x.out.Levels, func(a, b *Level) int { return strings.Compare(a.Path, b.Path) })
}
