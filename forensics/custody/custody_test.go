package custody

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/userkey"
)

const (
	digest = "abababababababababababababababababababababababababababababababab"
	clock  = "2026-03-02T09:00:00.000Z"
)

const place, elsewhere = "here", "there"

// row is an entry as a case keeps it.
type row struct {
	number      int64
	doc, digest []byte
}

// entries returns a journal of as many entries, the first a walk.
func entries(n int) (all []Entry) {
	for i := range n {
		e := Entry{Protocol: Protocol, Time: clock, Command: "note", Version: "0.9.0",
			Note: &Note{Subject: Subject{OfIncident, fmt.Sprint("fork-", i)}, Text: "a", Explained: i%2 == 0}}
		if i == 0 {
			e.Command, e.Note = "walk", nil
			e.Walk = &Walk{1, digest, "rejected", 3, digest}
		}
		all = append(all, e)
	}
	return all
}

// chained returns the rows of entries.
func chained(t must.T, all []Entry) (rows []row) {
	previous := ""
	for i, e := range all {
		e.Number, e.Previous = int64(i+1), previous
		doc, sum := must.Two(e.Document())(t)
		rows, previous = append(rows, row{e.Number, doc, sum[:]}), sum.String()
	}
	return rows
}

func readRows(rows []row) *Journal {
	j := NewJournal()
	for _, r := range rows {
		j.AddRow(r.number, r.doc, r.digest)
	}
	return j
}

// whats are the kinds of the faults of a journal.
func whats(j *Journal) string {
	var all []string
	for _, f := range j.Faults {
		all = append(all, string(f.What))
	}
	return strings.Join(slices.Compact(all), " ")
}

// TestTampering: whatever is changed in a journal is noticed by the head that its user remembers, and
// by anyone if an entry after it is left.
func TestTampering(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "entries")
		rows := chained(t, entries(n))
		whole := readRows(rows)
		known := []userkey.Head{whole.At(place)}
		check.That(t, len(whole.Faults) == 0 && !whole.Lacks(place, known), "untouched: %v", whole.Faults)
		at := rapid.IntRange(0, n-1).Draw(t, "at")
		changed := slices.Clone(rows)
		shows := true // without the head
		switch rapid.SampledFrom([]string{"edit", "forge", "remove", "swap", "cut", "renumber", "again"}).Draw(t, "what") {
		case "edit":
			changed[at].doc = bytes.Replace(rows[at].doc, []byte(`"0.9.0"`), []byte(`"0.9.1"`), 1)
		case "forge": // with its digest
			changed[at].doc = bytes.Replace(rows[at].doc, []byte(`"0.9.0"`), []byte(`"0.9.1"`), 1)
			sum := sha256.Sum256(changed[at].doc)
			changed[at].digest, shows = sum[:], at < n-1
		case "remove":
			changed, shows = slices.Delete(changed, at, at+1), at < n-1
		case "swap":
			to := (at + 1) % n
			changed[at].doc, changed[to].doc = rows[to].doc, rows[at].doc
			changed[at].digest, changed[to].digest = rows[to].digest, rows[at].digest
			if to == at {
				return
			}
		case "cut":
			changed, shows = changed[:at], false
		case "renumber":
			changed[n-1].number++
		case "again": // all of it is made anew
			all := entries(n)
			all[at].Version = "0.9.1"
			changed, shows = chained(t, all), false
		}
		j := readRows(changed)
		check.That(t, !shows || len(j.Faults) > 0, "nobody notices it")
		lacks := j.Lacks(place, known)
		check.That(t, lacks || len(j.Faults) > 0, "its user does not notice it")
		check.That(t, lacks == (j.Lost() != nil), "the next entry would not say it")
	})
}

// TestNearMisses: a user's memory of a case is no reason to accuse others who did nothing
// wrong.
func TestNearMisses(t *testing.T) {
	rows := chained(t, entries(5))
	other := entries(2)
	other[0].Version = "1"
	another := readRows(chained(t, other)).At(place)
	for what, c := range map[string]struct {
		rows  []row
		place string
		known []userkey.Head
		lacks bool
	}{
		"nothing is remembered":          {rows, place, nil, false},
		"no journal, nothing remembered": {nil, place, nil, false},
		"no journal, and one was":        {nil, place, []userkey.Head{readRows(rows).At(place)}, true},
		"no journal, one was elsewhere":  {nil, elsewhere, []userkey.Head{readRows(rows).At(place)}, false},
		"it went on":                     {rows, place, []userkey.Head{readRows(rows[:2]).At(place)}, false},
		"a copy":                         {rows, elsewhere, []userkey.Head{readRows(rows).At(place)}, false},
		"a copy that was cut":            {rows[:4], elsewhere, []userkey.Head{readRows(rows).At(place)}, true},
		"an older copy, known as it is": {rows[:4], place,
			[]userkey.Head{readRows(rows).At(elsewhere), readRows(rows[:4]).At(place)}, false},
		"an older copy of two": {rows[:2], place, []userkey.Head{readRows(rows[:1]).At("c"), readRows(rows).At("a"),
			readRows(rows[:2]).At("b")}, true},
		"another case at its place":       {rows, place, []userkey.Head{another}, true},
		"another case, known from before": {rows, place, []userkey.Head{another, readRows(rows).At(elsewhere)}, false},
		"another case elsewhere":          {rows, elsewhere, []userkey.Head{another}, false},
	} {
		j := readRows(c.rows)
		check.That(t, j.Lacks(c.place, c.known) == c.lacks && len(j.Faults) > 0 == c.lacks, "%s: %v", what, j.Faults)
	}
}

