package read

import (
	_ "embed" // for stores.txt
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

//go:embed stores.txt
var storesText string

// BuiltinStores returns the descriptions of this package.
var BuiltinStores = sync.OnceValue(func() *Stores { return requireValue(parseStores(storesText, nil)) })

// Stores are descriptions of forms in which products hand out records.
type Stores struct {
	Text string // that they were parsed from
	All  forms  // in the order in which they are tried
}

// MostStores is the largest size of a text of descriptions, in bytes.
const MostStores = 16 << 10

// ParseStores reads the descriptions of a user, which are written as those in stores.txt and
// tried before them. None may have the name of a format that there is. An error names the
// line, with an expectation and the finding.
func ParseStores(text string) (*Stores, error) {
	if len(text) > MostStores {
		return nil, fmt.Errorf("line 1: expected at most %d bytes, found %d", MostStores, len(text))
	}
	return parseStores(text, isTaken)
}

// storeKeys are the lines that a description can have, with the words behind their keys: words
// in small letters are literal, and "…" is any number of words. A form can have several lines
// of a key with "*".
var storeKeys = map[string]string{
	"form": "NAME", "product": "TEXT…", "loses": "TEXT…", "export": "TEXT…", "plan": "TEXT…",
	"record": "NUMBER", "query": "NUMBER…",
	"has": "*MEMBER…", "records": "LISTS", "shared": "*WHOSE MEMBER", "in": "MEMBER", "runtime": "yes",
	"batches": "*WHOSE PATH", "time": "UNIT PATH", "observed": "UNIT PATH",
	"text": "*PATH", "value": "*PATH", "bytes": "kept",
	"message": "PATH", "headers": "PATH",
	"line": "*PATH", "key": "*PATH", "more": "*PATH MARK", "ends": "newline", "null": "TEXT…",
	"number": "PATH", "ordinal": "PATH", "last": "PATH",
}

// storeLine is a line of a description.
type storeLine struct {
	key    string
	words  []string // behind the key
	unit   int64    // of its time
	member member   // that its path leads to
}

// parseStores reads a text. taken reports whether a name is one already; it is nil for the text
// of this package.
func parseStores(text string, taken func(Format) bool) (*Stores, error) {
	s := &Stores{Text: text}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		if number++; line == "" || line[0] == '#' {
			continue
		}
		if want := s.addLine(strings.Split(line, " "), taken); want != "" {
			return nil, fmt.Errorf("line %d: expected %s, found %s", number, want, safetext.Excerpt(line, safetext.Value))
		}
		s.All[len(s.All)-1].ends = number
	}
	if len(s.All) == 0 {
		return nil, fmt.Errorf("line %d: expected form NAME, found the end", number)
	}
	for _, f := range s.All {
		if want := f.setReaders(taken == nil && slices.Contains(ownReaders, f.Name)); want != "" {
			return nil, fmt.Errorf("line %d: expected %s in form %s, found none", f.ends, want, f.Name)
		}
	}
	return s, nil
}

// addLine adds a line, and returns the expectation if it is wrong.
func (s *Stores) addLine(words []string, taken func(Format) bool) (want string) {
	key := words[0]
	kinds, ok := storeKeys[key]
	kinds, several := strings.CutPrefix(kinds, "*")
	switch {
	case !ok:
		return "one of " + strings.Join(slices.Sorted(maps.Keys(storeKeys)), ", ")
	case key == "form" && len(words) == 2 && s.isFree(words[1], taken):
		s.All = append(s.All, &Store{Name: Format(words[1])})
		return ""
	case key == "form":
		return "a name of small letters, digits and hyphens that no other format has"
	case len(s.All) == 0:
		return "form NAME"
	}
	f := s.All[len(s.All)-1]
	if !several && f.addLine(key) != nil {
		return "one line " + key + " in a form"
	}
	l := storeLine{key: key, words: words[1:]}
	all, rest := strings.CutSuffix(kinds, "…")
	expected := strings.Split(all, " ")
	if len(l.words) < len(expected) || len(l.words) > len(expected) && !rest {
		return key + " " + kinds
	}
	for i, word := range l.words {
		if !f.addLeading(&l, expected[min(i, len(expected)-1)], word) {
			return key + " " + kinds
		}
	}
	f.lines = append(f.lines, l)
	return ""
}

