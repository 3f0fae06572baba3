package pack

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/trust"
)

// Choice selects events for a pack. An event must match one of the filters. Its body is left out if it
// matches Redact; nil matches none.
type Choice struct {
	Filters []store.Filter
	Redact  store.Predicate
}

// LeftOut counts chosen evidence that is not in a pack: copies of events that the owner of the log did
// not sign as they are or whose own links contradict each other, and bundles that do not verify or
// would show a redacted body.
type LeftOut struct {
	Copies int `json:"copies"`
	Proofs int `json:"proofs"`
}

// errTooLarge is the error of a choice that does not fit into a pack.
var errTooLarge = fmt.Errorf("a pack has at most %d MiB: choose fewer events", MaxFile>>20)

// Make returns a pack of events of an examined case (SPEC 22), and counts the evidence that it
// lacks. It is empty if the choice selects no genuine event. The same case, result, trust file and
// choice give the same bytes.
func Make(ctx context.Context, c *store.Case, root *trust.Root, result *verdict.Result, choice Choice) (pack []byte,
	left LeftOut, err error) {
	m := maker{ctx: ctx, in: c, root: root, choice: choice, logs: map[facts.Log]map[named]*picked{},
		hidden: map[transaction]bool{}, shown: map[transaction]bool{}}
	for _, f := range choice.Filters {
		if err := m.pickEvents(f, asChosen); err != nil {
			return nil, left, err
		}
	}
	if len(m.logs) == 0 {
		return nil, LeftOut{Copies: m.altered}, nil
	}
	left.Copies = m.altered // of those that were chosen
	claims := m.makeClaims(result)
	if err := m.pickReports(); err != nil {
		return nil, left, err
	}
	d, err := m.findDocuments()
	if err != nil {
		return nil, left, err
	}
	if err := m.pickWitnesses(d); err != nil {
		return nil, left, err
	}
	if err := m.pickFirstEvents(); err != nil {
		return nil, left, err
	}
	w := &writer{}
	w.addLine("pack", claims)
	d.writeLines(w)
	for _, log := range slices.SortedFunc(maps.Keys(m.logs), facts.Log.Compare) {
		if err := m.writeHistories(w, log); err != nil {
			return nil, left, err
		}
	}
	w.addLine("end", map[string]string{"sha256": chain.Hash(sha256.Sum256(w.out)).String()})
	left.Proofs = d.left
	return w.out, left, w.err
}

// maker selects the content of a pack.
type maker struct {
	ctx    context.Context
	in     *store.Case
	root   *trust.Root
	choice Choice

	logs          map[facts.Log]map[named]*picked
	size, altered int
	hidden, shown map[transaction]bool // of events that the choice redacts and discloses
}

type transaction struct{ tenantID, id string }

// picked is an event that goes into a pack.
type picked struct {
	link      chain.Link
	recorded  chain.Hash
	keyID     string
	signature [event.SignatureSize]byte
	whole     []byte // nil if it is redacted
}

// leastLine is less than the bytes of an event in a pack.
const leastLine = 480

// picking is the reason why events are picked.
type picking bool

const (
	asChosen picking = false
	asLink   picking = true // to be named by a statement: without their bodies
)

// pickEvents picks the genuine events that a filter selects.
func (m *maker) pickEvents(f store.Filter, why picking) error {
	for s, err := range m.in.Select(m.ctx, f) {
		if err != nil {
			return err
		}
		log := s.Log
		n := named{log, s.Link.Sequence, s.Recorded}
		if m.logs[log][n] != nil {
			continue
		}
		var l event.Line
		whole, err := m.readGenuine(&s, &l)
		if err != nil {
			return err
		}
		if whole == nil {
			m.altered++
			continue
		}
		redacted := why == asLink || m.isRedacted(s.Log, &l)
		if why == asChosen && s.TransactionID != "" {
			about := transaction{log.TenantID, s.TransactionID}
			m.hidden[about] = m.hidden[about] || redacted
			m.shown[about] = m.shown[about] || !redacted
		}
		if redacted {
			whole = nil
		}
		if m.logs[log] == nil {
			m.logs[log] = map[named]*picked{}
		}
		m.logs[log][n] = &picked{l.Link, l.Recorded, s.KeyID, l.Signature, whole}
		if m.size += max(len(whole), leastLine); m.size > MaxFile {
			return errTooLarge
		}
	}
	return nil
}

// pickFirstEvents picks the first event of each log without a disclosed event: it shows which log that
// is.
func (m *maker) pickFirstEvents() error {
	for log, events := range m.logs {
		if !slices.ContainsFunc(slices.Collect(maps.Values(events)), func(p *picked) bool { return p.whole != nil }) {
			if err := m.pickAt(log, 1, asLink); err != nil {
				return err
			}
		}
	}
	return nil
}

// readGenuine reads a copy of an event, and returns it whole. It returns nil if the owner of the log did
// not sign it as it is, or its own links contradict each other.
func (m *maker) readGenuine(s *store.Selected, l *event.Line) ([]byte, error) {
	whole, err := m.in.Line(m.ctx, s)
	if err != nil || !event.Scan(whole, l) {
		return nil, err
	}
	log, hash := s.Log, l.Link.Hash()
	_, refusal := trust.Open(m.root, trust.Seal(trust.Envelope{Protocol: event.Protocol, Payload: hash[:],
		KeyID: string(l.KeyID), Signature: l.Signature[:]}, owned{log}))
	if refusal != nil || hash != l.Recorded || !hasOwner(log) || !genesisOf(log).agreeWith([]chain.Link{l.Link}) {
		return nil, nil
	}
	return whole, nil
}

// isRedacted reports whether the choice leaves out the body of an event.
func (m *maker) isRedacted(log facts.Log, l *event.Line) bool {
	return m.choice.Redact != nil && m.choice.Redact.Matches(store.Candidate{Log: log, Sequence: l.Link.Sequence,
		OccurredAt: l.OccurredAt, Type: string(l.Type), KeyID: string(l.KeyID), TransactionID: l.TransactionID,
		Data: l.Data})
}

// pickedBounds returns the oldest and the newest sequence of the events that were picked of a log.
func (m *maker) pickedBounds(log facts.Log) (oldest, newest uint64) {
	for n := range m.logs[log] {
		if oldest == 0 || n.sequence < oldest {
			oldest = n.sequence
		}
		newest = max(newest, n.sequence)
	}
	return oldest, newest
}

// makeClaims returns the claims about the case: its sources, and the findings about events that were
// chosen.
func (m *maker) makeClaims(result *verdict.Result) *Claims {
	c := &Claims{Protocol: Protocol, TrustSHA256: result.TrustSHA256,
		Verdict: result.Verdict, Findings: []Claimed{}, Sources: []string{}}
	sequences := map[facts.Log][]uint64{}
	for log, events := range m.logs {
		for n := range events {
			sequences[log] = append(sequences[log], n.sequence)
		}
		slices.Sort(sequences[log])
	}
	for _, f := range result.Findings {
		of := sequences[facts.LogOf(f)]
		i, _ := slices.BinarySearch(of, max(f.Sequence, 1))
		if i < len(of) && of[i] <= f.LastSequence && len(c.Findings) < mostFindings {
			c.Findings = append(c.Findings, Claimed{f.Code, f.TenantID, f.LogID, f.Sequence, f.LastSequence})
		}
	}
	for _, s := range result.Sources {
		c.Sources = append(c.Sources, s.SHA256)
	}
	slices.Sort(c.Sources)
	c.Sources = slices.Compact(c.Sources)
	c.Sources = c.Sources[:min(len(c.Sources), mostSources)]
	return c
}