// TestEntries: an entry has one form, and a value outside of its limits is refused.
func TestEntries(t *testing.T) {
	whole := Entry{Protocol: Protocol, Number: 2, Previous: digest, Time: clock, Command: "ingest", Version: "0.9.0",
		Earlier: 1, Lost: &Head{3, digest}, Added: &Sources{1, []string{digest}}, Replaced: &Sources{},
		Walk: &Walk{1, digest, "open", 0, digest}, Note: &Note{Subject{OfSource, digest}, "R", "é", []string{"x"}, true}}
	doc, _ := must.Two(whole.Document())(t)
	must.Do(t, check.Err(parseEntry(doc)))
	for what, change := range map[string]func(e *Entry){
		"protocol":        func(e *Entry) { e.Protocol = "svc.custody.v2" },
		"number":          func(e *Entry) { e.Number = 0 },
		"previous":        func(e *Entry) { e.Previous = strings.ToUpper(digest) },
		"time":            func(e *Entry) { e.Time = "2026-03-02" },
		"command":         func(e *Entry) { e.Command = "a\nb" },
		"version":         func(e *Entry) { e.Version = "" },
		"earlier walks":   func(e *Entry) { e.Earlier = -1 },
		"lost":            func(e *Entry) { e.Lost.SHA256 = "ab" },
		"sources counted": func(e *Entry) { e.Added.Count = 2 },
		"sources listed":  func(e *Entry) { e.Replaced.Digests = []string{digest} },
		"source":          func(e *Entry) { e.Added.Digests = []string{"ab"} },
		"walk":            func(e *Entry) { e.Walk.Number = 0 },
		"findings":        func(e *Entry) { e.Walk.Findings = -1 },
		"verdict":         func(e *Entry) { e.Walk.Verdict = "" },
		"trust":           func(e *Entry) { e.Walk.Trust = "" },
		"result":          func(e *Entry) { e.Walk.Result = "" },
		"kind":            func(e *Entry) { e.Note.Subject.Kind = "log" },
		"name":            func(e *Entry) { e.Note.Subject.Name = strings.Repeat("a", MaxName+1) },
		"author":          func(e *Entry) { e.Note.By = "a\u2028b" },
		"text":            func(e *Entry) { e.Note.Text = strings.Repeat("a", MaxText+1) },
		"escape sequence": func(e *Entry) { e.Note.Text = "\x1b[2J" },
		"tag":             func(e *Entry) { e.Note.Tags = []string{strings.Repeat("a", MaxTag+1)} },
		"no tag":          func(e *Entry) { e.Note.Tags = []string{""} },
		"tags":            func(e *Entry) { e.Note.Tags = slices.Repeat([]string{"a"}, MaxTags+1) },
		"nothing":         func(e *Entry) { e.Note.Text, e.Note.Tags, e.Note.Explained = "", nil, false },
	} {
		e, err := parseEntry(doc)
		must.Do(t, err)
		change(&e)
		damaged, err := form.MarshalCanonical(e)
		must.Do(t, err)
		check.That(t, check.Err(parseEntry(damaged)) != nil, "%s: it is an entry", what)
	}
	for what, damaged := range map[string][]byte{
		"octets":           bytes.Repeat([]byte("["), MaxEntry+1),
		"another spelling": append(doc, ' '),
		"another member":   bytes.Replace(doc, []byte(`"version"`), []byte(`"verdict":"","version"`), 1),
		"no object":        []byte("[]"),
		"nothing":          nil,
	} {
		_, err := parseEntry(damaged)
		check.That(t, err != nil && strings.Contains(err.Error(), "more than") == (what == "octets"), "%s: %v", what, err)
	}
	large := Entry{Protocol: Protocol, Number: 1, Time: clock, Command: "note", Version: strings.Repeat("a", MaxEntry)}
	_, _, err := large.Document()
	check.That(t, err != nil, "an entry beyond the limit was made")
}

