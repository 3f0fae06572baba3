package verify

import (
	"slices"
	"strconv"
	"strings"
)

// Code names a defect, as <thing>.<defect>. Codes are only ever added: a
// published code is never renamed or removed, and never gets another meaning.
// Those of form (json.*, form.*) and of signatures (signature.*) are declared
// by the packages that find them.
type Code string

// NothingShown is the code of a verdict without any finding.
const NothingShown Code = "verdict.nothing-shown"

// Defect says what a code means: the section of the specification, a sentence
// with {path}, {expected} and {found} in it, how the defect arises, and what to
// do next.
type Defect struct {
	Code     Code
	Spec     string
	Sentence string
	Arises   string
	Next     string
}

// Entry is a code of the registry, with the check that finds it: "" for
// [NothingShown].
type Entry struct {
	Defect
	Check CheckID
}

// Codes returns the whole registry in the order of the check list.
func Codes() []Entry { return slices.Clone(registryOfCodes) }

// Lookup returns the registry's entry of a code.
func Lookup(code Code) (Entry, bool) {
	i := slices.IndexFunc(registryOfCodes, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{}, false
	}
	return registryOfCodes[i], true
}

// registryOfCodes has the codes of all checks.
var registryOfCodes = func() []Entry {
	var all []Entry
	for _, c := range list {
		for _, d := range c.defects {
			all = append(all, Entry{d, c.id})
		}
	}
	return append(all, Entry{Defect: Defect{NothingShown, "8",
		"nothing was shown: expected {expected}, found {found}", "No check failed, but not every check ran.", rebuild}})
}()

// Sentence returns the finding in words. Text of the evidence in it is quoted
// and cut.
func (f Finding) Sentence() string {
	entry, ok := Lookup(f.Code)
	if !ok {
		entry.Sentence = plain
	}
	path := f.Path
	if path == "" {
		path = "the document"
	}
	fill := strings.NewReplacer("{path}", quoted(path), "{expected}", quoted(f.Expected), "{found}", quoted(f.Found))
	return fill.Replace(entry.Sentence)
}

// quoted cuts a text, and escapes all of it that is not printable ASCII.
func quoted(s string) string {
	const most = 400
	if len(s) > most {
		s = s[:most] + "..."
	}
	q := strconv.QuoteToASCII(s)
	if q[1:len(q)-1] == s {
		return s
	}
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// The usual sentence of a defect, and the usual next steps.
const (
	plain   = "{path}: expected {expected}, found {found}"
	rebuild = "Export the bundle again from the service. " +
		"If it has the same defect, report it to the service's operator with the digests of both files."
	suspect = "Treat the bundle as forged or damaged until its origin is known. " +
		"Keep it unchanged, with the digests that the report shows."
	askNode = "Ask the node's operator whether that node really signed this, and compare with the node's own journal."
	pinOnly = "Compare the trust file with keys and pins collected independently (svc-verify trust fingerprint). " +
		"Never copy a key out of a bundle."
)
