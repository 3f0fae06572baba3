package batch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/verify"
)

// Result is the result of a batch. Its records and contradictions are in temporary files,
// which [Result.Close] removes.
type Result struct {
	Summary Summary

	records     *spool.File
	found       *spool.File         // the contradictions
	named       map[uint32]uint32   // of an entry: the first contradiction that names it
	copies      map[uint32]uint32   // of an entry: the first one with the same bytes, if it is another
	newer       map[uint32]uint32   // of an entry: the one that supersedes it
	limitations []verify.Limitation // of the proven bundles, each once
	keys        verify.KeyTally     // that the trust file lacks
	tempDir     string
}

// kept is a record as it waits in its file, with how its entry is found again.
type kept struct {
	Record
	Ref entry.Ref
}

// packRecord returns a record as it waits in its file. The digest and the name of the entry,
// which each copy needs, come first and need no JSON parser.
func packRecord(k kept, sum [sha256.Size]byte) ([]byte, error) {
	document, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	packed := binary.AppendUvarint(sum[:], uint64(len(k.Name)))
	return slices.Concat(packed, []byte(k.Name), document), nil
}

// splitRecord returns the parts of a record that [packRecord] made.
func splitRecord(packed []byte) (sum [sha256.Size]byte, name, document []byte) {
	copy(sum[:], packed)
	size, n := binary.Uvarint(packed[len(sum):])
	rest := packed[len(sum)+n:]
	return sum, rest[:size], rest[size:]
}

func unpackRecord(packed []byte) (record kept, err error) {
	_, _, document := splitRecord(packed)
	return record, json.Unmarshal(document, &record)
}

// Contradiction is two entries that contradict each other.
type Contradiction struct {
	First          string                `json:"first"`  // the name of the earlier entry
	Second         string                `json:"second"` // the name of the later one
	Finding        contradiction.Finding `json:"contradiction"`
	earlier, later uint32
}

// pair is a contradiction as it waits in its file.
type pair struct {
	Earlier, Later uint32
	Finding        contradiction.Finding
}

// Close removes the temporary files.
func (r *Result) Close() error { return errors.Join(r.records.Close(), r.found.Close()) }

// Records yields the records in the order of the entries. It can be used more
// than once. An error is the last thing that it yields.
func (r *Result) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		i := uint32(0)
		for packed, err := range r.records.All() {
			var record kept
			if err == nil {
				record, err = unpackRecord(packed)
			}
			_, record.Contradicted = r.contradicted(i)
			if by, ok := r.newer[r.original(i)]; ok && err == nil {
				err = r.markSuperseded(&record.Record, by)
			}
			if !yield(record.Record, err) || err != nil {
				return
			}
			i++
		}
	}
}

// contradicted returns the first contradiction that names an entry, or the first
// copy of it.
func (r *Result) contradicted(i uint32) (uint32, bool) {
	n, ok := r.named[r.original(i)]
	return n, ok
}

// original returns the first entry with the bytes of an entry.
func (r *Result) original(i uint32) uint32 {
	if first, isCopy := r.copies[i]; isCopy {
		return first
	}
	return i
}

// Contradictions yields the contradictions, in the order of the entries that they
// concern. It can be used more than once. An error is the last thing that it yields.
func (r *Result) Contradictions() iter.Seq2[Contradiction, error] {
	return func(yield func(Contradiction, error) bool) {
		for line, err := range r.found.All() {
			var c Contradiction
			if err == nil {
				c, err = r.contradiction(line)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// contradiction reads one from its file, with the names of its entries.
func (r *Result) contradiction(line []byte) (c Contradiction, err error) {
	var p pair
	if err := json.Unmarshal(line, &p); err != nil {
		return c, err
	}
	first, err := r.readRecord(p.Earlier)
	if err != nil {
		return c, err
	}
	second, err := r.readRecord(p.Later)
	return Contradiction{First: first.Name, Second: second.Name, Finding: p.Finding, earlier: p.Earlier,
		later: p.Later}, err
}

// readRecord returns the record of an entry.
func (r *Result) readRecord(i uint32) (record kept, err error) {
	packed, err := r.records.At(int(i))
	if err != nil {
		return record, err
	}
	return unpackRecord(packed)
}

// markDouble enters the name of the first entry with the same bytes.
func (r *run) markDouble(i uint32, record *Record, sum [sha256.Size]byte) error {
	first, err := r.originals.originalOf(sum, i, r.result.digestOf)
	if err != nil || first == i {
		return err
	}
	packed, err := r.result.records.At(int(first))
	if err != nil {
		return err
	}
	_, name, _ := splitRecord(packed)
	record.SameAs, r.result.copies[i] = string(name), first
	return nil
}

// markSuperseded enters in a record that another entry supersedes it.
func (r *Result) markSuperseded(record *Record, by uint32) error {
	newer, err := r.readRecord(by)
	record.supersede(newer.Name)
	return err
}

// digestOf returns the digest of an entry that has one.
func (r *Result) digestOf(i uint32) ([sha256.Size]byte, error) {
	packed, err := r.records.At(int(i))
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	sum, _, _ := splitRecord(packed)
	return sum, nil
}

// contradictions compares all proven bundles with each other.
func (r *run) contradictions(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // all examined bundles are compared
	counts, err := r.index.Settle(ctx)
	if err != nil {
		return err
	}
	r.result.Summary.Compared = Compared{counts.Bundles, counts.Sequences, counts.Shared, counts.Pairs}
	for c, err := range r.index.Contradictions(ctx) {
		if err != nil {
			return err
		}
		if c.Again {
			continue
		}
		p := pair{min(c.Entry, c.Other), max(c.Entry, c.Other), c.Finding}
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		n := uint32(r.result.found.Len()) // #nosec G115 -- they are at most a few for each entry
		for _, i := range []uint32{p.Earlier, p.Later} {
			if _, known := r.result.named[i]; !known {
				r.result.named[i] = n
			}
		}
		if err := r.result.found.Add(line); err != nil {
			return err
		}
	}
	return nil
}

// supersede finds the entries whose status does not count, since another entry is a
// later proof of the same transaction, and counts them as such.
func (r *run) supersede(ctx context.Context) error {
	for s, err := range r.index.Superseded(context.WithoutCancel(ctx)) {
		if err != nil {
			return err
		}
		r.result.newer[s.Entry] = s.By
	}
	for i := range uint32(r.result.records.Len()) { // #nosec G115 -- there are fewer
		if _, ok := r.result.newer[r.result.original(i)]; !ok {
			continue
		}
		record, err := r.result.readRecord(i)
		if err != nil {
			return err
		}
		r.result.Summary.Entries.supersede(&record.Record)
	}
	return nil
}
