package contradiction

import (
	"cmp"
	"iter"

	"github.com/svc-edge/svc-verify/finding"
)

// Codes returns the codes of contradictions, the most specific first.
func Codes() []finding.Code {
	return []finding.Code{finding.IssuedTwice, SerialReused, finding.RevocationWithheld, finding.SplitView,
		ChainContradiction}
}

// Compare returns the most specific contradiction of two bundles (SPEC 14.2).
// The sides are in the order of the arguments, and nothing else depends on it. A
// bundle never contradicts itself, nor another writing of it.
func Compare(a, b *Facts) (Finding, bool) {
	for _, rule := range []func(a, b *Facts) (Finding, bool){issuedTwice, serialReused, findWithheld, findTwoHashes} {
		if f, found := rule(a, b); found {
			f.addSentences()
			return f, true
		}
	}
	return Finding{}, false
}

// issuedTwice is SPEC 14.2.1: one transaction has two issuance events or two
// manifests.
func issuedTwice(a, b *Facts) (Finding, bool) {
	if a.Tenant != b.Tenant || a.Transaction != b.Transaction {
		return Finding{}, false
	}
	f := Finding{Code: finding.IssuedTwice, Sequence: max(a.Issuance, b.Issuance)}
	switch {
	case a.Manifest != b.Manifest:
		f.What = Manifest
		f.sides(a, b, func(x *Facts) Side { return Side{Sequence: x.Issuance, Value: x.Manifest.String()} })
	case a.IssuanceHash() != b.IssuanceHash():
		f.What = IssuanceEvent
		f.sides(a, b, func(x *Facts) Side { return Side{Sequence: x.Issuance, Value: x.IssuanceHash().String()} })
	default:
		return Finding{}, false
	}
	certificates := a.Certificate != b.Certificate
	f.setGrounds(a, b, func(x *Facts) []Ground {
		g := append(x.checkpoint(), x.audit(OnIssuanceEvent, x.Issuance, x.Keys.Issuance))
		if certificates {
			g = append(g, x.receipt())
		}
		return g
	})
	return f, true
}

// serialReused is SPEC 14.2.2: one issuer key gave one serial to two
// certificates.
func serialReused(a, b *Facts) (Finding, bool) {
	if a.Issuer != b.Issuer || a.Serial != b.Serial || a.Certificate == b.Certificate {
		return Finding{}, false
	}
	f := Finding{Code: SerialReused, What: Certificate, Serial: a.Serial, Issuer: a.Issuer.String()}
	f.sides(a, b, func(x *Facts) Side { return Side{Value: x.Certificate.String()} })
	f.setGrounds(a, b, func(x *Facts) []Ground { return []Ground{x.receipt()} })
	return f, true
}

// findWithheld is SPEC 14.2.3: one bundle states "issued" at a checkpoint at or above the
// revocation event of the other.
func findWithheld(a, b *Facts) (Finding, bool) {
	issued, revoked := a, b
	if a.Revoked() {
		issued, revoked = b, a
	}
	if a.Tenant != b.Tenant || a.Transaction != b.Transaction || a.Revoked() == b.Revoked() ||
		issued.Sequence() < revoked.Revocation {
		return Finding{}, false
	}
	f := Finding{Code: finding.RevocationWithheld, What: Status, Sequence: revoked.Revocation}
	f.sides(a, b, func(x *Facts) Side {
		if x == revoked {
			return Side{Sequence: x.Revocation, Value: "revoked"}
		}
		return Side{Sequence: x.Sequence(), Value: "issued"}
	})
	f.setGrounds(a, b, func(x *Facts) []Ground {
		g := append(x.checkpoint(), x.audit(OnStatus, 0, x.Keys.Status))
		if x == revoked {
			g = append(g, x.audit(OnRevocationEvent, x.Revocation, x.Keys.Revocation))
		}
		return g
	})
	return f, true
}

// findTwoHashes is SPEC 14.2.4 and 14.2.5: one sequence of one log has two hashes.
func findTwoHashes(a, b *Facts) (Finding, bool) {
	if a.Tenant != b.Tenant {
		return Finding{}, false
	}
	c := findParting(a, b)
	if c.sequence == 0 {
		return Finding{}, false
	}
	f := Finding{Code: ChainContradiction, What: EventHash, Shows: c.shows, Sequence: c.sequence}
	if c.shows == FalseLink {
		f.Shared = c.shared
	}
	if a.Sequence() == b.Sequence() && a.Head() != b.Head() {
		f.Code, f.Shows, f.Sequence, f.Shared = finding.SplitView, TwoHistories, a.Sequence(), 0
	}
	f.sides(a, b, func(x *Facts) Side {
		h, _ := x.provenHash(f.Sequence)
		return Side{Sequence: f.Sequence, Value: h.String()}
	})
	f.setGrounds(a, b, func(x *Facts) []Ground { return x.proof(f.Sequence) })
	return f, true
}

// parting is a sequence with two hashes. Shared is the lowest sequence above it
// for which both bundles prove one hash, 0 if there is none.
type parting struct {
	sequence, shared uint64
	shows            Shows
}

// findParting returns the sequence with two hashes that shows the most: two histories before a
// false link before an open one, and then the highest. Its sequence is 0 if there is none.
func findParting(a, b *Facts) parting {
	straight := max(a.straight(), b.straight())
	var best parting
	var shared uint64
	for x, y := range commonEvents(a.Way, b.Way) {
		if x.Hash == y.Hash {
			shared = x.Sequence
			continue
		}
		p := parting{x.Sequence, shared, Open}
		switch {
		case x.Sequence >= straight:
			p.shows = TwoHistories
		case shared != 0:
			p.shows = FalseLink
		}
		if best.sequence == 0 || p.shows.rank() < best.shows.rank() {
			best = p
		}
	}
	return best
}

// rank orders the values of Shows, the most telling first.
func (s Shows) rank() int {
	switch s {
	case TwoHistories:
		return 0
	case FalseLink:
		return 1
	}
	return 2
}

// commonEvents yields the events of two ways that have one sequence, the newest first.
func commonEvents(a, b []Event) iter.Seq2[Event, Event] {
	return func(yield func(x, y Event) bool) {
		for len(a) > 0 && len(b) > 0 {
			switch cmp.Compare(a[0].Sequence, b[0].Sequence) {
			case 1:
				a = a[1:]
			case -1:
				b = b[1:]
			default:
				if !yield(a[0], b[0]) {
					return
				}
				a, b = a[1:], b[1:]
			}
		}
	}
}
