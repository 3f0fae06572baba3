package part

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// The orders of records. None has two that are equal in theirs.

func compareShare(a, b *Share) int {
	return cmp.Or(bytes.Compare(a.Source[:], b.Source[:]), cmp.Compare(a.Range.From, b.Range.From),
		cmp.Compare(a.Range.To, b.Range.To))
}

func comparePath(a, b Path) int {
	return cmp.Or(strings.Compare(a.Given, b.Given), strings.Compare(a.Absolute, b.Absolute))
}

func compareUnread(a, b *facts.Unread) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Code, b.Code),
		strings.Compare(a.Detail, b.Detail))
}

func comparePlace(a, b *Place) int {
	switch {
	case a.Share != b.Share:
		return cmp.Compare(a.Share, b.Share)
	case a.Record != b.Record:
		return cmp.Compare(a.Record, b.Record)
	case a.Container != b.Container:
		return cmp.Compare(a.Container, b.Container)
	case a.Offset != b.Offset:
		return cmp.Compare(a.Offset, b.Offset)
	}
	return cmp.Compare(a.Length, b.Length)
}

func compareArrival(a, b *Arrival) int {
	if c := comparePlace(&a.Place, &b.Place); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Fidelity, b.Fidelity), strings.Compare(a.Batch, b.Batch),
		cmp.Compare(a.ObservedAt, b.ObservedAt))
}

func compareSkip(a, b *Skip) int {
	return cmp.Or(comparePlace(&a.Place, &b.Place), strings.Compare(a.Code, b.Code), strings.Compare(a.Detail, b.Detail))
}

func compareDocument(a, b *Document) int {
	return cmp.Or(bytes.Compare(a.SHA256[:], b.SHA256[:]), strings.Compare(a.Kind, b.Kind))
}

func compareStatement(a, b *Statement) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), bytes.Compare(a.Digest[:], b.Digest[:]),
		strings.Compare(a.Type, b.Type), strings.Compare(a.TransactionID, b.TransactionID))
}

func compareBatch(a, b *Batch) int {
	return cmp.Or(strings.Compare(a.ID, b.ID), a.Log.Compare(b.Log), cmp.Compare(a.First, b.First))
}

// compareCopy orders copies of a log. Copies whose digests begin alike differ in
// something else, or they are one.
func compareCopy(a, b *Copy) int {
	if a.Sequence != b.Sequence {
		return cmp.Compare(a.Sequence, b.Sequence)
	}
	if c := bytes.Compare(a.Digest[:], b.Digest[:]); c != 0 {
		return c
	}
	return cmp.Or(bytes.Compare(a.Recorded[:], b.Recorded[:]), bytes.Compare(a.Computed[:], b.Computed[:]),
		bytes.Compare(a.Previous[:], b.Previous[:]), bytes.Compare(a.Skip[:], b.Skip[:]),
		strings.Compare(a.KeyID, b.KeyID), strings.Compare(a.Type, b.Type),
		cmp.Compare(a.OccurredAt, b.OccurredAt), cmp.Compare(a.Signed, b.Signed))
}