// isFree reports whether a word can name a form.
func (s *Stores) isFree(name string, taken func(Format) bool) bool {
	f := Format(name)
	return (taken == nil || !taken(f)) && s.All.Named(f) == nil && name != "" && len(name) <= 32 &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// addLeading reports whether a word of a line is of a kind, and adds the member that it leads to.
func (f *Store) addLeading(l *storeLine, kind, word string) bool {
	switch kind {
	case "TEXT", "MARK":
		return word != ""
	case "NUMBER":
		n, err := strconv.ParseUint(word, 10, 32)
		return err == nil && n > 0
	case "WHOSE":
		return word == "record" || word == "resource" || word == "scope"
	case "UNIT":
		unit, ok := timeUnits[word]
		l.unit = unit
		return ok
	case "MEMBER":
		return isPath(strings.ReplaceAll(strings.TrimPrefix(word, "!"), "|", "."))
	case "LISTS":
		return strings.HasSuffix(word, "[]") && isPath(strings.ReplaceAll(word, "[]", ""))
	case "PATH":
		l.member = f.memberAt(word)
		return (word == "." && (l.key == "batches" || l.key == "value") || isPath(word)) && len(f.tops) <= mostPicked
	}
	return word == kind
}

// isPath reports whether a word is names of members with dots between them.
func isPath(word string) bool {
	const mostSteps = 8
	steps := strings.Split(word, ".")
	return len(steps) <= mostSteps && !slices.Contains(steps, "") && !strings.ContainsAny(word, "\"[]|!\\")
}

// memberAt returns where a path leads to.
func (f *Store) memberAt(path string) member {
	if path == "." {
		return member{top: -1}
	}
	steps := strings.Split(path, ".")
	return member{top: f.topOf(steps[0]), rest: steps[1:], whole: f.topOf(path)}
}

// topOf returns the place of a name among those that are picked out of a record.
func (f *Store) topOf(name string) int {
	i := slices.Index(f.tops, name)
	if i < 0 {
		i = len(f.tops)
		f.tops = append(f.tops, name)
	}
	return i
}

// linesOf returns the lines of some keys, and line the first one of a key, nil if there is
// none.
func (f *Store) linesOf(keys ...string) (all []storeLine) {
	for _, l := range f.lines {
		if slices.Contains(keys, l.key) {
			all = append(all, l)
		}
	}
	return all
}

func (f *Store) addLine(key string) *storeLine {
	if all := f.linesOf(key); len(all) > 0 {
		return &all[0]
	}
	return nil
}

// Said returns the text behind a key, in the first line of it; "" if there is none.
func (f *Store) Said(key string) string {
	if l := f.addLine(key); l != nil {
		return strings.Join(l.words, " ")
	}
	return ""
}

// Numbers returns the numbers behind a key; nil if there are none.
func (f *Store) Numbers(key string) (all []int64) {
	if f == nil {
		return nil
	}
	for word := range strings.FieldsSeq(f.Said(key)) {
		n, _ := strconv.ParseInt(word, 10, 64) // it was one when it was parsed
		all = append(all, n)
	}
	return all
}

// setReaders sets the fields for readers, and returns the part that is missing; "" if none is.
func (f *Store) setReaders(own bool) (want string) {
	for _, l := range f.linesOf("has") {
		f.has = append(f.has, nameList(strings.Join(l.words, " ")))
	}
	if lists := f.Said("records"); lists != "" {
		f.records = strings.Split(lists, ".")
	}
	f.bodies, f.batches, f.shared = f.linesOf("text", "value"), f.linesOf("batches"), f.linesOf("shared")
	f.texts, f.keys, f.more = f.linesOf("line"), f.linesOf("key"), f.linesOf("more")
	f.message, f.headers, f.null = f.addLine("message"), f.addLine("headers"), f.Said("null")
	f.number, f.ordinal, f.final = f.addLine("number"), f.addLine("ordinal"), f.addLine("last")
	f.time, f.observed = f.addLine("time"), f.addLine("observed")
	f.in, f.runtime = f.Said("in"), f.addLine("runtime") != nil
	f.kept, f.newline = f.addLine("bytes") != nil, f.addLine("ends") != nil
	switch ways := min(len(f.bodies), 1) + min(len(f.texts), 1) + min(len(f.linesOf("message")), 1); {
	case own:
	case f.has == nil:
		return "a line has"
	case f.number != nil && (f.ordinal == nil || f.final == nil):
		return "ordinal and last"
	case ways != 1:
		return "either text or value, or line, or message"
	}
	return ""
}
