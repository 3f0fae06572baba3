package walk

import (
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/trust"
)

// Judge judges events and reports by themselves, under the pinned keys of a trust file. Its
// methods may be called by several goroutines at once: all of them share the memory for fast
// verification.
type Judge struct {
	root       *trust.Root
	signatures *signatures
}

// NewJudge returns a judge under a trust file.
func NewJudge(root *trust.Root) *Judge { return RememberingJudge(root, nil) }

// RememberingJudge returns a judge under a trust file that reads and updates the signature
// cache; may be nil.
func RememberingJudge(root *trust.Root, memory Signatures) *Judge {
	return &Judge{root, newSignatures(memory)}
}

// judgedMemory is memory of events that were judged.
var judgedMemory = sync.Pool{New: func() any { return new([]judged) }}

// Judge judges those events of a log that were not judged. Many at a time cost less each. An
// error means that a signature could not be verified, and is no statement about the evidence.
func (g *Judge) Judge(log facts.Log, events []*event.Header) error {
	memory := judgedMemory.Get().(*[]judged)
	defer judgedMemory.Put(memory)
	copies := (*memory)[:0]
	for _, e := range events {
		copies = append(copies, judged{Event: facts.Event{Header: *e}})
	}
	*memory = copies
	g.identifyAll(log, copies)
	err := g.verifyCopies(copies)
	for i := range copies {
		events[i].Judgement = copies[i].Judgement
	}
	clear(copies) // of its pointers
	return err
}

// identifyAll looks up the keys of copies of a log's events, which are seldom other
// ones than before.
func (g *Judge) identifyAll(log facts.Log, copies []judged) {
	for i := range copies {
		if i > 0 && copies[i].KeyID == copies[i-1].KeyID {
			copies[i].owner, copies[i].key = copies[i-1].owner, copies[i-1].key
			continue
		}
		g.identify(log, &copies[i])
	}
}

// identify looks up the key of a copy. No other key is ever tried (SPEC 3.3).
func (g *Judge) identify(log facts.Log, j *judged) {
	by := ownerOf(log)
	key, ok := g.root.Key(by.Role, j.KeyID)
	switch {
	case !ok:
		j.owner = unpinned
	case by.Role == trust.Node && key.Node != by.Node:
		j.owner = ofOtherNode
	default:
		j.owner, j.key = pinned, &key
	}
}

// verifyCopies checks every copy that was not judged against its own hash and its key: against
// the hash that the content gives, and else the one that is written in it.
func (g *Judge) verifyCopies(copies []judged) error {
	left := 0
	for i := range copies {
		if j := &copies[i]; !j.Judged() {
			j.Computed = j.ContentHash()
			left++
		}
	}
	if left == 0 {
		return nil
	}
	content := func(j *judged) (chain.Hash, bool) { return j.Computed, true }
	if err := g.verifySignatures(copies, event.OverContent, content); err != nil {
		return err
	}
	recorded := func(j *judged) (chain.Hash, bool) { return j.Recorded, j.Computed != j.Recorded }
	if err := g.verifySignatures(copies, event.OverRecorded, recorded); err != nil {
		return err
	}
	for i := range copies {
		if !copies[i].Judged() {
			copies[i].Signed = event.Neither
		}
	}
	return nil
}

// verifySignatures marks the unjudged copies whose signature holds for the requested hash.
func (g *Judge) verifySignatures(copies []judged, mark event.Signed, asked func(*judged) (chain.Hash, bool)) error {
	r := scratchMemory.Get().(*scratch)
	defer scratchMemory.Put(r)
	r.claims, r.at = r.claims[:0], r.at[:0]
	for i := range copies {
		j := &copies[i]
		if hash, ok := asked(j); ok && j.owner == pinned && !j.Judged() {
			r.claims = append(r.claims, claim{hash, j.key, &j.Signature})
			r.at = append(r.at, i)
		}
	}
	if len(r.claims) == 0 {
		return nil
	}
	valid, err := g.signatures.verifyClaims(r)
	if err != nil {
		return err
	}
	for i, ok := range valid {
		if ok {
			copies[r.at[i]].Signed = mark
		}
	}
	return nil
}
