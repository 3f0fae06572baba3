package form

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/outcome"
)

// The bounds of the kept content of the items, whatever a form can show.
const (
	mostOctets   = 32 << 20 // of all texts together
	mostProblems = 1_000    // of one item
	mostFacts    = 20       // of one item, those without a value aside
)

// shortlist is the items of a report that a form shows, the worst first and then in
// the order of the run, and how many there are of all.
type shortlist struct {
	items    []entry
	classes  map[outcome.Class]int64 // of all items of the report, by [outcome.Item.Verdict]
	failed   int64                   // how many items are to be shown as wrong
	problems int64                   // and their problems, at least one each
	proven   int64                   // how many verified items say something
	evidence string                  // the file of the first item that has one
}

// entry is an item as it is kept.
type entry struct {
	outcome.Item
	problems int // that it has; those kept may be fewer
}

// gatherItems reads a report once, and keeps at most so many items.
func gatherItems(r *outcome.Report, most int) (shortlist, error) {
	classes := outcome.Classes()
	c := collector{most: most, ranks: make([][]entry, len(classes)), open: len(classes)}
	all := shortlist{classes: map[outcome.Class]int64{}}
	for item, err := range r.Items() {
		if err != nil {
			return all, err
		}
		verdict := item.Verdict()
		all.classes[verdict]++
		if all.evidence == "" && item.Place.File != "-" {
			all.evidence = item.Place.File
		}
		if verdict != outcome.Verified {
			all.failed++
			all.problems += int64(max(1, len(item.Problems)))
		} else if item.Proof != "" {
			all.proven++
		}
		c.addItem(item, slices.Index(classes, verdict))
	}
	all.items = slices.Concat(c.ranks...)
	return all, nil
}

// wrongItems returns the items that are kept and to be shown as wrong.
func (s *shortlist) wrongItems() []entry {
	n := slices.IndexFunc(s.items, func(i entry) bool { return !i.Failed() })
	if n < 0 {
		n = len(s.items)
	}
	return s.items[:n]
}

// decidingRows returns the deciding problem of each of them.
func (s *shortlist) decidingRows() []row {
	var all []row
	for _, i := range s.wrongItems() {
		all = append(all, i.decidingRow())
	}
	return all
}

// saidProofs returns the verified items that are kept and say something.
func (s *shortlist) saidProofs() []entry {
	return slices.DeleteFunc(slices.Clone(s.items[len(s.wrongItems()):]), func(i entry) bool { return i.Proof == "" })
}

// collector keeps items by their rank. Ranks from open on take no more: something
// of them, or of a better rank, was left out.
type collector struct {
	most, count, octets int
	ranks               [][]entry
	open                int
}

func (c *collector) addItem(item outcome.Item, rank int) {
	if rank >= c.open {
		return
	}
	kept := keptItem(item)
	c.ranks[rank] = append(c.ranks[rank], kept)
	c.count, c.octets = c.count+1, c.octets+kept.sizeOf()
	for c.count > c.most || c.octets > mostOctets {
		c.dropLast()
	}
}

// keptItem returns the content of an item that is kept. Its texts are no longer than they are
// shown, so that no item uses the space of many.
func keptItem(item outcome.Item) entry {
	kept := entry{item, len(item.Problems)}
	kept.Problems = slices.Clone(item.Problems[:min(len(item.Problems), mostProblems)])
	for i := range kept.Problems {
		p := &kept.Problems[i]
		p.Path, p.Message = shortText(p.Path), shortText(p.Message)
	}
	kept.Proof = shortText(item.Proof)
	kept.About = nil
	for _, f := range item.About {
		if f.Value != "" && len(kept.About) < mostFacts {
			kept.About = append(kept.About, f)
		}
	}
	return kept
}

// shortText is as much of a text as [sentence] needs to see that it is to be cut.
func shortText(text string) string {
	if len(text) <= answer.MostSentence+1 {
		return text
	}
	return strings.Clone(text[:answer.MostSentence+1])
}

// dropLast gives up the last item of the least bad rank.
func (c *collector) dropLast() {
	for rank := len(c.ranks) - 1; rank >= 0; rank-- {
		c.open = min(c.open, rank)
		if n := len(c.ranks[rank]); n > 0 {
			c.count, c.octets = c.count-1, c.octets-c.ranks[rank][n-1].sizeOf()
			c.ranks[rank] = slices.Delete(c.ranks[rank], n-1, n)
			return
		}
	}
}

// sizeOf estimates the size of an item in bytes.
func (i *entry) sizeOf() int {
	n := 200 + len(i.Proof) + len(i.Name) + len(i.Place.File) + len(i.Place.Entry)
	for _, p := range i.Problems {
		n += 150 + len(p.Path) + len(p.Message) + len(p.Place.File) + len(p.Place.Entry)
	}
	for _, f := range i.About {
		n += 40 + len(f.What) + len(f.Value)
	}
	return n
}
