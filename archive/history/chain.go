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

// Finding is one thing that is wrong with a history, or is not there.
type Finding struct {
	Code     finding.Code `json:"code"`
	Path     string       `json:"path"` // RFC 6901, from the index of the line; or the name of a file
	Expected string       `json:"expected"`
	Found    string       `json:"found"`
}

// Sentence returns the finding in words, safe to show and cut.
func (f Finding) Sentence() string {
	entry, _ := finding.Lookup(f.Code)
	return finding.Fill(entry.Text(), "{expected}", f.Expected, "{found}", f.Found)
}

// signed is an entry whose signatures hold.
type signed struct {
	Entry
	signer string // the name that --seal-trust has for the keys
}

// chain verifies the entries (SPEC 18.3), up to the first that does not hold: nothing
// after it follows from what was verified.
func chain(doc []byte, trusted *sealkey.Trust) (held []signed, findings []Finding) {
	entries, fault := Parse(doc)
	for i := range entries {
		e := &entries[i]
		f := link(held, e)
		pin, refusal := trusted.Open(Protocol, e.envelope)
		switch {
		case refusal != nil:
			f = (*Finding)(refusal)
		case f != nil:
		default:
			f = (*Finding)(pin.At(e.From, e.envelope))
		}
		if f != nil {
			f.Path = "/" + strconv.Itoa(i) + f.Path
			return held, []Finding{*f}
		}
		held = append(held, signed{*e, pin.Name})
	}
	if fault != nil {
		findings = append(findings, malformed(fault))
	}
	return held, findings
}

func malformed(f *ijson.Fault) Finding {
	return Finding{HistoryMalformed, f.Path, f.Expected, f.Found}
}

// link compares an entry with the one before it.
func link(held []signed, e *Entry) *Finding {
	var previous [sha256.Size]byte
	if n := len(held); n > 0 {
		last := &held[n-1]
		previous = last.Digest
		if !e.From.After(last.From) {
			return &Finding{HistoryOrder, "/statement/in_force_from", "a time after " + form.FormatTime(last.From),
				form.FormatTime(e.From)}
		}
	}
	if want := int64(len(held)) + 1; e.Number != want {
		return &Finding{HistoryOrder, "/statement/number", strconv.FormatInt(want, 10),
			strconv.FormatInt(e.Number, 10)}
	}
	if e.Previous != previous {
		return &Finding{HistoryOrder, "/statement/previous_sha256", hex.EncodeToString(previous[:]),
			hex.EncodeToString(e.Previous[:])}
	}
	return nil
}
