package walk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/form"
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
	Log             facts.Log
	Sequence        uint64
	Hashes          map[uint64]chain.Hash // a [chain.Frontier]
	ByOthers, ByOwn Word                  // up to where the log is complete
	Pending         []Anchor              // from the tenant log, not compared yet
	counts          counts
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
		TenantID         string             `json:"tenant_id"`
		LogID            string             `json:"log_id"`
		Sequence         uint64             `json:"sequence"`
		Hashes           map[string]string  `json:"hashes"`
		AnchoredSequence uint64             `json:"anchored_sequence"`
		AnchoredBy       []facts.AnchorKind `json:"anchored_by"`
		Pending          []anchorJSON       `json:"pending"`
		Counts           counts             `json:"counts"`
		ByOthers         *Word              `json:"complete_by_others,omitempty"` // nil where an earlier program wrote it
		ByOwn            *Word              `json:"complete_by_own,omitempty"`
	}
	anchorJSON struct {
		Sequence uint64           `json:"sequence"`
		Hash     string           `json:"hash"`
		By       facts.AnchorKind `json:"by"`
		At       int64            `json:"at"`
		Name     string           `json:"name"`
		Event    uint64           `json:"event"`
		Previous string           `json:"previous_hash,omitempty"` // "" where an earlier program wrote it
		Skip     string           `json:"skip_hash,omitempty"`
	}
)

// MarshalJSON writes the state.
func (s State) MarshalJSON() ([]byte, error) {
	out := stateJSON{StateSchema, s.TrustSHA256, []logStateJSON{}}
	for _, l := range s.Logs {
		j := logStateJSON{l.Log.TenantID, l.Log.LogID, l.Sequence, map[string]string{}, l.ByOwn.Sequence,
			append([]facts.AnchorKind{}, l.ByOwn.By...), []anchorJSON{}, l.counts, &l.ByOthers, &l.ByOwn}
		for n, h := range l.Hashes {
			j.Hashes[strconv.FormatUint(n, 10)] = h.String()
		}
		for _, a := range l.Pending {
			j.Pending = append(j.Pending, anchorJSON{a.Sequence, a.Hash.String(), a.By, a.At, a.Name, a.Event,
				a.Previous.String(), a.Skip.String()})
		}
		out.Logs = append(out.Logs, j)
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
		l, err := j.parseState()
		if err != nil {
			return fmt.Errorf("state of a walk, log %q: %w", j.LogID, err)
		}
		out.Logs = append(out.Logs, l)
	}
	*s = out
	return nil
}

func (j logStateJSON) parseState() (LogState, error) {
	l := LogState{Log: facts.Log{TenantID: j.TenantID, LogID: j.LogID}, Sequence: j.Sequence, counts: j.Counts}
	l.ByOwn = Word{Sequence: j.AnchoredSequence, By: j.AnchoredBy}
	if j.ByOthers != nil && j.ByOwn != nil {
		l.ByOthers, l.ByOwn = *j.ByOthers, *j.ByOwn
	}
	l.Hashes = map[uint64]chain.Hash{}
	for name, value := range j.Hashes {
		n, err := strconv.ParseUint(name, 10, 64)
		h, ok := form.Digest(value)
		if err != nil || !ok {
			return l, errors.New("a hash is not one")
		}
		l.Hashes[n] = h
	}
	for _, a := range j.Pending {
		var hashes [3]chain.Hash
		for i, text := range []string{a.Hash, a.Previous, a.Skip} {
			h, ok := form.Digest(text)
			if !ok && (text != "" || i == 0) {
				return l, errors.New("a hash of an anchor is not one")
			}
			hashes[i] = h
		}
		l.Pending = append(l.Pending, Anchor{Sequence: a.Sequence, Hash: hashes[0], By: a.By, At: a.At, Name: a.Name,
			Event: a.Event, Previous: hashes[1], Skip: hashes[2]})
	}
	_, err := l.frontier()
	return l, err
}
