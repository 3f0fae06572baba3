package walk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// StateSchema names the form of a [State] in JSON.
const StateSchema = "svc-verify/walk-state/v1"

// State lets the next walk start where this one ended. It covers only events
// without findings that count for the verdict; all others are walked again. It is
// valid for one trust file.
//
// A walk from a state reads no event below it, except those that anchors name. It
// does not see copies of these events that were added since, and does not repeat
// findings that have no effect on the verdict. A whole walk does both.
type State struct {
	TrustSHA256 string
	Logs        []LogState // by tenant and log
}

// LogState is the state of one log.
type LogState struct {
	facts.Log
	Sequence uint64                `json:"sequence"`
	Hashes   map[uint64]chain.Hash `json:"hashes"` // a [chain.Frontier]
	ByOthers Word                  `json:"complete_by_others"`
	ByOwn    Word                  `json:"complete_by_own"` // up to where the log is complete
	Pending  []Anchor              `json:"pending"`         // from the tenant log, not compared yet
	Counts   counts                `json:"counts"`
}

// frontier adds the hashes that later links can name.
func (s LogState) frontier() (*chain.Frontier, error) {
	if s.Sequence == 0 {
		return chain.NewFrontier(chain.Genesis(s.Log.TenantID, s.Log.LogID)), nil
	}
	return chain.RestoreFrontier(s.Sequence, s.Hashes)
}

// startSegment returns the segment that a walk joins its sections to. Each hash that
// is known is in it as an event whose own links are not looked at.
func startSegment(f *chain.Frontier) chain.Segment {
	genesis, _ := f.Hash(0)
	s := chain.OfGenesis(genesis)
	for _, n := range slices.Backward(chain.Way(f.Sequence(), 0)) {
		if h, ok := f.Hash(n); ok && n > 0 {
			s = s.Join(chain.Of(chain.Event{Link: chain.Link{Sequence: n}, Recorded: h}))
			s.Breaks = nil
		}
	}
	return s
}

// The JSON of a state. Hashes are hex.
type (
	stateJSON struct {
		Schema      string         `json:"schema"`
		TrustSHA256 string         `json:"trust_sha256"`
		Logs        []logStateJSON `json:"logs"`
	}
	logStateJSON struct {
		LogState
		AnchoredSequence uint64             `json:"anchored_sequence"` // of ByOwn, which earlier programs did not write
		AnchoredBy       []facts.AnchorKind `json:"anchored_by"`
	}
)

// MarshalJSON writes the state.
func (s State) MarshalJSON() ([]byte, error) {
	out := stateJSON{StateSchema, s.TrustSHA256, []logStateJSON{}}
	for _, l := range s.Logs {
		if l.Hashes == nil {
			l.Hashes = map[uint64]chain.Hash{}
		}
		l.Pending = append([]Anchor{}, l.Pending...)
		out.Logs = append(out.Logs, logStateJSON{l, l.ByOwn.Sequence, append([]facts.AnchorKind{}, l.ByOwn.By...)})
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads a state. It returns an error if a walk cannot start from it.
func (s *State) UnmarshalJSON(doc []byte) error {
	var in stateJSON
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return fmt.Errorf("state of a walk: %w", err)
	}
	if in.Schema != StateSchema {
		return fmt.Errorf("state of a walk: expected schema %s, found %q", StateSchema, in.Schema)
	}
	out := State{TrustSHA256: in.TrustSHA256}
	for _, j := range in.Logs {
		if _, err := j.frontier(); err != nil {
			return fmt.Errorf("state of a walk, log %q: %w", j.LogID, err)
		}
		if j.ByOwn.Sequence == 0 {
			j.ByOwn = Word{Sequence: j.AnchoredSequence, By: j.AnchoredBy}
		}
		out.Logs = append(out.Logs, j.LogState)
	}
	*s = out
	return nil
}
