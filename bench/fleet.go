//go:build linux

package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

const (
	tenant = "acme-corp"
	node   = "mesh-1" // the first
)

// reportEvery is how many events of a journal lie between two reports of its head in
// the tenant log, so that all of it is anchored and the walk verifies.
const reportEvery = 10_000

// fleet is a tenant with some nodes: their journals, and the tenant log that answers
// them. Every event is really signed.
type fleet struct {
	journals []*quick
	tenant   *quick
	reports  [][]seal.Object // of each journal, that the tenant log does not have yet
	answered []int           // how many events of each journal it has answered
	trust    seal.Object
}

func newFleet(nodes int) (f *fleet, err error) {
	s := chance.New(1).Stream("bench")
	f = &fleet{reports: make([][]seal.Object, nodes), answered: make([]int, nodes)}
	keys := seal.Object{}
	for i := range nodes {
		key := seal.Key{ID: fmt.Sprintf("mesh-%d", i+1), Private: s.Ed25519()}
		q, err := newQuick(tenant, "node/"+key.ID, key)
		if err != nil {
			return nil, err
		}
		f.journals, keys[key.ID] = append(f.journals, q), seal.Base64(key.Public())
	}
	audit := seal.Key{ID: "audit-1", Private: s.Ed25519()}
	signer := seal.Key{ID: "signer-1", Private: s.Ed25519()}
	f.trust = seal.Object{"nodes": keys, "audit_keys": seal.Object{audit.ID: seal.Base64(audit.Public())},
		"protected_signer_keys": seal.Object{signer.ID: seal.Base64(signer.Public())},
		"registries":            seal.Object{"1": seal.Base64(make([]byte, 32))}}
	f.tenant, err = newQuick(tenant, "tenant/"+tenant, audit)
	return f, err
}

// size is how many events the logs have, and their bytes.
func (f *fleet) size() (events int, octets int64) {
	for _, q := range append(f.journals, f.tenant) {
		events, octets = events+len(q.hashes)-1, octets+q.octets
	}
	return events, octets
}

// logs is how many logs there are. The tenant log is the last.
func (f *fleet) logs() int { return len(f.journals) + 1 }

// write writes the next events of a log: so many of a journal, or all that the tenant
// log has on the events of the journals so far.
func (f *fleet) write(log int, w io.Writer, events int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	write := func() error { return f.answer(b, true) }
	if log < len(f.journals) {
		write = func() error { return f.journal(log, b, events) }
	}
	if err := write(); err != nil {
		return err
	}
	return b.Flush()
}

func (f *fleet) journal(i int, w *bufio.Writer, events int) error {
	q := f.journals[i]
	return q.write(w, func(n int) quickEntry { return journalEntry(q.keyID, n) }, events,
		func(report seal.Object) { f.reports[i] = append(f.reports[i], report) })
}

// answer writes the tenant log's entries about the new events of the journals: the reports of
// their heads and, if both sides are wanted, their approvals and issuances. It has them when
// they occur, as a service that hears of them at once: so few approvals wait for it at any
// moment, however many there are.
func (f *fleet) answer(w *bufio.Writer, both bool) error {
	var entries []quickEntry
	for i, q := range f.journals {
		for n := f.answered[i] + 1; both && n < len(q.hashes); n++ {
			if n%16 == 0 {
				entries = append(entries, recordedEntry(q.keyID, n), issuedEntry(q.keyID, n))
			}
		}
		for _, r := range f.reports[i] {
			entries = append(entries, quickEntry{kind: "node.reported", data: string(seal.Canonical(r)),
				at: timeOfEvent(int(seal.Integer(r, "audit_sequence")))})
		}
		f.answered[i], f.reports[i] = len(q.hashes)-1, nil
	}
	slices.SortStableFunc(entries, func(a, b quickEntry) int { return a.at.Compare(b.at) })
	first := len(f.tenant.hashes)
	return f.tenant.write(w, func(n int) quickEntry { return entries[n-first] }, len(entries), nil)
}

// timeOfEvent is when the event of a journal occurred.
func timeOfEvent(sequence int) time.Time {
	return time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(sequence) * time.Millisecond)
}

// digestOf is a digest that two logs have of one thing.
func digestOf(what, keyID string, n int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", what, keyID, n))
	return hex.EncodeToString(digest[:])
}

func transactionOf(keyID string, n int) string { return fmt.Sprintf("tx-%s-%09d", keyID, n/16) }

// journalEntry is an event of the variety that a node's have. Two types have closed data
// (SPEC 4.4) and are small; the others make up for it, so that a line has 866 bytes on
// average. Each sixteenth is an approval, which the tenant log must have.
func journalEntry(keyID string, n int) quickEntry {
	e := quickEntry{at: timeOfEvent(n)}
	switch {
	case n%16 == 0:
		e.kind, e.transaction = "approval.signed", transactionOf(keyID, n)
		e.data = `{"approval_sha256":"` + digestOf("approval", keyID, n) + `","decision":"allow"}`
	case n%4 == 1:
		e.kind = "capability.observed"
		e.data = `{"capability_evidence_sha256":"` + digestOf("capability", keyID, n) + `"}`
	case n%4 == 2:
		digest := digestOf("denied", keyID, n)
		e.kind = "approval.denied"
		e.data = `{"approval_sha256":"` + digest +
			`","checked":[{"holds":true,"rule":"terms-within-policy","value_sha256":"` + digest +
			`"},{"evidence_age_seconds":3600,"holds":false,"rule":"capability-observed"}],` +
			`"reason":"capability evidence: nobody observed attested-boot"}`
	default:
		digest := digestOf("policy", keyID, n)
		e.kind = "policy.synced"
		e.data = `{"detail":"the policy of the fleet was read again and found to be the one that is in force; ` +
			`no rule was added or removed, no term became wider","policy_sha256":"` + digest +
			`","policy_version":7,"previous_policy_sha256":"` + digest +
			`","source":"https://policy.acme-corp.example/fleet"}`
	}
	return e
}

func recordedEntry(keyID string, n int) quickEntry {
	return quickEntry{kind: "approval.recorded", transaction: transactionOf(keyID, n), at: timeOfEvent(n),
		data: `{"approval_sha256":"` + digestOf("approval", keyID, n) + `","node_id":"` + keyID + `"}`}
}

func issuedEntry(keyID string, n int) quickEntry {
	return quickEntry{kind: "issuance.completed", transaction: transactionOf(keyID, n), at: timeOfEvent(n),
		data: `{"manifest_sha256":"` + digestOf("manifest", keyID, n) + `"}`}
}
