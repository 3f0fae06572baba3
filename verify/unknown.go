package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// UnknownKeys are the key ids and registry generations that evidence names and the
// trust file lacks.
type UnknownKeys struct {
	Code      Code         `json:"code"` // KeysUnknown
	Keys      []UnknownKey `json:"keys"` // ascending
	MayBeGood bool         `json:"may_be_good"`
	Sentence  string       `json:"sentence"`
}

// UnknownKey is one of them, with the evidence that rests on it. A registry has the name
// "registry generation N"; no key id has a space.
type UnknownKey struct {
	Name    string        `json:"name"`
	RestsOn []RestsOnKeys `json:"rests_on_it"`
}

// RestsOnKeys describes how many pieces of evidence of a kind rest on a key, and of how many.
type RestsOnKeys struct {
	What string `json:"what"` // such as proof, event or signature
	N    uint64 `json:"n"`
	Of   uint64 `json:"of"`
}

// RestingProof is the kind of a proof in [RestsOnKeys].
const RestingProof = "proof"

// Names returns the names of the keys, ascending.
func (u *UnknownKeys) Names() []string {
	var all []string
	if u != nil {
		for _, k := range u.Keys {
			all = append(all, k.Name)
		}
	}
	return all
}

// KeyTally counts the evidence that rests on keys that the trust file lacks. The zero value is
// empty.
type KeyTally struct {
	rests             map[string]map[string]uint64 // by key and kind of evidence
	of                map[string]uint64            // by kind of evidence
	good, defectsMore uint64
	beyond            bool // there are more keys than are counted apart
}

// Total adds to how much evidence of a kind there is.
func (t *KeyTally) Total(what string, n uint64) {
	if t.of == nil {
		t.of, t.rests = map[string]uint64{}, map[string]map[string]uint64{}
	}
	t.of[what] += n
}

// Add counts evidence that rests on a key.
func (t *KeyTally) Add(key, what string, n uint64) {
	t.Total(what, 0)
	if t.rests[key] == nil {
		if len(t.rests) == mostTallied {
			t.beyond = true
			return
		}
		t.rests[key] = map[string]uint64{}
	}
	t.rests[key][what] += n
}

// Restore adds earlier counts of a key. All of them may be good.
func (t *KeyTally) Restore(key string, r RestsOnKeys) {
	t.Add(key, r.What, r.N)
	t.of[r.What] = r.Of
	t.Good(true)
}

// Good counts evidence that may be good, or that has other defects too.
func (t *KeyTally) Good(mayBe bool) {
	if mayBe {
		t.good++
	} else {
		t.defectsMore++
	}
}

// Proof counts one proof, which names keys that the trust file lacks or none.
func (t *KeyTally) Proof(names []string, mayBeGood bool) {
	t.Total(RestingProof, 1)
	for _, name := range names {
		t.Add(name, RestingProof, 1)
	}
	if len(names) > 0 {
		t.Good(mayBeGood)
	}
}

// MostUnknownKeys bounds the keys of a list.
const MostUnknownKeys = 1_000

// mostTallied bounds the keys that are counted apart, and mostNamedKeys the keys in a
// sentence.
const (
	mostTallied   = 10_000
	mostNamedKeys = 8
)

// Unknown returns the keys with the evidence that rests on them, nil if there are none.
// Evidence names all of it, such as "these proofs".
func (t *KeyTally) Unknown(evidence string) *UnknownKeys {
	if len(t.rests) == 0 {
		return nil
	}
	u := &UnknownKeys{Code: KeysUnknown, MayBeGood: t.good > 0}
	var named []string
	for _, name := range slices.Sorted(maps.Keys(t.rests)) {
		key := UnknownKey{Name: strings.Clone(name)}
		var counts []string
		for _, what := range slices.Sorted(maps.Keys(t.rests[name])) {
			r := RestsOnKeys{what, t.rests[name][what], t.of[what]}
			key.RestsOn = append(key.RestsOn, r)
			counts = append(counts, fmt.Sprintf("%d of %s", r.N, safetext.Count(r.Of, what)))
		}
		if len(u.Keys) < MostUnknownKeys {
			u.Keys = append(u.Keys, key)
		}
		if len(named) < mostNamedKeys {
			named = append(named, fmt.Sprintf("%s (%s)", quoteKey(name), strings.Join(counts, ", ")))
		}
	}
	switch more := len(t.rests) - len(named); {
	case t.beyond:
		named = append(named, fmt.Sprintf("and more than %d more", more))
	case more > 0:
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	u.Sentence = "unknown key ids: " + strings.Join(named, ", ") + "; " + t.worthUnder(evidence)
	return u
}

// worthUnder returns the possible status of the evidence under a newer trust file.
func (t *KeyTally) worthUnder(evidence string) string {
	if t.good == 0 {
		return "the trust file may be out of date, but other defects were found in " + evidence + " too"
	}
	except := ""
	if t.defectsMore > 0 {
		except = fmt.Sprintf(", except %d with other defects", t.defectsMore)
	}
	return evidence + " may be good" + except + ": the trust file may be out of date"
}

// ofRegistry begins the name of a registry generation among key ids.
const ofRegistry = "registry generation "

func registryName(generation int64) string { return ofRegistry + number(generation) }

// quoteKey writes the name of a key as safe text.
func quoteKey(name string) string {
	if generation, ok := strings.CutPrefix(name, ofRegistry); ok {
		return ofRegistry + safetext.Quote(generation)
	}
	return safetext.Quote(name)
}

// unknownKeys returns the keys that the trust file lacks; may be nil. Other faults are found
// by a second run, which presumes that all of it is pinned and every signature under it holds.
func (r *run) unknownKeys() *UnknownKeys {
	if len(r.keys.rests) == 0 {
		return nil
	}
	again := &run{in: r.in, root: r.root, policy: r.policy, presumes: true}
	due := slices.DeleteFunc(slices.Clone(r.policy.checks()), func(c check) bool { return c.id.onlyAsked() })
	r.keys.Good(provenBy(again.examineAll(due)))
	return r.keys.Unknown("this proof")
}
