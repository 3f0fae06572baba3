package custody

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Protocol is the protocol identifier of an entry.
const Protocol = "svc.custody.v1"

// The limits of an entry (SPEC 21.1).
const (
	MaxEntry   = 64 << 10 // bytes
	MaxText    = 4096     // bytes of the text of a note
	MaxName    = 1024     // bytes of the name of a subject or an author
	MaxTag     = 64       // bytes of a tag
	MaxTags    = 16
	MaxDigests = 512 // sources that are listed
)

// Entry is one entry of a journal. Its document is canonical JSON.
type Entry struct {
	Protocol string `json:"protocol"`
	Number   int64  `json:"number"`             // from 1
	Previous string `json:"previous,omitempty"` // digest of the entry before; "" for the first
	Time     string `json:"time"`               // by the clock of the machine
	Command  string `json:"command"`            // without the program's name
	Version  string `json:"version"`            // of the program

	// Earlier is the newest walk that is older than the journal; only the first entry has it.
	Earlier int64 `json:"earlier_walks,omitempty"`
	// Lost is the head that the user's state remembered and the journal lacked.
	Lost *Head `json:"lost,omitempty"`

	Added    *Sources `json:"added,omitempty"`    // to the case
	Replaced *Sources `json:"replaced,omitempty"` // by others, and removed from the case
	Walk     *Walk    `json:"walk,omitempty"`
	Note     *Note    `json:"note,omitempty"`
}

// Head names an entry, and with it all entries before.
type Head struct {
	Number int64  `json:"number"`
	SHA256 string `json:"sha256"`
}

// Sources are sources of a case. Of many, the first [MaxDigests] are listed.
type Sources struct {
	Count   int64    `json:"count"`
	Digests []string `json:"sha256,omitempty"` // ascending
}

// SourcesOf lists sources by their digests, each once.
func SourcesOf(digests []chain.Hash) *Sources {
	all := slices.Clone(digests)
	slices.SortFunc(all, func(a, b chain.Hash) int { return bytes.Compare(a[:], b[:]) })
	all = slices.Compact(all)
	s := &Sources{Count: int64(len(all))}
	for _, d := range all[:min(len(all), MaxDigests)] {
		s.Digests = append(s.Digests, d.String())
	}
	return s
}

// Walk is the result of a walk.
type Walk struct {
	Number   int64  `json:"number"`
	Trust    string `json:"trust_sha256"`
	Verdict  string `json:"verdict"`
	Findings int64  `json:"findings"`
	Result   string `json:"result_sha256"` // over everything that the case keeps of the walk
}

// Note is a person's note about a subject.
type Note struct {
	Subject   Subject  `json:"subject"`
	By        string   `json:"by,omitempty"`
	Text      string   `json:"text,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	Explained bool     `json:"explained,omitempty"`
}

// Subject is the subject of a note.
type Subject struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
}

// Kind is the kind of a subject.
type Kind string

// The kinds of subjects, and their names.
const (
	OfIncident    Kind = "incident"    // its name
	OfEvent       Kind = "event"       // log and sequence, with a colon between
	OfSource      Kind = "source"      // its digest
	OfTransaction Kind = "transaction" // its id
)

// AboutEvent is the subject of notes about an event.
func AboutEvent(logID string, sequence uint64) Subject {
	return Subject{OfEvent, fmt.Sprintf("%s:%d", logID, sequence)}
}

// Check returns an error if a note cannot be kept.
func (n *Note) Check() error {
	switch {
	case !slices.Contains([]Kind{OfIncident, OfEvent, OfSource, OfTransaction}, n.Subject.Kind),
		!form.IsLine(n.Subject.Name, MaxName):
		return fmt.Errorf("a subject that has no kind, or a name that is not 1 to %d octets", MaxName)
	case n.By != "" && !form.IsLine(n.By, MaxName):
		return fmt.Errorf("the author: expected 1 to %d octets of UTF-8 without control characters", MaxName)
	case n.Text != "" && !form.IsLine(n.Text, MaxText):
		return fmt.Errorf("the text: expected 1 to %d octets of UTF-8 without control characters", MaxText)
	case len(n.Tags) > MaxTags, slices.ContainsFunc(n.Tags, func(t string) bool { return !form.IsLine(t, MaxTag) }):
		return fmt.Errorf("the tags: expected at most %d, each 1 to %d octets of UTF-8 without control characters",
			MaxTags, MaxTag)
	case n.Text == "" && len(n.Tags) == 0 && !n.Explained:
		return errors.New("it says nothing")
	}
	return nil
}

// Document returns the entry as a document, and its digest.
func (e *Entry) Document() ([]byte, chain.Hash, error) {
	doc, err := form.MarshalCanonical(e)
	if err == nil && len(doc) > MaxEntry {
		err = fmt.Errorf("an entry of %d octets", len(doc))
	}
	return doc, sha256.Sum256(doc), err
}

// parseEntry reads the document of an entry, which must be the one that its members give.
func parseEntry(doc []byte) (e Entry, err error) {
	if len(doc) > MaxEntry {
		return e, fmt.Errorf("it has more than %d octets", MaxEntry)
	}
	if !ijson.IsCanonical(doc) || json.Unmarshal(doc, &e) != nil {
		return e, errors.New("it is no entry in canonical form")
	}
	if again, _, err := e.Document(); err != nil || !bytes.Equal(again, doc) {
		return e, errors.New("it has members that no entry has")
	}
	return e, e.checkValues()
}

// checkValues returns an error if a value of an entry is outside of its limits.
func (e *Entry) checkValues() error {
	if _, ok := form.Time(e.Time); !ok || e.Protocol != Protocol || e.Number < 1 || e.Earlier < 0 ||
		(e.Number == 1) != (e.Previous == "") || !form.IsLine(e.Command, MaxTag) || !form.IsLine(e.Version, MaxTag) {
		return errors.New("a member has another form")
	}
	digests := []string{}
	if e.Previous != "" {
		digests = append(digests, e.Previous)
	}
	for _, s := range []*Sources{e.Added, e.Replaced} {
		if s != nil {
			digests = append(digests, s.Digests...)
			if int64(len(s.Digests)) != min(s.Count, MaxDigests) {
				return errors.New("it lists more or fewer sources than it counts")
			}
		}
	}
	if e.Lost != nil {
		digests = append(digests, e.Lost.SHA256)
	}
	if w := e.Walk; w != nil {
		digests = append(digests, w.Trust, w.Result)
		if w.Number < 1 || w.Findings < 0 || !form.IsLine(w.Verdict, MaxTag) {
			return errors.New("its walk has another form")
		}
	}
	if slices.ContainsFunc(digests, func(s string) bool { _, ok := form.Digest(s); return !ok }) {
		return errors.New("a digest is not 64 lower-case hex digits")
	}
	if e.Note != nil {
		return e.Note.Check()
	}
	return nil
}
