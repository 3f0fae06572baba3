package read

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// required are the names that a value must have: of each word, one. Each is between
// spaces.
type required struct {
	text  string
	words []word
}

type word struct {
	not   bool // none of the names may be there
	names []string
}

// nameList makes a list of names between spaces; "a|b" is either, and "!c" must not be there.
func nameList(names string) required {
	r := required{text: names}
	for text := range strings.FieldsSeq(names) {
		var one word
		text, one.not = strings.CutPrefix(text, "!")
		for name := range strings.SplitSeq(text, "|") {
			one.names = append(one.names, " "+name+" ")
		}
		r.words = append(r.words, one)
	}
	return r
}

// holdsIn reports whether names, each between spaces, are as required.
func (r *required) holdsIn(names string) bool {
	for i := range r.words {
		w := &r.words[i]
		if slices.ContainsFunc(w.names, func(name string) bool { return strings.Contains(names, name) }) == w.not {
			return false
		}
	}
	return true
}

// knownBy returns by which list of names a value has the form, -1 if by none.
func (f *Store) knownBy(names string) int {
	return slices.IndexFunc(f.has, func(r required) bool { return r.holdsIn(names) })
}

// forms are the forms of JSON values, in the order in which they are tried. A value has a
// form if it has all the members of one of its lists.
type forms []*Store

// documents is how many of the forms are no store's. They are tried before a user's forms.
const documents = 4

// formsWith returns the forms of this package, with those that a user describes.
func formsWith(more *Stores) forms {
	if more == nil {
		return BuiltinStores().All
	}
	return slices.Concat(BuiltinStores().All[:documents], more.All, BuiltinStores().All[documents:])
}

// Named returns the form of a format, nil if it is not one of JSON values.
func (all forms) Named(f Format) *Store {
	for _, form := range all {
		if form.Name == f {
			return form
		}
	}
	return nil
}

// Forms that other signs than members show, or that are read in other ways, too.
var (
	otlpForm, rawForm     = namedForm(OTLPJSON), namedForm(KafkaRaw)
	bulkForm, systemdForm = namedForm(Elastic), namedForm(Systemd)
	journalForm           = namedForm(Journal)
)

func namedForm(f Format) func() *Store {
	return sync.OnceValue(func() *Store { return BuiltinStores().All.Named(f) })
}

// formOf returns the form that a value has by its members, and why. It returns nil and the
// reason if it has none.
func (all forms) formOf(b []byte) (form *Store, why string) {
	if len(b) > 0 && b[0] == '"' {
		return rawForm(), "a string that holds JSON"
	}
	if bytes.HasPrefix(b, []byte(`{"resourceLogs":`)) {
		return otlpForm(), "begins as an export of logs does"
	}
	names := topNames(b)
	if isAction(names) {
		return bulkForm(), "an action of a bulk request"
	}
	for _, form := range all {
		if i := form.knownBy(names); i >= 0 {
			return form, "it has the members of the format: " + form.has[i].text
		}
	}
	return nil, "a record of another service"
}

// isLines reports whether records of a form are lines, or parts of them.
func (f *Store) isLines() bool { return f != nil && f.texts != nil }

// topNames returns the names of the members of an object, each between spaces.
func topNames(b []byte) string {
	var names strings.Builder
	names.WriteByte(' ')
	count := 0
	c := cursor{b: b}
	// The walk itself cannot fail.
	_ = c.eachMember(func(name []byte) error {
		if count++; count <= maxNames && len(name) < 64 && bytes.IndexByte(name, ' ') < 0 {
			names.Write(name)
			names.WriteByte(' ')
		}
		return nil
	})
	return names.String()
}

// maxNames is how many members of a value are looked at to classify it.
const maxNames = 256

// ownReaders are the forms of stores.txt that have a reader of their own.
var ownReaders = []Format{OTLPJSON, Journal, BundleFile, EnvelopeFile, KafkaRaw}

// readValue reads the value in d.
func (f *Store) readValue(d *doc) error {
	switch f.Name {
	case Journal:
		return d.setJournalEvent()
	case BundleFile:
		return d.reportDocument(Bundle)
	case EnvelopeFile:
		return d.reportDocument(Envelope)
	case OTLPJSON:
		return otlpJSON{d}.logsData()
	case KafkaRaw:
		return d.quotedBody()
	}
	return d.readStored(f)
}
