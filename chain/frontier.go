package chain

import (
	"fmt"
	"maps"
)

// Frontier replays a log link by link. It keeps the hashes that a later skip link
// can name: those on the chain of skip links from the head. Their number is
// logarithmic in the length of the log. A witness has to keep nothing else
// between two checkpoints (SPEC 5.2).
type Frontier struct {
	sequence uint64
	hashes   map[uint64]Hash
}

// NewFrontier starts at sequence 0 with the genesis hash of the log.
func NewFrontier(genesis Hash) *Frontier {
	return &Frontier{hashes: map[uint64]Hash{0: genesis}}
}

// RestoreFrontier continues from the [Frontier.Hashes] of a frontier at the given
// sequence. It returns an error if a hash that later links can name is missing.
func RestoreFrontier(sequence uint64, hashes map[uint64]Hash) (*Frontier, error) {
	f := &Frontier{sequence, map[uint64]Hash{}}
	for _, n := range skipChain(sequence) {
		h, ok := hashes[n]
		if !ok {
			return nil, fmt.Errorf("chain: no hash for sequence %d, which later skip links can name", n)
		}
		f.hashes[n] = h
	}
	return f, nil
}

// Append adds the next link. It returns an error, and changes nothing, unless the
// link has the next sequence and both hashes in it are the computed ones. So it
// refuses a second history that hangs behind a skip link.
func (f *Frontier) Append(l Link) error {
	if l.Sequence != f.sequence+1 {
		return fmt.Errorf("chain: the link is of sequence %d, the next one is %d", l.Sequence, f.sequence+1)
	}
	if want := f.hashes[f.sequence]; l.Previous != want {
		return fmt.Errorf("chain: previous link of sequence %d is %s, computed %s", l.Sequence, l.Previous, want)
	}
	target := Skip(l.Sequence)
	if want := f.hashes[target]; l.Skip != want {
		return fmt.Errorf("chain: skip link of sequence %d to %d is %s, computed %s", l.Sequence, target, l.Skip, want)
	}
	f.sequence = l.Sequence
	f.hashes[l.Sequence] = l.Hash()
	// A link from beyond cannot name the others.
	maps.DeleteFunc(f.hashes, func(n uint64, _ Hash) bool { return n > target && n < l.Sequence })
	return nil
}

// Sequence returns the sequence of the head, or 0 at genesis.
func (f *Frontier) Sequence() uint64 { return f.sequence }

// Head returns the hash of the newest event, or the genesis hash.
func (f *Frontier) Head() Hash { return f.hashes[f.sequence] }

// Hash returns the hash of a sequence, if the frontier still has it.
func (f *Frontier) Hash(sequence uint64) (Hash, bool) {
	h, ok := f.hashes[sequence]
	return h, ok
}

// Hashes returns a copy of all hashes in the frontier, by sequence.
func (f *Frontier) Hashes() map[uint64]Hash { return maps.Clone(f.hashes) }

// Clone returns an independent copy.
func (f *Frontier) Clone() *Frontier {
	return &Frontier{f.sequence, maps.Clone(f.hashes)}
}

// skipChain returns n, Skip(n), Skip(Skip(n)) … 0. Since skip links never cross,
// these are the sequences up to n that a link from beyond n can name.
func skipChain(n uint64) (seqs []uint64) {
	for ; n > 0; n = Skip(n) {
		seqs = append(seqs, n)
	}
	return append(seqs, 0)
}
