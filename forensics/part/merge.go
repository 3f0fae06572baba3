package part

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Merge returns the records of parts that were made alike as one content. It reads them
// only as its own iterators are used. A share that is given twice, or lies within another,
// counts once. The error is a [Differs] or an [Overlaps] if the parts do not join.
func Merge(files ...*File) (Content, error) {
	if len(files) == 0 {
		return nil, errors.New("no parts")
	}
	m := &merged{header: files[0].header}
	for _, f := range files[1:] {
		if err := compareHeaders(m.header, f.header); err != nil {
			return nil, err
		}
	}
	var all []owned
	for i, f := range files {
		m.inputs = append(m.inputs, input{File: f, shares: make([]moved, len(f.x.shares))})
		for j, s := range f.x.shares {
			all = append(all, owned{s, i, j})
		}
		m.unread = append(m.unread, f.unread...)
	}
	if err := m.joinShares(all); err != nil {
		return nil, err
	}
	m.listLogs()
	return m, nil
}

// Run is some of the records of a worker that reads on, or read on: Index has for each of its
// own shares the index among all, or [Dropped]. A source is in each of its shares as a whole,
// and no record is in two runs.
type Run struct {
	*File
	Index []int
}

// Dropped is the index of a share that counts for nothing, and whose records do not either.
// Only the statement of a copy that is left without an arrival stays.
const Dropped = -1

// Rest contains the records that a worker keeps apart from its runs: those of a [Content] that
// are of no log, in the shares that it found in the end.
type Rest interface {
	Skips(context.Context) iter.Seq2[*Skip, error]
	Documents(context.Context) iter.Seq2[*Document, error]
}

// Union returns the records of runs as one content with the header, shares, unread paths and
// rest that the worker found in the end.
func Union(h Header, shares []Share, unread []facts.Unread, rest Rest, runs ...Run) (Content, error) {
	m := &merged{header: h, shares: shares, unread: slices.Clone(unread), rest: rest}
	for i, r := range runs {
		if len(r.Index) != len(r.x.shares) {
			return nil, fmt.Errorf("a run of %d shares has the places of %d", len(r.x.shares), len(r.Index))
		}
		in := input{File: r.File}
		if i > 0 && len(r.Index) > 0 && len(runs[i-1].Index) > 0 && &r.Index[0] == &runs[i-1].Index[0] {
			in.shares, in.cut = m.inputs[i-1].shares, m.inputs[i-1].cut // there are many runs of many shares
		} else if err := in.placeShares(r.Index, len(shares)); err != nil {
			return nil, err
		}
		m.inputs = append(m.inputs, in)
	}
	m.listLogs()
	return m, nil
}

// placeShares returns which of so many shares each of the input's is.
func (in *input) placeShares(index []int, shares int) error {
	in.shares = make([]moved, len(index))
	for i, to := range index {
		if to == Dropped {
			in.shares[i], in.cut = moved{dropped: true}, true
			continue
		}
		if to < 0 || to >= shares {
			return fmt.Errorf("there is no share %d", to)
		}
		in.shares[i] = moved{to: to}
	}
	return nil
}

// merged is several contents as one.
type merged struct {
	header Header
	shares []Share
	unread []facts.Unread
	rest   Rest // nil if the inputs have all
	inputs []input
	logs   []facts.Log
	all    []*input
	holds  map[facts.Log][]span // of those that have copies of a log
}

// input is a part, and the fate of its shares. A yielded record stays while two more are read,
// and may be changed.
type input struct {
	*File
	shares   []moved
	cut      bool // some of its shares are dropped
	shuffled bool // its arrivals may come into another order
}

// moved is the fate of a share.
type moved struct {
	to         int
	dropped    bool  // another part has all of it
	records    int64 // of the ranges below it
	containers []int // where its containers are; nil if they stay where they are
}

// owned is a share of one of the parts.
type owned struct {
	Share
	file, index int
}

// compareHeaders returns an error that names the difference of two headers.
func compareHeaders(a, b Header) error {
	switch {
	case a.Rules != b.Rules:
		return &Differs{"rules", strconv.Quote(a.Rules), strconv.Quote(b.Rules)}
	case a.Read != b.Read:
		return &Differs{"ways of reading", strconv.Quote(a.Read), strconv.Quote(b.Read)}
	case a.TrustSHA256 != b.TrustSHA256:
		return &Differs{"trust files", a.TrustSHA256.String(), b.TrustSHA256.String()}
	case a.Plan != b.Plan:
		return &Differs{"plans", planText(a.Plan), planText(b.Plan)}
	}
	return nil
}

func planText(plan chain.Hash) string {
	if plan == (chain.Hash{}) {
		return "none"
	}
	return plan.String()
}

