package plan

import (
	"cmp"
	"slices"
)

// assignShares determines for each file which shares are to read it, and about how far each. Large
// files that go whole come first, each to the share that has the least. Then the others fill
// the rest of each share, log after log, and files that can be cut are cut where a share is
// full.
func assignShares(files []*file, shares int, least int64) {
	total := int64(0)
	for _, f := range files {
		total += f.weight
	}
	loads := make([]int64, shares)
	var rest []*file
	large := make([]*file, 0, len(files))
	for _, f := range files {
		if f.weight > total/int64(shares)/largeShare && !f.divisible(least) {
			large = append(large, f)
		} else {
			rest = append(rest, f)
		}
	}
	slices.SortStableFunc(large, func(a, b *file) int { return cmp.Compare(b.weight, a.weight) })
	placeFiles(large, loads)
	slices.SortStableFunc(rest, func(a, b *file) int { return cmp.Compare(a.log, b.log) })
	fill := filler{loads: loads, least: least}
	fill.level(rest)
	for _, f := range rest {
		fill.addFile(f)
	}
}

// largeShare is which part of a share makes a file large.
const largeShare = 4

// divisible reports whether a file may be cut into ranges of at least that size.
func (f *file) divisible(least int64) bool { return f.cuttable && f.Size >= 2*least }

// placeFiles gives each file to the share that has the least.
func placeFiles(files []*file, loads []int64) {
	h := newHeap(loads)
	for _, f := range files {
		f.targets = []target{{h.lightest(), f.Size}}
		h.addWeight(f.weight)
	}
}

// filler fills shares, one after the other, up to a level.
type filler struct {
	loads []int64
	least int64
	most  int64 // the level
	at    int   // the share that is filled
}

// level sets the level so that the shares have room for the files, and no more. A share
// has room for a range at least: where there is less work than that for each, the last
// shares stay empty.
func (f *filler) level(files []*file) {
	left, least := int64(0), int64(0)
	for _, file := range files {
		left += file.weight
		if file.divisible(f.least) {
			least = f.least
		}
	}
	sorted := slices.Sorted(slices.Values(f.loads))
	for i, below := 0, int64(0); i < len(sorted); i++ {
		below += sorted[i]
		// The first i+1 shares together, filled with all that is left.
		level := (below + left + int64(i)) / int64(i+1)
		if i+1 == len(sorted) || level <= sorted[i+1] {
			f.most = max(level, least)
			return
		}
	}
}

// roomLeft is how much the current share is to get still.
func (f *filler) roomLeft() int64 { return f.most - f.loads[f.at] }

// nextShare goes to the next share; it reports whether there is one. The shares behind have
// the room that this one leaves, each a part of it.
func (f *filler) nextShare() bool {
	behind := int64(len(f.loads) - 1 - f.at)
	if behind == 0 {
		return false
	}
	f.most += (max(f.roomLeft(), 0) + behind - 1) / behind
	f.at++
	return true
}

// addFile gives a file to the current share, or a range of it to each of several.
func (f *filler) addFile(file *file) {
	for !file.divisible(f.least) && f.roomLeft() < file.weight/2 && f.nextShare() {
	}
	if !file.divisible(f.least) {
		file.targets = []target{{f.at, file.Size}}
		f.loads[f.at] += file.weight
		return
	}
	f.loads[f.at] += file.weight - file.Size // wherever it begins
	for from := int64(0); from < file.Size; {
		left := file.Size - from
		for f.roomLeft() < min(f.least, left) && f.nextShare() {
		}
		n := min(left, max(f.roomLeft(), f.least))
		if left-n < f.least || f.at == len(f.loads)-1 {
			n = left
		}
		from += n
		f.loads[f.at] += n
		file.targets = append(file.targets, target{f.at, from})
	}
}
