package plan

import (
	"cmp"
	"container/heap"
)

// shareHeap orders the shares by load, the least first, and shares of the same load by number.
type shareHeap struct {
	loads  []int64
	shares []int
}

func newHeap(loads []int64) *shareHeap {
	h := &shareHeap{loads: loads}
	for i := range loads {
		h.shares = append(h.shares, i)
	}
	heap.Init(h)
	return h
}

func (h *shareHeap) lightest() int { return h.shares[0] }

// addWeight gives work to the lightest share.
func (h *shareHeap) addWeight(weight int64) {
	h.loads[h.shares[0]] += weight
	heap.Fix(h, 0)
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (h *shareHeap) Len() int { return len(h.shares) }

func (h *shareHeap) Less(i, j int) bool {
	a, b := h.shares[i], h.shares[j]
	return cmp.Or(cmp.Compare(h.loads[a], h.loads[b]), cmp.Compare(a, b)) < 0
}

func (h *shareHeap) Swap(i, j int) { h.shares[i], h.shares[j] = h.shares[j], h.shares[i] }

func (h *shareHeap) Push(any) {}

func (h *shareHeap) Pop() any { return nil }
