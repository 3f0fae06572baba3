package block

import (
	"bytes"
	"cmp"
	"strings"
)

// ComparePlace orders places.
func ComparePlace(a, b *Place) int {
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

// CompareArrival orders the arrivals of a copy.
func CompareArrival(a, b *Arrival) int {
	if c := ComparePlace(&a.Place, &b.Place); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Fidelity, b.Fidelity), strings.Compare(a.Batch, b.Batch),
		cmp.Compare(a.ObservedAt, b.ObservedAt))
}

// CompareCopy orders copies of a log. Copies whose digests begin alike differ in
// something else, or they are one.
func CompareCopy(a, b *Copy) int {
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
