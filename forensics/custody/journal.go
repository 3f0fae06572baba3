package custody

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

// Journal is the readable entries of a case, and the faults, as far as they are listed.
type Journal struct {
	Entries []Entry `json:"entries"`
	Head    *Head   `json:"head,omitempty"` // nil: there is no entry
	Faults  []Fault `json:"faults"`

	hashes map[int64]string // digests of the documents
	id     string           // of the first one
	lost   *Head            // that the next entry names as missing
}

// Fault is something that does not fit.
type Fault struct {
	Entry int64  `json:"entry,omitempty"` // 0: about none
	What  What   `json:"what"`
	Text  string `json:"text"`
}

// Sentence describes the fault, without a full stop.
func (f Fault) Sentence() string {
	if f.Entry == 0 {
		return f.Text
	}
	return fmt.Sprintf("entry %d: %s", f.Entry, f.Text)
}

// What names the kind of a fault.
type What string

// The kinds of faults.
const (
	Malformed  What = "malformed"   // the entry is none
	Unchained  What = "unchained"   // its number, its digest or the entry before it is another one
	Cut        What = "cut"         // the journal lacks an entry that the user's state remembers
	CutEarlier What = "cut-earlier" // an entry states that one was missing when it was made
	OtherWalk  What = "other-walk"  // the case has another result of the walk, or none
	NoEntry    What = "no-entry"    // a walk has no entry
	NoSource   What = "no-source"   // a source is not in the case
)

// mostFaults bounds the faults that are listed, and mostEntries the numbers of entries, so that there
// is always a next one.
const (
	mostFaults  = 64
	mostEntries = 1 << 40
)

func (j *Journal) addFault(entry int64, what What, format string, args ...any) {
	if len(j.Faults) < mostFaults {
		j.Faults = append(j.Faults, Fault{entry, what, fmt.Sprintf(format, args...)})
	}
}

// NewJournal returns a journal without entries.
func NewJournal() *Journal {
	return &Journal{Entries: []Entry{}, Faults: []Fault{}, hashes: map[int64]string{}}
}

// AddRow adds the next row of a case, ascending by number, with the digest that is in the row.
func (j *Journal) AddRow(number int64, doc, digest []byte) {
	if number < 1 || number > mostEntries {
		j.addFault(0, Malformed, "a row has a number that no entry has")
		return
	}
	before, octets := Head{}, sha256.Sum256(doc)
	sum := form.EncodeHex(octets[:])
	if j.Head != nil {
		before = *j.Head
	} else {
		j.id = sum
	}
	e, err := parseEntry(doc)
	switch {
	case err != nil:
		j.addFault(number, Malformed, "%s", err)
	case number != before.Number+1, e.Number != number, e.Previous != before.SHA256, form.EncodeHex(digest) != sum:
		j.addFault(number, Unchained, "its number, its digest or the entry before it is another one than it says")
	}
	j.Head, j.hashes[number] = &Head{number, sum}, sum
	if err != nil {
		return
	}
	j.Entries = append(j.Entries, e)
	if j.lost = nil; e.Lost != nil {
		j.addFault(number, CutEarlier, "when it was made, entry %d of sha256 %s, which its maker knew, was not there",
			e.Lost.Number, e.Lost.SHA256)
	}
}

// Notes returns the entries with a note about a subject, in their order.
func (j *Journal) Notes(about Subject) (notes []Entry) {
	for _, e := range j.Entries {
		if e.Note != nil && e.Note.Subject == about {
			notes = append(notes, e)
		}
	}
	return notes
}

// At returns the head of the journal, to remember it for a place.
func (j *Journal) At(place string) userkey.Head {
	if j.Head == nil {
		return userkey.Head{Place: place}
	}
	return userkey.Head{Place: place, Case: j.id, SHA256: j.Head.SHA256, Number: j.Head.Number}
}

// Lacks reports whether the journal lacks the head that a user's state remembers, and adds a
// fault. The head of the place counts, if it is of this journal; else the highest that is remembered of
// this journal, or else of another one at this place.
func (j *Journal) Lacks(place string, known []userkey.Head) bool {
	best, rank := userkey.Head{}, 0
	for _, k := range known {
		of := 0
		switch {
		case k.Place == place && k.Case == j.id:
			of = 3
		case k.Case == j.id:
			of = 2
		case k.Place == place:
			of = 1
		}
		if of > rank || of == rank && of > 0 && k.Number > best.Number {
			best, rank = k, of
		}
	}
	if rank == 0 || j.hashes[best.Number] == best.SHA256 {
		return false
	}
	j.lost = &Head{best.Number, best.SHA256}
	j.addFault(0, Cut, "entry %d of sha256 %s, which you knew, is not there: it was removed or changed, or this is an "+
		"older copy or another case", best.Number, best.SHA256)
	return true
}

// Lost is the head that the next entry names as missing, or nil.
func (j *Journal) Lost() *Head { return j.lost }

// Presence is the results and sources that a case has, for a comparison with its journal.
type Presence struct {
	Walks   map[int64]string // the digests of results, by the number of the walk
	Sources map[string]bool  // the digests of sources
}

// Compare adds a fault for each entry that does not fit the case.
func (j *Journal) Compare(has Presence) {
	entered, earlier := map[int64]bool{}, int64(0)
	gone, certain := map[string]bool{}, true // sources that later entries replaced, if all are listed
	for _, e := range slices.Backward(j.Entries) {
		earlier = max(earlier, e.Earlier)
		if w := e.Walk; w != nil {
			if entered[w.Number] = true; has.Walks[w.Number] != w.Result {
				j.addFault(e.Number, OtherWalk, "the case has another result of walk %d, or none", w.Number)
			}
		}
		if e.Replaced != nil {
			certain = certain && e.Replaced.Count == int64(len(e.Replaced.Digests))
			for _, d := range e.Replaced.Digests {
				gone[d] = true
			}
		}
		if e.Added == nil || !certain {
			continue
		}
		for _, d := range e.Added.Digests {
			if !has.Sources[d] && !gone[d] {
				j.addFault(e.Number, NoSource, "the source of sha256 %s, which it added, is not in the case", d)
			}
		}
	}
	for _, walk := range slices.Sorted(maps.Keys(has.Walks)) {
		if walk > earlier && !entered[walk] && j.Head != nil {
			j.addFault(0, NoEntry, "walk %d has no entry", walk)
		}
	}
}
