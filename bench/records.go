//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	told "github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// The tenant log answers reportEvery events of each journal with a cycle of events: the
// approval and the issuance of each sixteenth event of each journal, and a report of
// each head.
const (
	approvals = reportEvery / 16 // of a journal in a cycle
	answers   = 2 * throughNodes // of the tenant log to a sixteenth event of all journals
	cycle     = approvals*answers + throughNodes
)

// recordsLog is a log that has records, and no events. Its hashes are drawn from its
// number. Each record names the one before, so that the log is one chain.
type recordsLog struct {
	facts.Log
	number int // the tenant log has the highest
	keyID  string
	events uint64
	of     []*recordsLog // the journals, of the tenant log
}

// record is what is told of one event.
type record struct {
	kind        string
	transaction string
	at          uint64 // the sequence of the event of a journal that occurs at that time
	octets      int64  // of its line
	said        *told.Said
}

// hash is the hash of an event.
func (l *recordsLog) hash(n uint64) chain.Hash {
	if n == 0 {
		return chain.Genesis(l.TenantID, l.LogID)
	}
	return l.draw(n, 0)
}

// draw draws a hash of some kind that belongs to an event: four outputs of SplitMix64.
func (l *recordsLog) draw(n uint64, kind int) (h chain.Hash) {
	x := (uint64(l.number)<<2|uint64(kind))<<56 ^ n<<3 // #nosec G115 -- small
	for i := range 4 {
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(h[8*i:], z^z>>31)
	}
	return h
}

// The kinds of hash that are drawn beside that of an event.
const (
	ofApproval = 1 + iota
	ofManifest
)

// record is what is told of an event, alike in kind and size to what through writes.
func (l *recordsLog) record(n uint64) record {
	switch {
	case l.of != nil:
		return l.answer(n)
	case n%16 == 0:
		return record{event.ApprovalSigned, l.transaction(n), n, 820,
			&told.Said{Digest: l.draw(n, ofApproval), Decision: "allow"}}
	case n%4 == 1:
		return record{event.CapabilityObserved, "", n, 760, &told.Said{Digest: l.draw(n, ofApproval)}}
	case n%4 == 2:
		return record{"approval.denied", "", n, 960, nil}
	}
	return record{"policy.synced", "", n, 1080, nil}
}

func (l *recordsLog) transaction(n uint64) string { return fmt.Sprintf("tx-%s-%09d", l.keyID, n/16) }

// answer is what is told of an event of the tenant log.
func (l *recordsLog) answer(n uint64) record {
	turn, rest := (n-1)/cycle, (n-1)%cycle
	if rest >= approvals*answers {
		head := (turn + 1) * reportEvery
		return record{event.NodeReported, "", head, 1260, l.of[rest-approvals*answers].report(head)}
	}
	at := turn*reportEvery + 16*(rest/answers+1)
	j := l.of[rest%answers/2]
	if rest%2 == 0 {
		return record{event.ApprovalRecorded, j.transaction(at), at, 830,
			&told.Said{Digest: j.draw(at, ofApproval), Node: j.keyID}}
	}
	return record{event.IssuanceCompleted, j.transaction(at), at, 790, &told.Said{Digest: j.draw(at, ofManifest)}}
}

// report is a node's report of its head.
func (l *recordsLog) report(n uint64) *told.Said {
	h := event.Header{KeyID: l.keyID, Judgement: event.Judgement{Computed: l.hash(n), Signed: event.OverContent}}
	h.Link = chain.Link{Sequence: n, Previous: l.hash(n - 1), Skip: l.hash(chain.Skip(n))}
	h.Recorded = h.Computed
	return &told.Said{Node: l.keyID, Report: walk.Report{Node: l.keyID, Header: h}}
}

// offset is where the line of an event begins in the file of its log.
func (l *recordsLog) offset(n uint64) (sum int64) {
	period := uint64(16)
	if l.of != nil {
		period = cycle
	}
	whole := int64(0)
	for i := range period {
		size := l.record(i + 1).octets
		if whole += size; i < (n-1)%period {
			sum += size
		}
	}
	return sum + int64((n-1)/period)*whole // #nosec G115 -- far below
}

// stretch is the records of some events of a log: the part that a worker would make of
// them.
type stretch struct {
	*recordsLog
	header      part.Header
	first, last uint64
}

func (s *stretch) Header() part.Header { return s.header }

func (s *stretch) Shares() []part.Share {
	count := int64(s.last - s.first + 1) // #nosec G115 -- far below
	return []part.Share{{Source: s.draw(0, ofManifest), Size: s.offset(s.events + 1), Complete: true,
		Range:      part.Range{From: s.offset(s.first), To: s.offset(s.last + 1)},
		Paths:      []part.Path{{Given: s.LogID + ".ndjson"}},
		Containers: []part.Container{{Format: string(read.Journal), Why: "each line is an event", Unbatched: count}},
		Records:    count, Events: count}}
}

func (s *stretch) Unread() []facts.Unread { return nil }
func (s *stretch) Logs() []facts.Log      { return []facts.Log{s.Log} }

