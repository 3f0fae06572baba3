package part

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
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

func compareSkip(a, b *Skip) int {
	return cmp.Or(block.ComparePlace(&a.Place, &b.Place), strings.Compare(a.Code, b.Code),
		strings.Compare(a.Detail, b.Detail))
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
