package unwrap

import (
	"bytes"

	"github.com/svc-edge/svc-verify/chain/event"
)

// An event in a JSON string begins and ends so: within it, every quotation mark has a backslash
// before it.
const (
	quotedStart = `"{\"body\":{\"data\":`
	quotedEnd   = `}"`
)

// mostAround is the largest size of the text around an event that [findQuoted] finds.
const mostAround = 1 << 12

// findQuoted finds the evidence in a text that is one event in a JSON string, canonical and with
// the right hash, and around it nothing that may be evidence. Most rows of tables are such, and
// the whole search costs three times as much. For any other text it reports false, and has found
// nothing.
func findQuoted(f *Finder, text []byte) bool {
	from := bytes.Index(text, []byte(quotedStart)) + 1
	if from == 0 || f.BetweenDigits {
		return false
	}
	to := from + bytes.Index(text[from:], []byte(quotedEnd)) + 1
	if to == from || len(text)-(to-from) > mostAround {
		return false
	}
	f.kept = AppendUnescaped(f.kept[:0], text[from:to])
	var line event.Line
	if !event.Scan(f.kept, &line) || line.Link.Hash() != line.Recorded {
		return false
	}
	f.around = append(append(f.around[:0], text[:from]...), text[to:]...)
	other := mayHold(f, &view{text: f.around})
	f.Forget()
	if !other {
		f.result = Result{Matches: append(f.result.Matches[:0], Match{Kind: Event, Body: f.kept, Start: from, End: to,
			Steps: []string{backslash.name}, Holds: true}), Pieces: f.result.Pieces[:0], Open: -1}
	}
	return !other
}
