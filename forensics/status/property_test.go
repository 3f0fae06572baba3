package status_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

// lifeEvent is an issuance or a revocation as a naive reader has it.
type lifeEvent struct {
	sequence                uint64
	revocation              bool
	transactionID, manifest string
}

// naive is a tenant log as it was collected, and the definitions, word by word.
type naive struct {
	present     map[uint64]bool
	life        []lifeEvent // that are present
	checkpoints []uint64    // of the bundles
	subjects    map[string]string
	revokedBy   string // the transaction that a bundle reports as revoked
	junk        bool
	altered     bool
}

func (n *naive) last() (last uint64) {
	for s := range n.present {
		last = max(last, s)
	}
	return last
}

// log returns the reason against any answer of the log.
func (n *naive) log() status.Reason {
	for i, a := range n.life {
		if owner := n.subjects[a.manifest]; n.altered || owner != "" && owner != a.transactionID {
			return status.LogRejected
		}
		for _, b := range n.life[:i] {
			if a.revocation == b.revocation && a.transactionID == b.transactionID {
				return status.LogRejected
			}
		}
	}
	if n.altered {
		return status.LogRejected
	}
	for s := uint64(1); s <= max(n.last(), slices.Max(append(n.checkpoints, 0))); s++ {
		if !n.present[s] {
			return status.LogIncomplete
		}
	}
	switch {
	case n.junk:
		return status.Unread
	case len(n.checkpoints) == 0:
		return status.AfterCheckpoint
	}
	return ""
}

// answer is the status of a transaction, and the reason.
func (n *naive) answer(id string) (status.Status, status.Reason) {
	var issued *lifeEvent
	var revoked, named []uint64
	for i, e := range n.life {
		if !e.revocation && e.transactionID == id {
			issued = &n.life[i]
		}
	}
	for _, e := range n.life {
		if e.revocation && e.transactionID == id {
			revoked = append(revoked, e.sequence)
		}
		if e.revocation && issued != nil && e.manifest == issued.manifest {
			named = append(named, e.sequence)
		}
	}
	is := status.Unknown
	if len(revoked) > 0 || n.revokedBy == id {
		is = status.Revoked
	}
	log := n.log()
	contradictory := issued != nil && (!slices.Equal(revoked, named) || len(revoked) > 0 && revoked[0] < issued.sequence)
	switch {
	case log == status.LogRejected:
		return is, log
	case contradictory:
		return is, status.Contradictory
	case is == status.Revoked:
		return is, ""
	case log != "":
		return is, log
	case issued == nil:
		return status.NotIssued, status.NotInLog
	case issued.sequence > slices.Max(n.checkpoints):
		return is, status.AfterCheckpoint
	}
	return status.Issued, ""
}

// drawn is a random case: the fleet's log with more events, some of them missing.
func drawn(t *rapid.T, e *fleet.Edited) (n *naive, given []string) {
	n = &naive{present: map[uint64]bool{}, subjects: map[string]string{}, junk: rapid.IntRange(0, 5).Draw(t, "junk") == 0}
	given = []string{fleet.TenantLog}
	for _, b := range []struct {
		id         string
		checkpoint uint64
	}{{first, checkpointFirst}, {second, checkpointSecond}, {third, checkpointThird}} {
		if rapid.Bool().Draw(t, "bundle of "+b.id) {
			given, n.checkpoints = append(given, fleet.Bundle(b.id)), append(n.checkpoints, b.checkpoint)
			n.subjects[manifestOf(e, b.id)] = b.id
			if b.id == first {
				n.revokedBy = first
			}
		}
	}
	events := slices.Clone(e.Scene.Tenant)
	a := author(e, last)
	ids := []string{first, second, third, late, "tx-2026-1002", "tx-a", "tx-b"}
	for range rapid.IntRange(0, 3).Draw(t, "more events") {
		id := rapid.SampledFrom(ids).Draw(t, "of")
		manifest := seal.SHA256([]byte(id))
		if own := manifestOf(e, rapid.SampledFrom([]string{id, id, second}).Draw(t, "manifest")); own != "" {
			manifest = own
		}
		kind, data := "certificate.revoked", revocationOf(manifest)
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			kind, data = "issuance.completed", issuanceOf(manifest)
		}
		body := a.Body(kind, data)
		body["transaction_id"] = id
		events = append(events, a.Sign(body))
	}
	gone := map[int]bool{}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "gaps") {
		from := rapid.SampledFrom([]int{1, 20, 54, 140, 161, 200, 227, 255}).Draw(t, "from")
		for s := range rapid.IntRange(1, 12).Draw(t, "length") {
			gone[from+s] = true
		}
	}
	end := len(events)
	if rapid.IntRange(0, 2).Draw(t, "cut") == 0 {
		end = rapid.SampledFrom([]int{60, 132, 133, 150, 161, 207, 208, 230}).Draw(t, "end")
	}
	altered := 0
	if rapid.IntRange(0, 9).Draw(t, "alter") == 0 {
		altered = 10
	}
	n.write(e, events[:end], gone, altered)
	return n, given
}

// write writes the log, and notes the content that a reader finds in it.
func (n *naive) write(e *fleet.Edited, events []seal.Object, gone map[int]bool, altered int) {
	var lines []byte
	for i, event := range events {
		if gone[i+1] {
			continue
		}
		line := seal.Canonical(event)
		if i+1 == altered {
			line, n.altered = forge.OnLine(forge.AlterSalt)(line), true
		}
		lines = append(append(lines, line...), '\n')
		n.present[uint64(i+1)] = true
		body := seal.Member(event, "body")
		switch kind := seal.Text(body, "type"); kind {
		case "issuance.completed", "certificate.revoked":
			n.life = append(n.life, lifeEvent{sequence: uint64(i + 1), revocation: kind == "certificate.revoked",
				transactionID: seal.Text(body, "transaction_id"),
				manifest:      seal.Text(seal.Member(body, "data"), "manifest_sha256")})
		}
	}
	if n.junk {
		lines = append(append(lines, junk...), '\n')
	}
	e.Put(fleet.TenantLog, lines)
}

// TestNaive compares the answers with the definitions, on random cases.
func TestNaive(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		e := scene(t)
		n, given := drawn(r, e)
		path, root := ingested(t, e, given)
		result := examined(t, path, root)
		all := ask(t, path, root, result, status.Question{})
		issued := slices.DeleteFunc(slices.Clone(n.life), func(l lifeEvent) bool { return l.revocation })
		must.That(r, len(all.rows) == len(issued), "%d rows of %d issuances", len(all.rows), len(issued))
		one := rapid.SampledFrom([]string{first, second, late, "tx-a", "tx-none"}).Draw(r, "asked")
		rows := append(all.rows, ask(t, path, root, result, status.Question{TransactionID: one}).rows...)
		for _, row := range rows {
			want, why := n.answer(row.TransactionID)
			must.That(r, row.Status == want && row.Reason == why,
				"%+v, want %s, %s; the log %+v", row, want, why, all.Logs)
			seen[fmt.Sprint(want, why)]++
		}
	})
	t.Log(seen)
}
