package batch

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Expected describes the entries that must be there, and no others. The zero value asks for
// nothing.
type Expected struct {
	Count        *int64        // of entries, copies counted once; nil for any
	Digests      *ExpectedList // of documents, whatever they are; nil for any
	Transactions *ExpectedList // of proven bundles; nil for any
}

// takes records that an entry is there, and reports whether it is expected.
func (e *Expected) takes(record *Record, sum [sha256.Size]byte) bool {
	ok := e.Digests == nil || e.Digests.Digest(sum)
	if e.Transactions != nil && record.TransactionID != "" && !e.Transactions.Transaction(record.TransactionID) {
		return false
	}
	return ok
}

// setFindings sets the findings about the set: entries that are missing, unexpected or of
// another number, and an empty set.
func (r *Result) setFindings(o Options) []finding.InDocument {
	all := []finding.InDocument{}
	e := r.Summary.Entries
	n := e.Seen - e.Doubled
	if want := o.Expected.Count; want != nil && *want != n {
		code, found := SetMissing, strconv.FormatInt(n, 10)
		if n > *want {
			code = SetUnexpected
		}
		if e.Doubled > 0 {
			found += fmt.Sprintf(", and %d that repeat one of them", e.Doubled)
		}
		all = append(all, newSetFinding(code, strconv.FormatInt(*want, 10), found))
	}
	if list := o.Expected.Digests; list != nil {
		for item := range list.Missing() {
			all = append(all, newSetFinding(SetMissing, fmt.Sprintf("%s with SHA-256 %s", safetext.Quote(item.Name), item.Hex()),
				"no entry with it"))
		}
	}
	if list := o.Expected.Transactions; list != nil {
		for item := range list.Missing() {
			all = append(all, newSetFinding(SetMissing, "transaction "+safetext.Quote(item.Name), "no proof of it"))
		}
	}
	if e.Seen == 0 {
		all = append(all, newSetFinding(SetEmpty, "at least one entry", "none"))
	}
	return all
}

func newSetFinding(code finding.Code, expected, found string) finding.InDocument {
	f := finding.OfObject(code, "", "", "expected "+expected+", found "+found)
	f.Expected, f.Found = expected, found
	return f
}