// joinShares joins shares that are equal, or that follow each other in a source.
func (m *merged) joinShares(all []owned) error {
	slices.SortStableFunc(all, func(a, b owned) int {
		if a.Source == b.Source && a.Range.From == b.Range.From {
			return -compareShare(&a.Share, &b.Share) // the longest first
		}
		return compareShare(&a.Share, &b.Share)
	})
	var last owned // the last range that is kept
	for i, s := range all {
		to := len(m.shares) - 1
		one := &m.inputs[s.file].shares[s.index]
		switch {
		case i == 0 || last.Source != s.Source || last.Range.To < s.Range.From:
			s.Paths, s.Containers = slices.Clone(s.Paths), slices.Clone(s.Containers)
			m.shares = append(m.shares, s.Share)
			one.to = to + 1
		case last.Size != s.Size:
			return &Differs{"sizes of " + sourceName(&s.Share), fmt.Sprint(last.Size), fmt.Sprint(s.Size)}
		case s.Range.To <= last.Range.To:
			if err := sameShare(&last.Share, &s.Share); err != nil {
				return err
			}
			one.to, one.dropped = to, true
			m.inputs[s.file].cut = true
			m.shares[to].Paths = append(m.shares[to].Paths, s.Paths...)
			continue
		case s.Range.From < last.Range.To:
			return &Overlaps{last.Share, s.Share}
		default:
			*one = moved{to: to, records: m.shares[to].Records}
			one.containers = followShare(&m.shares[to], &s.Share)
		}
		last = s
	}
	for i := range m.shares {
		s := &m.shares[i]
		slices.SortFunc(s.Paths, comparePath)
		s.Paths = slices.Compact(s.Paths)
	}
	return nil
}

// sameShare returns an error if the same bytes were read in two ways.
func sameShare(a, b *Share) error {
	if a.Range != b.Range {
		return nil
	}
	counts := func(s *Share) string {
		return fmt.Sprintf("%d records, %d events, %d documents, %d skips, %d containers, complete: %t",
			s.Records, s.Events, s.Documents, s.Skipped, len(s.Containers), s.Complete)
	}
	if one, other := counts(a), counts(b); one != other || !slices.Equal(a.Containers, b.Containers) {
		return &Differs{"records of " + sourceName(a), one, other}
	}
	return nil
}

// followShare adds a neighbour behind a share, and returns where its containers are.
func followShare(s, next *Share) []int {
	s.Range.To = next.Range.To
	s.Paths = append(s.Paths, next.Paths...)
	s.Complete = s.Complete && next.Complete
	s.Records, s.Events = s.Records+next.Records, s.Events+next.Events
	s.Documents, s.Skipped = s.Documents+next.Documents, s.Skipped+next.Skipped
	index := make(map[string]int, len(s.Containers))
	for i, c := range s.Containers {
		index[c.Path] = i
	}
	places := make([]int, len(next.Containers))
	for i, c := range next.Containers {
		at, known := index[c.Path]
		if !known {
			at = len(s.Containers)
			s.Containers = append(s.Containers, c)
			index[c.Path] = at
		} else {
			s.Containers[at].Follow(c)
		}
		places[i] = at
	}
	return places
}

// listLogs lists the logs. It drops inputs that add nothing.
func (m *merged) listLogs() {
	m.inputs = slices.DeleteFunc(m.inputs, func(in input) bool {
		return in.cut && !slices.ContainsFunc(in.shares, func(s moved) bool { return !s.dropped })
	})
	holds := map[facts.Log][]*input{}
	for i := range m.inputs {
		in := &m.inputs[i]
		m.all = append(m.all, in)
		for i, s := range in.shares {
			in.shuffled = in.shuffled || s.containers != nil || i > 0 && s.to < in.shares[i-1].to
		}
		for _, log := range in.x.logs {
			if holds[log] == nil {
				m.logs = append(m.logs, log)
			}
			holds[log] = append(holds[log], in)
		}
	}
	m.holds = make(map[facts.Log][]span, len(holds))
	for log, inputs := range holds {
		m.holds[log] = spansOf(inputs, log)
	}
	slices.SortFunc(m.logs, facts.Log.Compare)
	slices.SortFunc(m.unread, func(a, b facts.Unread) int { return compareUnread(&a, &b) })
	m.unread = slices.Compact(m.unread)
}

// move moves a place of an input, and reports whether it is kept.
func (in *input) move(p *Place) bool {
	s := &in.shares[p.Share]
	p.Share, p.Record = s.to, p.Record+s.records
	if s.containers != nil {
		p.Container = s.containers[p.Container]
	}
	return !s.dropped
}

// Header returns the header that all inputs have.
func (m *merged) Header() Header { return m.header }

// Shares returns the shares of all inputs, joined.
func (m *merged) Shares() []Share { return m.shares }

// Unread returns the unread paths of all inputs.
func (m *merged) Unread() []facts.Unread { return m.unread }

// Logs returns the logs of all inputs.
func (m *merged) Logs() []facts.Log { return m.logs }
