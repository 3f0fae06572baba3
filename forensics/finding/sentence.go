package finding

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// longest bounds one value in a sentence: a message is read by people.
const longest = 400

// fill puts a finding's values into a sentence of the registry. Values from the
// evidence are made safe to show and cut. It goes over the template once, so
// that a value that looks like an argument stays what it is.
func fill(template string, f Finding) string {
	return strings.NewReplacer(
		"{log}", shown(f.LogID),
		"{events}", events(f),
		"{sequence}", strconv.FormatUint(f.Sequence, 10),
		"{last}", strconv.FormatUint(f.LastSequence, 10),
		"{expected}", shown(f.Expected),
		"{found}", shown(f.Found),
	).Replace(template)
}

// Lead returns the sentence of a finding without what was expected and found.
func (f Finding) Lead() string {
	entry, _ := Lookup(f.Code)
	lead, _, cut := strings.Cut(entry.Sentence, ": expected ")
	if cut {
		lead += "."
	}
	return fill(lead, f)
}

// About names what a finding blames, safe to show: the store, the source that it
// was found in, or the log.
func (f Finding) About() string {
	switch {
	case f.Store != "":
		return safetext.Quote(f.Store)
	case f.Subject() == Source && len(f.Evidence) > 0 && f.Evidence[0].Source != "":
		return safetext.Quote(f.Evidence[0].Source)
	case f.LogID != "":
		return safetext.Quote(f.LogID)
	case len(f.Evidence) > 0:
		return safetext.Quote(f.Evidence[0].Source)
	}
	return "the case"
}

// events names the events that a finding is about.
func events(f Finding) string {
	first, last := strconv.FormatUint(f.Sequence, 10), strconv.FormatUint(f.LastSequence, 10)
	if f.Sequence == 0 {
		return "further events"
	}
	if f.Count() <= 1 {
		return "event " + first
	}
	return "events " + first + " to " + last + " (" + strconv.FormatUint(f.Count(), 10) + ")"
}

func shown(s string) string {
	if len(s) > longest {
		s = s[:longest] + "..."
	}
	return safetext.Line(s)
}

// Name writes a source and the way through its archives for people, safe to show.
func (e Evidence) Name() string {
	if e.Container == "" {
		return safetext.Quote(e.Source)
	}
	return safetext.Quote(e.Source) + "!" + safetext.Quote(e.Container)
}

// Text writes a place for people, safe to show: the source, the way through its
// archives, the bytes.
func (e Evidence) Text() string {
	where := e.Name()
	if e.Length == 0 {
		return where
	}
	return fmt.Sprintf("%s, bytes %d to %d", where, e.Offset, e.Offset+e.Length-1)
}