// TestLimits: the largest entry that a command makes is one, and not more faults are listed than are
// read.
func TestLimits(t *testing.T) {
	var all []chain.Hash
	for i := range 2 * MaxDigests {
		all = append(all, sha256.Sum256(fmt.Append(nil, i%(MaxDigests+1))))
	}
	wide := func(n int) string { return strings.Repeat("\U0001F600", n/4) }
	e := Entry{Protocol: Protocol, Number: 1 << 40, Previous: digest, Time: clock, Command: wide(MaxTag),
		Version: wide(MaxTag), Added: SourcesOf(all), Walk: &Walk{1 << 40, digest, wide(MaxTag), 1, digest},
		Note: &Note{Subject{OfEvent, wide(MaxName)}, wide(MaxName), wide(MaxText),
			slices.Repeat([]string{wide(MaxTag)}, MaxTags), true}}
	doc, _, err := e.Document()
	must.Do(t, err)
	_, err = parseEntry(doc)
	check.That(t, err == nil && e.Added.Count == MaxDigests+1 && len(e.Added.Digests) == MaxDigests, "%v, %d of %d", err,
		len(e.Added.Digests), e.Added.Count)
	j := readRows(slices.Repeat([]row{{7, nil, nil}}, mostFaults+1))
	check.That(t, len(j.Faults) == mostFaults, "%d faults", len(j.Faults))
	for _, number := range []int64{0, -1, mostEntries + 1} {
		j = readRows([]row{{number, nil, nil}})
		check.That(t, whats(j) == "malformed" && j.Head == nil, "the number %d: %v", number, j.Faults)
	}
}

// TestCompare: an entry that the results of the case do not fit is named, and one that has a reason is not.
func TestCompare(t *testing.T) {
	hash := func(n byte) chain.Hash { return chain.Hash{n} }
	name := func(n byte) string { return hash(n).String() }
	added := func(all ...chain.Hash) Entry { return Entry{Added: SourcesOf(all)} }
	replaced := func(all ...chain.Hash) Entry { return Entry{Replaced: SourcesOf(all)} }
	walked := func(n int64, result byte) Entry { return Entry{Walk: &Walk{n, digest, "verified", 0, name(result)}} }
	var crowd []chain.Hash
	for i := range MaxDigests + 1 {
		crowd = append(crowd, sha256.Sum256(fmt.Append(nil, i)))
	}
	for what, c := range map[string]struct {
		all     []Entry
		walks   map[int64]string
		sources []byte
		want    string
	}{
		"all fits":               {[]Entry{added(hash(1)), walked(1, 1)}, map[int64]string{1: name(1)}, []byte{1}, ""},
		"a killed ingest":        {[]Entry{added(hash(1))}, nil, []byte{1, 2}, ""},
		"no source":              {[]Entry{added(hash(1), hash(2))}, nil, []byte{1}, "no-source"},
		"a source grew":          {[]Entry{added(hash(1)), replaced(hash(1)), added(hash(2))}, nil, []byte{2}, ""},
		"a source is gone again": {[]Entry{replaced(hash(1)), added(hash(1))}, nil, nil, "no-source"},
		"not all are listed":     {[]Entry{added(hash(1)), replaced(crowd...)}, nil, nil, ""},
		"another result":         {[]Entry{walked(1, 1)}, map[int64]string{1: name(2)}, nil, "other-walk"},
		"no walk":                {[]Entry{walked(1, 1)}, nil, nil, "other-walk"},
		"no entry":               {[]Entry{walked(1, 1)}, map[int64]string{1: name(1), 2: name(2)}, nil, "no-entry"},
		"walks before the journal": {[]Entry{{Earlier: 2}, walked(3, 1)}, map[int64]string{1: name(4), 3: name(1)}, nil,
			""},
		"no journal yet": {nil, map[int64]string{1: name(4)}, nil, ""},
	} {
		for i := range c.all {
			e := &c.all[i]
			e.Protocol, e.Time, e.Command, e.Version = Protocol, clock, "check", "0.9.0"
		}
		j, has := readRows(chained(t, c.all)), Presence{Walks: c.walks, Sources: map[string]bool{}}
		for _, s := range c.sources {
			has.Sources[name(s)] = true
		}
		j.Compare(has)
		check.Equal(t, whats(j), c.want, "%s", what)
	}
}

// TestCutEarlier: an entry that was made on a journal that was cut names that for good.
func TestCutEarlier(t *testing.T) {
	all := entries(3)
	all[2].Lost = &Head{7, digest}
	j := readRows(chained(t, all))
	check.Equal(t, whats(j), "cut-earlier", "faults")
	check.Equal(t, len(j.Notes(Subject{OfIncident, "fork-2"})), 1, "notes")
	check.Equal(t, len(j.Notes(Subject{OfSource, "fork-2"})), 0, "notes about a source")
}