func (s *stretch) Skips(context.Context) iter.Seq2[*part.Skip, error] { return none[part.Skip] }
func (s *stretch) Documents(context.Context) iter.Seq2[*part.Document, error] {
	return none[part.Document]
}
func (s *stretch) Batches(context.Context) iter.Seq2[*part.Batch, error] { return none[part.Batch] }

func none[T any](func(*T, error) bool) {}

func (s *stretch) Copies(_ context.Context, _ facts.Log, from uint64) iter.Seq2[*part.Copy, error] {
	return func(yield func(*part.Copy, error) bool) {
		n := max(from, s.first)
		arrivals, offset := make([]part.Arrival, 1), s.offset(n)
		for previous := s.hash(n - 1); n <= s.last; n++ {
			r, h := s.record(n), s.hash(n)
			arrivals[0] = part.Arrival{Place: part.Place{Offset: offset, Length: r.octets,
				Record: int64(n - s.first)}, Fidelity: 1} // #nosec G115 -- far below
			c := &part.Copy{Size: r.octets - 460, Arrivals: arrivals}
			c.Link = chain.Link{Sequence: n, Previous: previous, Skip: s.hash(chain.Skip(n))}
			c.Recorded, c.Computed, c.Signed = h, h, event.OverContent
			c.KeyID, c.Type, c.OccurredAt = s.keyID, r.kind, at(int(r.at)).UnixMilli() // #nosec G115 -- far below
			digest := s.draw(n, ofManifest)
			copy(c.Digest[:], digest[:])
			if previous, offset = h, offset+r.octets; !yield(c, nil) {
				return
			}
		}
	}
}

func (s *stretch) Statements(_ context.Context, _ facts.Log, from uint64) iter.Seq2[*part.Statement, error] {
	return func(yield func(*part.Statement, error) bool) {
		var said []byte
		for n := max(from, s.first); n <= s.last; n++ {
			r := s.record(n)
			if r.said == nil {
				continue
			}
			said = told.AppendSaid(said[:0], r.said)
			one := &part.Statement{Sequence: n, Type: r.kind, TransactionID: r.transaction, Said: said}
			digest := s.draw(n, ofManifest)
			copy(one.Digest[:], digest[:])
			if !yield(one, nil) {
				return
			}
		}
	}
}

// measureRecords writes parts of about so many records, of events that nobody wrote or
// signed, joins them in a tree and concludes by the program's commands. Joins and
// conclusions see no bodies, so that this costs them what real evidence does.
func measureRecords(w io.Writer, dir string, records, parts int) (_ *through, err error) {
	t, err := newThrough(evidence{dir: dir}, throughNodes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	if err := t.records(records, parts); err != nil {
		return nil, err
	}
	return t, t.finish(w)
}

// records writes the parts, two at a time, as many of each log as its length asks for.
func (t *through) records(records, parts int) error {
	document, err := os.ReadFile(t.trust())
	if err != nil {
		return err
	}
	root, err := trust.Parse(document)
	if err != nil {
		return err
	}
	header := part.Header{Rules: share.Rules, Read: ingest.How(read.Options{}), TrustSHA256: chain.Hash(root.SHA256())}
	turns := uint64(max(1, records/(throughNodes*reportEvery+cycle))) // #nosec G115 -- positive
	logs := t.recordsLogs(turns)
	var running sync.WaitGroup
	slots, faults := make(chan struct{}, 2), []error{}
	for _, l := range logs {
		t.count += int(l.events)                                                        // #nosec G115 -- far below
		cuts := max(1, uint64(parts)*l.events/(turns*(throughNodes*reportEvery+cycle))) // #nosec G115 -- positive
		for i := range cuts {
			s := &stretch{l, header, i*l.events/cuts + 1, (i + 1) * l.events / cuts}
			slots <- struct{}{}
			out := t.nextPart()
			running.Go(func() {
				defer func() { <-slots }()
				if err := writeStretch(out, s); err != nil {
					t.mutex.Lock()
					defer t.mutex.Unlock()
					faults = append(faults, err)
				}
			})
		}
		t.bytes += l.offset(l.events + 1)
	}
	running.Wait()
	return errors.Join(faults...)
}

// recordsLogs are journals of so many turns, and the tenant log that answers them.
func (t *through) recordsLogs(turns uint64) (all []*recordsLog) {
	for i, q := range append(t.journals, t.tenant) {
		all = append(all, &recordsLog{Log: facts.Log{TenantID: q.tenant, LogID: q.log}, number: i, keyID: q.keyID,
			events: turns * reportEvery})
	}
	last := all[len(all)-1]
	last.of, last.events = all[:len(all)-1], turns*cycle
	return all
}

// writeStretch writes the part of a stretch.
func writeStretch(path string, s *stretch) (err error) {
	f, err := os.Create(path) // #nosec G304 -- the developer names it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = part.Write(context.Background(), w, s, nil)
	return errors.Join(err, w.Flush())
}
