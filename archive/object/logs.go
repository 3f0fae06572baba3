package object

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/outcome"
)

// errFound ends a look for evidence.
var errFound = errors.New("there is evidence")

// hasEvidence reports whether a file has an event, a bundle or a signed statement in
// it, in whatever wrapping, or is packed and damaged, so that it could have had some.
func (f File) hasEvidence(ctx context.Context) (bool, error) {
	err := read.Read(ctx, io.NewSectionReader(f.Octets, 0, f.Size), read.Options{}, &looker{})
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// looker is a [read.Handler] that ends at the first evidence.
type looker struct{ packed bool }

// Format implements [read.Handler].
func (l *looker) Format(_ string, f read.Format, _ string) error {
	l.packed = l.packed || f.Packs()
	return nil
}

// Record implements [read.Handler].
func (*looker) Record(r *read.Record) error {
	if r.Kind == read.Bundle || r.Kind == read.Envelope || unwrap.HasTraces(r.Body) {
		return errFound
	}
	return nil
}

// Skip implements [read.Handler]. Content without a known format is no evidence.
func (l *looker) Skip(s read.Skip) error {
	entry, _ := finding.Lookup(s.Code)
	if s.Code == finding.SourceUnreadable { // so that it is examined, and left open
		return errFound
	}
	if l.packed && entry.Effect != finding.None && !entry.Foreign {
		return errFound
	}
	return nil
}

// examine walks logs, or the logs of a case.
func (j *Judge) examine(ctx context.Context, f File, kind Kind) (_ Judgement, err error) {
	select {
	case j.logs <- struct{}{}:
		defer func() { <-j.logs }()
	case <-ctx.Done():
		return Judgement{}, ctx.Err()
	}
	octets := &counted{hash: sha256.New(), want: f.SHA256}
	octets.Reader = io.TeeReader(io.NewSectionReader(f.Octets, 0, f.Size), octets.hash)
	var judged Judgement
	if kind == Case {
		judged, err = j.examineCase(ctx, octets)
	} else {
		judged, err = j.examineLogs(ctx, octets)
	}
	if err == nil {
		err = ctx.Err() // the result is then of a part
	}
	if err != nil {
		return Judgement{}, err
	}
	return judged, nil
}

// counted reads the bytes of a file, which must be unchanged.
type counted struct {
	io.Reader
	hash hash.Hash
	want [sha256.Size]byte
}

// whole returns an error unless the bytes that were read have the expected digest.
func (c *counted) whole() error {
	if !bytes.Equal(c.hash.Sum(nil), c.want[:]) {
		return ErrChanged
	}
	return nil
}

// examineCase examines a copy of a case.
func (j *Judge) examineCase(ctx context.Context, octets *counted) (judged Judgement, err error) {
	c, err := examine.NewCopy(j.o.TempDir)
	if err != nil {
		return judged, err
	}
	defer func() { err = errors.Join(err, c.Remove()) }()
	if err := c.Fill(ctx, octets); err != nil {
		return judged, err
	}
	if err := octets.whole(); err != nil {
		return judged, err
	}
	result, err := c.Examine(ctx, j.o.Root, examine.Options{Workers: j.o.Workers})
	if err != nil {
		return notWalked(ctx, err)
	}
	return judgementOf(Case, result), nil
}

// examineLogs examines evidence that is no case.
func (j *Judge) examineLogs(ctx context.Context, octets *counted) (judged Judgement, err error) {
	o := share.Options{Dir: j.o.TempDir, Options: ingest.Options{Stdin: octets, Workers: j.o.Workers}}
	e, err := examine.ReadPaths(ctx, []string{"-"}, j.o.Root, o)
	if err != nil {
		return judged, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := octets.whole(); err != nil {
		return judged, err
	}
	result, err := e.Examine(ctx, examine.Options{Workers: j.o.Workers})
	if err != nil {
		return judged, err
	}
	judged = judgementOf(Logs, result)
	judged.Facts.Evidence, err = evidenceSum(ctx, e.Content)
	return judged, err
}

// evidenceSum digests the events and documents in logs, and none of their places: the same evidence has
// the same digest, however it is packed.
func evidenceSum(ctx context.Context, c part.Content) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	for _, log := range c.Logs() {
		fmt.Fprintf(h, "log %q %q\n", log.TenantID, log.LogID)
		for event, err := range c.Copies(ctx, log, 0) {
			if err != nil {
				return sum, err
			}
			fmt.Fprintf(h, "event %d %x\n", event.Sequence, event.Digest)
		}
	}
	for document, err := range c.Documents(ctx) {
		if err != nil {
			return sum, err
		}
		fmt.Fprintf(h, "document %x\n", document.SHA256)
	}
	h.Sum(sum[:0])
	return sum, nil
}

// judgementOf returns the judgement that follows from a walk.
func judgementOf(kind Kind, r *verdict.Result) Judgement {
	judged := Judgement{Kind: kind, Verdict: outcome.Class(r.Verdict)}
	judged.Facts.walked(r)
	if why := r.Why(); why != nil {
		judged.Reason = why.Text
		if why.Finding != nil {
			judged.Code = why.Finding.Code
		}
	}
	return judged
}

// notWalked judges a case that could not be walked, unless the error is none of the case.
func notWalked(ctx context.Context, err error) (Judgement, error) {
	if ctx.Err() != nil || errors.Is(err, examine.ErrFull) {
		return Judgement{}, err
	}
	code, verdict, reason := CaseUnread, outcome.Inconclusive, "the case could not be walked"
	for _, bad := range []error{store.ErrAltered, store.ErrForeign, sqlite.ErrDamaged} {
		if errors.Is(err, bad) {
			code, verdict, reason = CaseDamaged, outcome.Rejected, "the case is damaged, or was altered"
		}
	}
	return Judgement{Kind: Case, Verdict: verdict, Code: code,
		Reason: reason + ": " + safetext.Line(err.Error())}, nil
}

// unsettled reports whether a file is one that SQLite writes next to a database, with pages
// that are not, or no longer, in it.
func (f File) unsettled() (bool, error) {
	const header, walMagic, journalMagic = 32, 0x377f0682, 0xd9d505f920a163d7
	head := make([]byte, 8)
	n, err := f.Octets.ReadAt(head, 0)
	if n < len(head) || f.Size <= header {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	wal := binary.BigEndian.Uint32(head)&^1 == walMagic
	return wal || binary.BigEndian.Uint64(head) == journalMagic, nil
}

// unsettled is the judgement on such a file.
func unsettled() Judgement {
	return Judgement{Kind: Case, Verdict: outcome.Inconclusive, Code: CaseUnread,
		Reason: "it has pages of a case that was not closed, which the case next to it lacks"}
}
