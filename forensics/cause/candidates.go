package cause

import (
	"slices"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Candidate is a possible culprit, with the facts that speak for and against just this one.
type Candidate struct {
	Who     string   `json:"who"`
	For     []string `json:"for"`
	Against []string `json:"against"`
}

// Pro returns all that speaks for a cause, and for each candidate.
func (c Cause) Pro() []string {
	return c.factsOf(c.For, func(one Candidate) []string { return one.For })
}

// Con returns all that speaks against a cause, and against each candidate.
func (c Cause) Con() []string {
	return c.factsOf(c.Against, func(one Candidate) []string { return one.Against })
}

func (c Cause) factsOf(all []string, of func(Candidate) []string) []string {
	all = slices.Clone(all)
	for _, one := range c.Candidates {
		for _, fact := range of(one) {
			all = append(all, one.Who+": "+fact)
		}
	}
	return all
}

// speaksForOne adds a fact that speaks for one candidate, and speaksAgainstOne one that speaks
// against one. They make the cause no more likely.
func (d *draft) speaksForOne(who, fact string) {
	c := d.candidate(who)
	c.For = append(c.For, safetext.Line(fact))
}

func (d *draft) speaksAgainstOne(who, fact string) {
	c := d.candidate(who)
	c.Against = append(c.Against, safetext.Line(fact))
}

// candidate returns a candidate by its name.
func (d *draft) candidate(who string) *Candidate {
	i := slices.IndexFunc(d.candidates, func(c Candidate) bool { return c.Who == who })
	return &d.candidates[i]
}

// The candidates, as templates.
const (
	withKey    = "a holder of {keys}"
	withoutKey = "someone who can write to {stores} (no key is needed)"
)

// culpritsOf are the candidates for each code, in the order in which they are listed. Where
// facts tell them apart, a rule lists them instead.
var culpritsOf = map[Code][]string{
	TrustFileWrong: {"someone who signs with another key under this name", "the collector of the trust file"},
	ForeignJournal: {"the giver of the copy (no key of this environment is needed)"},
	LogRenamed:     {"a collector that maps or masks names (no key is needed)"},
	ForgedFarEvent: {withoutKey},
	NotCollected:   {"the collector of the evidence", "someone who removed the log"},
	UnreadSource: {"damage on the way (a broken copy, a full disk)",
		"someone who spoiled {stores} (no key is needed)"},
	LossyStore:       {"the store itself, by design"},
	AlteredStore:     {withoutKey},
	StolenNodeKey:    {"a second holder of {keys}", "the node's operator"},
	NodeKeyMisused:   {"the node's operator", "a second holder of {keys}"},
	EitherKeyMisused: {"a holder of one of {keys}"},
	AuditKeyMisused:  {"the service", "a second holder of {keys}"},
	EventsDeleted: {"someone who can delete from {stores} (no key is needed)",
		"a collector or store that drops records"},
}

// candidatesOf returns the templates of the candidates, where no facts distinguish them.
func candidatesOf(d *draft) []string {
	if d.code == ForgedFarEvent && len(d.keys) > 0 {
		return []string{withKey}
	}
	return culpritsOf[d.code]
}
