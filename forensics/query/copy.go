package query

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Copy is one copy of an event. Each link records whether it is the recorded hash of a copy of
// the event that it names.
type Copy struct {
	Hash       HashCheck       `json:"hash"`
	Previous   LinkCheck       `json:"previous"`
	Skip       LinkCheck       `json:"skip"`
	Next       LinkCheck       `json:"next"`
	Fidelity   string          `json:"fidelity"`
	Deliveries []Delivery      `json:"deliveries"`
	Event      json.RawMessage `json:"event"`
	line       []byte
}

// HashCheck compares the hash that is written in a copy with the computed one.
type HashCheck struct {
	Recorded string `json:"recorded"`
	Computed string `json:"computed"`
	Holds    bool   `json:"holds"`
}

// LinkCheck compares a link with the event at its other end.
type LinkCheck struct {
	Sequence uint64    `json:"sequence"`
	Hash     string    `json:"hash"`
	State    LinkState `json:"state"`
}

// LinkState is the outcome of a [LinkCheck].
type LinkState string

// The states of links.
const (
	LinkHolds   LinkState = "holds"
	LinkDiffers LinkState = "differs"
	LinkAbsent  LinkState = "absent" // that event is not here
)

// Delivery is one arrival of a copy.
type Delivery struct {
	finding.Evidence
	Batches    []batchID `json:"batches"`
	ObservedAt string    `json:"observed_at,omitempty"`
}

// batchID is a batch id, and where on the way it was written.
type batchID struct {
	ID    string `json:"id"`
	Where string `json:"where"`
}

// addCopy adds a copy to its event.
func (s *shower) addCopy(ctx context.Context, e store.Selected, to *ShownEvent) error {
	if len(to.Copies) == mostCopies {
		to.MoreCopies++
		return nil
	}
	computed := e.ContentHash()
	out := Copy{Hash: HashCheck{e.Recorded.String(), computed.String(), e.Intact()},
		Fidelity: fidelities[e.Fidelity]}
	var err error
	if out.line, err = s.c.Line(ctx, &e); err != nil {
		return err
	}
	out.Event = out.line
	if out.Previous, err = s.checkLink(ctx, e, e.Link.Sequence-1, e.Link.Previous); err != nil {
		return err
	}
	if out.Skip, err = s.checkLink(ctx, e, chain.Skip(e.Link.Sequence), e.Link.Skip); err != nil {
		return err
	}
	if out.Next, err = s.checkNext(ctx, e); err != nil {
		return err
	}
	all, err := s.c.Deliveries(ctx, e.Ref)
	for _, d := range all {
		out.Deliveries = append(out.Deliveries, s.asDelivery(d))
	}
	to.Copies = append(to.Copies, out)
	return err
}

var fidelities = map[facts.Fidelity]string{
	facts.Exact: "exact", facts.Unquoted: "unquoted", facts.Recanonicalised: "recanonicalised",
	facts.Lossy: "lossy",
}

// checkLink compares the hash that an event gives another one of its log with the recorded hashes of
// that one, or with the genesis hash (SPEC 4.2).
func (s *shower) checkLink(ctx context.Context, e store.Selected, sequence uint64, hash chain.Hash) (LinkCheck,
	error) {
	out := LinkCheck{sequence, hash.String(), LinkAbsent}
	if sequence == 0 {
		out.State = linkState(hash == chain.Genesis(e.Log.TenantID, e.Log.LogID))
		return out, nil
	}
	for other, err := range s.c.Events(ctx, e.Log, sequence, sequence) {
		if err != nil {
			return out, err
		}
		if out.State = linkState(other.Recorded == hash); out.State == LinkHolds {
			break
		}
	}
	return out, nil
}

// checkNext compares the previous link of the event after this one with the hash that
// is written here.
func (s *shower) checkNext(ctx context.Context, e store.Selected) (LinkCheck, error) {
	out := LinkCheck{Sequence: e.Link.Sequence + 1, State: LinkAbsent}
	for other, err := range s.c.Events(ctx, e.Log, out.Sequence, out.Sequence) {
		if err != nil {
			return out, err
		}
		out.Hash, out.State = other.Link.Previous.String(), linkState(other.Link.Previous == e.Recorded)
		if out.State == LinkHolds {
			break
		}
	}
	return out, nil
}

func linkState(holds bool) LinkState {
	if holds {
		return LinkHolds
	}
	return LinkDiffers
}

func (s *shower) asDelivery(d facts.Delivery) Delivery {
	out := Delivery{Evidence: evidenceOf(s.names, d.Place)}
	for _, b := range d.Batches {
		out.Batches = append(out.Batches, batchID{b.ID, b.Where})
	}
	if d.ObservedAt != 0 {
		out.ObservedAt = time.Unix(0, d.ObservedAt).UTC().Format(time.RFC3339Nano)
	}
	return out
}

// Difference is a place in which copies differ. Values has the canonical JSON of
// each copy there, "" for a copy without this member.
type Difference struct {
	Pointer string   `json:"pointer"`
	Values  []string `json:"values"`
}

// compareCopies compares the copies of an event, member by member.
func compareCopies(copies []Copy) []Difference {
	values := make([]map[string]string, len(copies))
	all := map[string]bool{}
	for i, c := range copies {
		values[i] = map[string]string{}
		v, fault := ijson.Parse(c.line)
		if fault != nil {
			continue // a case that was tampered with
		}
		scalarsByPath(v, "", values[i])
		for p := range values[i] {
			all[p] = true
		}
	}
	var out []Difference
	for p := range all {
		d := Difference{Pointer: p}
		for _, v := range values {
			d.Values = append(d.Values, v[p])
		}
		if len(slices.Compact(slices.Clone(d.Values))) > 1 {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Pointer, b.Pointer) })
	return out
}

// scalarsByPath collects the scalars of a document, its empty objects and its empty lists
// by their JSON pointer (RFC 6901).
func scalarsByPath(v *ijson.Value, at string, into map[string]string) {
	members, elements := v.Members(), v.Elements()
	for _, m := range members {
		scalarsByPath(m.Value, at+"/"+ijson.PointerToken(m.Name), into)
	}
	for i, e := range elements {
		scalarsByPath(e, at+"/"+strconv.Itoa(i), into)
	}
	if len(members)+len(elements) == 0 {
		into[at] = string(v.Canonical())
	}
}
