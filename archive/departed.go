package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"sort"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/outcome"
)

// departed are the objects whose paths are not there any more.
type departed struct {
	octets []departure     // by their bytes
	packed []departure     // verified logs, by their evidence
	found  map[uint32]bool // their indexes, if they were found elsewhere
}

// departure is one of them. They are in the order of their digests, and then of their paths.
type departure struct {
	sum    [sha256.Size]byte
	index  uint32 // among all objects
	taken  uint32 // of the first with its digest: how many were looked at
	before bool   // it was missing before
}

// departed returns the objects of the plan whose paths are not there. Row returns the whole row of one.
func (p *plan) departed(row func(path string) (*ledger.Object, error)) (*departed, error) {
	d := &departed{found: map[uint32]bool{}}
	for _, index := range p.missing {
		it, err := p.at(index)
		if err != nil {
			return nil, err
		}
		one := departure{sum: it.row.sha256, index: index, before: it.row.wrong == Missing}
		d.octets = append(d.octets, one)
		if it.row.kind != object.Logs {
			continue
		}
		whole, err := row(it.path)
		if err != nil {
			return nil, err
		}
		if isPacked(&whole.Judgement) {
			one.sum = whole.Judgement.Facts.Evidence
			d.packed = append(d.packed, one)
		}
	}
	for _, list := range [][]departure{d.octets, d.packed} {
		slices.SortFunc(list, func(a, b departure) int {
			return cmp.Or(bytes.Compare(a.sum[:], b.sum[:]), cmp.Compare(a.index, b.index))
		})
	}
	return d, nil
}

// takeOctets returns the next object with these bytes, in the order of their paths, or nil.
func (d *departed) takeOctets(sum [sha256.Size]byte) *departure { return d.takeNext(d.octets, sum) }

// takePacked returns the next object with the evidence of verified logs, or nil.
func (d *departed) takePacked(j *object.Judgement) *departure {
	if !isPacked(j) {
		return nil
	}
	return d.takeNext(d.packed, j.Facts.Evidence)
}

// takeNext returns the next object of a list with a digest. Each is found elsewhere only once.
func (d *departed) takeNext(list []departure, sum [sha256.Size]byte) *departure {
	first := sort.Search(len(list), func(i int) bool { return bytes.Compare(list[i].sum[:], sum[:]) >= 0 })
	if first == len(list) {
		return nil
	}
	for next := first + int(list[first].taken); next < len(list) && list[next].sum == sum; next++ {
		list[first].taken++
		if one := &list[next]; !d.found[one.index] {
			d.found[one.index] = true
			return one
		}
	}
	return nil
}

// isRepacked reports whether other bytes of verified logs have the same evidence.
func (c *check) isRepacked(x *examined) (bool, error) {
	if !x.item.known || x.same || !isPacked(x.judged) || x.item.row.kind != object.Logs {
		return false, nil
	}
	row, err := c.row(x.item.path)
	return err == nil && isPacked(&row.Judgement) && row.Judgement.Facts.Evidence == x.judged.Facts.Evidence, err
}

// isPacked reports whether a judgement is on verified logs with a known digest of their evidence.
func isPacked(j *object.Judgement) bool {
	return j != nil && j.Kind == object.Logs && j.Verdict == outcome.Verified && j.Facts.HasEvidence()
}
