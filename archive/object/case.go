package object

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/outcome"
)

// notWalked judges a case that could not be walked; false if the error is none of
// the case.
func notWalked(ctx context.Context, err error) (Judgement, bool) {
	if ctx.Err() != nil || errors.Is(err, examine.ErrFull) {
		return Judgement{}, false
	}
	code, verdict, reason := CaseUnread, outcome.Inconclusive, "the case could not be walked"
	for _, bad := range []error{store.ErrAltered, store.ErrForeign, sqlite.ErrDamaged} {
		if errors.Is(err, bad) {
			code, verdict, reason = CaseDamaged, outcome.Rejected, "the case is damaged, or was altered"
		}
	}
	return Judgement{Kind: Case, Verdict: verdict, Code: code,
		Reason: reason + ": " + safetext.Line(err.Error())}, true
}

// unsettled reports whether a file is what SQLite writes beside a database, with
// pages that are not, or no longer, in it.
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
		Reason: "it has pages of a case that was not closed, which the case beside it lacks"}
}
