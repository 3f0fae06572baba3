package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Protocol is the protocol of an entry (SPEC 18.2).
const Protocol = "svc.trust-history.v1"

// The limits of a history (SPEC 18.1).
const (
	MaxEntries = 4096
	MaxLine    = 16 << 10 // bytes of an entry
	MaxFile    = MaxEntries * (MaxLine + 1)
)

// Entry states that a trust file is in force from a time on.
type Entry struct {
	Number   int64
	Previous [sha256.Size]byte // the digest of the entry before; zeros for the first
	Trust    [sha256.Size]byte // of the bytes of the trust file
	Size     int64             // the number of its bytes
	From     time.Time         // in force from then on, until the next version is
	By       string            // who put it in force
	Reason   string            // and why

	Digest   [sha256.Size]byte // of the statement
	envelope sealkey.Envelope
	signer   string // the name that --seal-trust has for the keys, once the signatures hold
}

// describeMembers describes the statement of an entry (SPEC 18.2).
func (e *Entry) describeMembers(m *codec.Members, signer *sealkey.ID) {
	run.PackText(m, "by", &e.By)
	m.Time("in_force_from", &e.From)
	codec.Number(m, "number", &e.Number, 1, MaxEntries)
	m.Hash("previous_sha256", &e.Previous)
	m.Protocol(Protocol)
	run.PackText(m, "reason", &e.Reason)
	m.Inner("signer", signer.DescribeMembers)
	m.Hash("trust_sha256", &e.Trust)
	codec.Number(m, "trust_size", &e.Size, 1, form.MaxTrust)
}

// Sign returns the line of an entry, with its line feed. Digest is set.
func (e *Entry) Sign(k *sealkey.Key) ([]byte, error) {
	line, err := k.Wrap(Protocol, e.describeMembers)
	if err != nil {
		return nil, err
	}
	signed, fault := parseLine(line)
	if fault != nil {
		return nil, fault
	}
	*e = signed
	return append(line, '\n'), nil
}

// Parse reads the file of the entries, which may be hostile. It returns the entries
// before the first that has not its form, and that fault, whose path begins with the
// index of the line. Nothing is verified.
func Parse(doc []byte) ([]Entry, *ijson.Fault) {
	if len(doc) > MaxFile {
		return nil, &ijson.Fault{Code: form.TooLarge, Offset: MaxFile, Expected: fmt.Sprintf("at most %d octets", MaxFile),
			Found: strconv.Itoa(len(doc))}
	}
	var entries []Entry
	for offset := 0; offset < len(doc); {
		at := "/" + strconv.Itoa(len(entries))
		line, _, ended := bytes.Cut(doc[offset:], []byte("\n"))
		switch {
		case len(entries) == MaxEntries:
			return entries, &ijson.Fault{Code: form.BadValue, Path: at, Offset: offset,
				Expected: fmt.Sprintf("at most %d entries", MaxEntries), Found: "more"}
		case !ended:
			return entries, &ijson.Fault{Code: ijson.CodeSyntax, Path: at, Offset: len(doc), Expected: "a line feed",
				Found: "the end of the file"}
		}
		e, fault := parseLine(line)
		if fault != nil {
			fault.Path, fault.Offset = at+fault.Path, offset+fault.Offset
			return entries, fault
		}
		entries = append(entries, e)
		offset += len(line) + 1
	}
	return entries, nil
}

// parseLine reads one entry, without its line feed.
func parseLine(line []byte) (e Entry, fault *ijson.Fault) {
	err := form.ReadCanonical(line, MaxLine, func(r *form.Reader, v *ijson.Value) {
		e.envelope = sealkey.ReadEnvelope(r, v, e.describeMembers)
	})
	if errors.As(err, &fault) {
		return Entry{}, fault
	}
	e.Digest = sha256.Sum256(e.envelope.Statement.Canonical())
	return e, nil
}

// Linked reads the entries, and returns a finding unless each continues the one before. No signature
// is verified.
func Linked(doc []byte) ([]Entry, *finding.InDocument) {
	entries, _, f := readChain(doc, func(_ *Entry, link *finding.InDocument) *finding.InDocument { return link })
	return entries, f
}

// chain verifies the entries (SPEC 18.3), and returns those before the first that does not hold: nothing
// after it follows from the verified entries.
func chain(doc []byte, trusted *sealkey.Trust) ([]Entry, *finding.InDocument) {
	entries, held, f := readChain(doc, func(e *Entry, link *finding.InDocument) *finding.InDocument {
		pin, refusal := trusted.Open(Protocol, e.envelope)
		e.signer = pin.Name
		switch {
		case refusal != nil:
			return refusal
		case link != nil:
			return link
		}
		return pin.At(e.From, e.envelope)
	})
	return entries[:held], f
}

// readChain reads the entries, and calls judge with each and the fault of its link to the ones before it.
// It returns how many there are before the first finding.
func readChain(doc []byte, judge func(e *Entry, link *finding.InDocument) *finding.InDocument) (entries []Entry,
	held int, _ *finding.InDocument) {
	entries, fault := Parse(doc)
	for i := range entries {
		if f := judge(&entries[i], linkFault(entries[:i], &entries[i])); f != nil {
			f.Path = "/" + strconv.Itoa(i) + f.Path
			return entries, i, f
		}
	}
	if fault != nil {
		return entries, len(entries), refuseEntry(HistoryMalformed, fault.Path, fault.Expected, fault.Found)
	}
	return entries, len(entries), nil
}

// refuseEntry returns a finding about an entry.
func refuseEntry(code finding.Code, path, expected, found string) *finding.InDocument {
	f := finding.At(code, path, expected, found)
	return &f
}

// linkFault compares an entry with the ones before it.
func linkFault(before []Entry, e *Entry) *finding.InDocument {
	var previous [sha256.Size]byte
	if n := len(before); n > 0 {
		last := &before[n-1]
		previous = last.Digest
		if !e.From.After(last.From) {
			return refuseEntry(HistoryOrder, "/statement/in_force_from", "a time after "+form.FormatTime(last.From),
				form.FormatTime(e.From))
		}
	}
	if want := int64(len(before)) + 1; e.Number != want {
		return refuseEntry(HistoryOrder, "/statement/number", strconv.FormatInt(want, 10),
			strconv.FormatInt(e.Number, 10))
	}
	if e.Previous != previous {
		return refuseEntry(HistoryOrder, "/statement/previous_sha256", hex.EncodeToString(previous[:]),
			hex.EncodeToString(e.Previous[:]))
	}
	return nil
}
