package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
)

// ExpectedList contains the expected digests or transactions. It must come from [ReadDigests] or
// [ReadTransactions], and be used by one goroutine at a time. A digest or a transaction that
// is listed or found more than once is one. The digest decides; its name is for messages.
type ExpectedList struct {
	items []item // ascending by key
	text  []byte // the names of the items
}

// item is one line of a list. Its key is a digest, or the digest of a transaction's id.
type item struct {
	key        [sha256.Size]byte
	begin, end int64 // of its name in the text
	line       int64
	found      bool
}

// Item is one line of a list.
type Item struct {
	SHA256 [sha256.Size]byte // in a list of digests
	Name   string            // of the file with that digest, or the id of the transaction
	Line   int64             // from 1
}

// Digest notes that a document with a digest is there, and reports whether it is
// expected.
func (l *ExpectedList) Digest(sum [sha256.Size]byte) bool {
	i, ok := slices.BinarySearchFunc(l.items, sum, func(i item, key [sha256.Size]byte) int {
		return bytes.Compare(i.key[:], key[:])
	})
	if ok {
		l.items[i].found = true
	}
	return ok
}

// Transaction notes that a proof of a transaction is there, and reports whether it is
// expected.
func (l *ExpectedList) Transaction(id string) bool { return l.Digest(sha256.Sum256([]byte(id))) }

// Missing returns the items that were not found, in the order of the list.
func (l *ExpectedList) Missing() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		var missing []int
		for i := range l.items {
			if !l.items[i].found {
				missing = append(missing, i)
			}
		}
		slices.SortFunc(missing, func(a, b int) int { return int(l.items[a].line - l.items[b].line) })
		for _, i := range missing {
			m := l.items[i]
			if !yield(Item{SHA256: m.key, Name: string(l.text[m.begin:m.end]), Line: m.line}) {
				return
			}
		}
	}
}

// add adds a line.
func (l *ExpectedList) add(key [sha256.Size]byte, name []byte, line int64) {
	begin := int64(len(l.text))
	l.text = append(l.text, name...)
	l.items = append(l.items, item{key: key, begin: begin, end: int64(len(l.text)), line: line})
}

// sort orders the items, and removes those that repeat an earlier one.
func (l *ExpectedList) sort() {
	slices.SortStableFunc(l.items, func(a, b item) int { return bytes.Compare(a.key[:], b.key[:]) })
	l.items = slices.CompactFunc(l.items, func(a, b item) bool { return a.key == b.key })
}

// Hex is the digest as it is written.
func (i Item) Hex() string { return hex.EncodeToString(i.SHA256[:]) }
