package share

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// content returns what was found, once all was read.
func (w *worker) content() (part.Content, error) {
	last, err := w.run.sort()
	if err != nil {
		return nil, err
	}
	order := w.order()
	places := make([]int, len(w.sources)) // of the sources among the shares
	var shares []part.Share
	for n, i := range order {
		places[i] = n
		shares = append(shares, w.sources[i].share())
	}
	last.shares = w.provisional()
	runs := append(w.written(places), part.Run{Content: last, Index: places})
	union, err := part.Union(w.header, shares, w.notRead(), runs...)
	if err != nil {
		return nil, err
	}
	var numbers []int64
	for _, i := range order {
		numbers = append(numbers, int64(i)+1)
	}
	return &content{union, w.skips, numbers}, nil
}

// content is the records of all runs, with the skips.
type content struct {
	part.Content
	skips   *skips
	sources []int64 // in the order of the shares
}

// Skips implements part.Content.
func (c *content) Skips(ctx context.Context) iter.Seq2[*part.Skip, error] {
	return c.skips.rows(ctx, c.sources)
}

// order returns the indexes of the sources in the order of the shares.
func (w *worker) order() []int {
	var all []int
	for i, s := range w.sources {
		if !s.forgotten {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b int) int {
		x, y := w.sources[a], w.sources[b]
		one, other, from, to := x.ReadSHA256, y.ReadSHA256, int64(0), int64(0)
		if x.planned != nil && y.planned != nil {
			one, other, from, to = x.planned.Source.SHA256, y.planned.Source.SHA256, x.planned.From, y.planned.From
		}
		return cmp.Or(bytes.Compare(one[:], other[:]), cmp.Compare(from, to), cmp.Compare(a, b))
	})
	return all
}

// share returns what was read of a source.
func (s *source) share() part.Share {
	p := part.Share{Source: s.ReadSHA256, Size: s.Read, Range: part.Range{To: s.Read}, Paths: slices.Clone(s.paths),
		Containers: s.containers, Records: max(s.Events+s.Documents+s.Skipped, s.records), Events: s.Events,
		Documents: s.Documents, Skipped: s.Skipped, Complete: s.whole}
	if s.planned != nil {
		p.Source, p.Size = s.planned.Source.SHA256, s.planned.Size
		p.Range = part.Range{From: s.planned.From, To: s.planned.To}
	}
	slices.SortFunc(p.Paths, func(a, b part.Path) int {
		return cmp.Or(cmp.Compare(a.Given, b.Given), cmp.Compare(a.Absolute, b.Absolute))
	})
	return p
}

// provisional returns the shares of a run: one for each source so far, by number. What
// a source is called is only known once it was read.
func (w *worker) provisional() []part.Share {
	all := make([]part.Share, len(w.sources))
	for i, s := range w.sources {
		binary.BigEndian.PutUint64(all[i].Source[:], uint64(i))
		all[i].Containers, all[i].Records = s.containers, math.MaxInt64
	}
	return all
}

// notRead returns the paths that could not be read.
func (w *worker) notRead() []facts.Unread {
	var all []facts.Unread
	for u := range w.unread {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b facts.Unread) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Detail, b.Detail))
	})
	return all
}
