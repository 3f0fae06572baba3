package finding

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Fill puts values into a template: pairs contains each {name} in it, followed by the value
// that replaces it. Values may be text of the evidence: they are made safe to show and cut.
// The template is read once, so that a value that looks like a name stays unchanged.
func Fill(template string, pairs ...string) string {
	if !strings.Contains(template, "{") {
		return template
	}
	pairs = slices.Clone(pairs)
	for i := 1; i < len(pairs); i += 2 {
		pairs[i] = safetext.Phrase(pairs[i])
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// fill puts the values of a finding about whole logs into a template.
func (f Finding) fill(template string) string {
	return Fill(strings.TrimPrefix(template, "{path}: "),
		"{log}", f.LogID,
		"{events}", f.events(),
		"{sequence}", strconv.FormatUint(f.Sequence, 10),
		"{last}", strconv.FormatUint(f.LastSequence, 10),
		"{expected}", f.Expected,
		"{found}", f.Found)
}

// step returns what to do next. A finding that counts others names no event to show.
func (f Finding) step(next string) string {
	if f.Sequence > 0 || f.LogID == "" || !strings.Contains(next, "{sequence}") {
		return next
	}
	return "svc-verify show findings CASE --log {log} --code " + string(f.Code) + ": those that are listed"
}

// Lead returns the sentence of a finding without the expected and the found value.
func (f Finding) Lead() string {
	return f.fill(f.Code.Sentence()) + "."
}

// About names the thing that a finding blames, safe to show: the store, the source that it was
// found in, or the log.
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
func (f Finding) events() string {
	first, last := strconv.FormatUint(f.Sequence, 10), strconv.FormatUint(f.LastSequence, 10)
	if f.Sequence == 0 {
		return "further events"
	}
	if f.Count() <= 1 {
		return "event " + first
	}
	return "events " + first + " to " + last + " (" + strconv.FormatUint(f.Count(), 10) + ")"
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
