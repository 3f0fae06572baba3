package crosscheck

import (
	"iter"
	"math/bits"
	"slices"
)

// storeSet is a set of stores by their numbers. The zero storeSet is empty. No method
// changes a set that another one shares memory with.
type storeSet struct {
	low  uint64   // of the first 64
	rest []uint64 // of 64 each; nil for most
}

func setOf(store int) (s storeSet) {
	if store < 64 {
		s.low = 1 << store
		return s
	}
	s.rest = make([]uint64, store/64)
	s.rest[store/64-1] = 1 << (store % 64)
	return s
}

func (s storeSet) has(store int) bool {
	if store < 64 {
		return s.low>>store&1 == 1
	}
	at := store/64 - 1
	return at < len(s.rest) && s.rest[at]>>(store%64)&1 == 1
}

// union returns the stores that are in either.
func (s storeSet) union(o storeSet) storeSet {
	s.low |= o.low
	if len(o.rest) == 0 {
		return s
	}
	rest := make([]uint64, max(len(s.rest), len(o.rest)))
	copy(rest, s.rest)
	for i, of := range o.rest {
		rest[i] |= of
	}
	s.rest = rest
	return s
}

// without returns the others.
func (s storeSet) without(store int) storeSet {
	switch {
	case !s.has(store):
	case store < 64:
		s.low &^= 1 << store
	default:
		s.rest = slices.Clone(s.rest)
		s.rest[store/64-1] &^= 1 << (store % 64)
	}
	return s
}

func (s storeSet) count() int {
	n := bits.OnesCount64(s.low)
	for _, of := range s.rest {
		n += bits.OnesCount64(of)
	}
	return n
}

// hasOther reports whether any other store is in the set.
func (s storeSet) hasOther(store int) bool {
	n := s.count()
	return n > 1 || n == 1 && !s.has(store)
}

// all yields the numbers of the stores, ascending.
func (s storeSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range 64 * (1 + len(s.rest)) {
			if s.has(i) && !yield(i) {
				return
			}
		}
	}
}

// meets reports whether a store is in both.
func (s storeSet) meets(o storeSet) bool {
	met := s.low&o.low != 0
	for i := range min(len(s.rest), len(o.rest)) {
		met = met || s.rest[i]&o.rest[i] != 0
	}
	return met
}
