package history

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// signed is an entry whose signatures hold.
type signed struct {
	Entry
	signer string // the name that --seal-trust has for the keys
}

// chain verifies the entries (SPEC 18.3), up to the first that does not hold: nothing
// after it follows from what was verified.
func chain(doc []byte, trusted *sealkey.Trust) (held []signed, findings []finding.InDocument) {
	entries, fault := Parse(doc)
	for i := range entries {
		e := &entries[i]
		f := link(held, e)
		pin, refusal := trusted.Open(Protocol, e.envelope)
		switch {
		case refusal != nil:
			f = refusal
		case f != nil:
		default:
			f = pin.At(e.From, e.envelope)
		}
		if f != nil {
			f.Path = "/" + strconv.Itoa(i) + f.Path
			return held, []finding.InDocument{*f}
		}
		held = append(held, signed{*e, pin.Name})
	}
	if fault != nil {
		findings = append(findings, malformed(fault))
	}
	return held, findings
}

func malformed(f *ijson.Fault) finding.InDocument {
	return finding.At(HistoryMalformed, f.Path, f.Expected, f.Found)
}

// refuseEntry returns a finding about an entry.
func refuseEntry(code finding.Code, path, expected, found string) *finding.InDocument {
	f := finding.At(code, path, expected, found)
	return &f
}

// link compares an entry with the one before it.
func link(held []signed, e *Entry) *finding.InDocument {
	var previous [sha256.Size]byte
	if n := len(held); n > 0 {
		last := &held[n-1]
		previous = last.Digest
		if !e.From.After(last.From) {
			return refuseEntry(HistoryOrder, "/statement/in_force_from", "a time after "+form.FormatTime(last.From),
				form.FormatTime(e.From))
		}
	}
	if want := int64(len(held)) + 1; e.Number != want {
		return refuseEntry(HistoryOrder, "/statement/number", strconv.FormatInt(want, 10),
			strconv.FormatInt(e.Number, 10))
	}
	if e.Previous != previous {
		return refuseEntry(HistoryOrder, "/statement/previous_sha256", hex.EncodeToString(previous[:]),
			hex.EncodeToString(e.Previous[:]))
	}
	return nil
}
