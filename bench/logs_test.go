//go:build linux

package bench

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
)

const (
	tenant = "acme-corp"

	// reportEvery is how many events of a journal lie between two reports of its head in the
	// tenant log, so that all of it is anchored and the walk verifies.
	reportEvery = 10_000
)

// logs is a folder with journals and the tenant log that answers them, and the trust file.
type logs struct {
	dir, trust, state string
	node              seal.Key // the first
	events, journals  int      // events of all logs, and of each journal
	files             map[string]*bufio.Writer
	together          bool
}

// makeLogs makes so many journals of so many events: in a file each, or with the event of each log
// behind an event of another in one file.
func makeLogs(b *testing.B, count, each int, together bool) *logs {
	b.Helper()
	dir := must.Get(os.MkdirTemp(scratch, "logs-"))(b)
	l := &logs{dir: filepath.Join(dir, "logs"), trust: filepath.Join(dir, "trust.json"),
		state: filepath.Join(dir, "state"), journals: each, files: map[string]*bufio.Writer{}, together: together}
	must.Do(b, os.Mkdir(l.dir, 0o700))
	s := chance.New(1).Stream("bench")
	audit, signer := seal.Key{ID: "audit-1", Private: s.Ed25519()}, seal.Key{ID: "signer-1", Private: s.Ed25519()}
	nodes, spines := make([]seal.Key, count), make([]*seal.Log, count)
	public := seal.Object{}
	for i := range nodes {
		nodes[i] = seal.Key{ID: fmt.Sprintf("mesh-%d", i+1), Private: s.Ed25519()}
		spines[i], public[nodes[i].ID] = seal.NewLog(tenant, "node/"+nodes[i].ID), seal.Base64(nodes[i].Public())
	}
	answers := seal.NewLog(tenant, "tenant/"+tenant)
	for n := 1; n <= each; n++ {
		for i, spine := range spines {
			key := nodes[i]
			event := l.append(b, spine, key, n, journalEntry(key.ID, n))
			if n%16 == 0 {
				l.append(b, answers, audit, n, seal.Entry{Type: "approval.recorded", TransactionID: transactionOf(key.ID, n),
					Data: seal.Object{"approval_sha256": digestOf("approval", key.ID, n), "node_id": key.ID}})
				l.append(b, answers, audit, n, seal.Entry{Type: "issuance.completed", TransactionID: transactionOf(key.ID, n),
					Data: seal.Object{"manifest_sha256": digestOf("manifest", key.ID, n)}})
			}
			if n%reportEvery == 0 || n == each {
				l.append(b, answers, audit, n, seal.Entry{Type: "node.reported", Data: headReport(event, key.ID)})
			}
		}
	}
	for _, w := range l.files {
		must.Do(b, w.Flush())
	}
	l.node = nodes[0]
	l.events = count*each + int(answers.Sequence()) // #nosec G115 -- counted here
	must.Do(b, os.WriteFile(l.trust, seal.Canonical(seal.Object{"nodes": public,
		"audit_keys":            seal.Object{audit.ID: seal.Base64(audit.Public())},
		"protected_signer_keys": seal.Object{signer.ID: seal.Base64(signer.Public())},
		"registries":            seal.Object{"1": seal.Base64(make([]byte, 32))}}), 0o600))
	return l
}

// append writes the next event of a log.
func (l *logs) append(b *testing.B, spine *seal.Log, key seal.Key, n int, entry seal.Entry) seal.Object {
	b.Helper()
	name := strings.ReplaceAll(spine.ID(), "/", "-")
	if l.together {
		name = "all"
	}
	if l.files[name] == nil {
		l.files[name] = bufio.NewWriterSize(must.Get(os.Create(filepath.Join(l.dir, name+".ndjson")))(b), 1<<20)
	}
	entry.OccurredAt = time.Date(2026, time.March, 2, 9, 0, 0, n*1e6, time.UTC)
	event := spine.Append(entry, key)
	must.Get(l.files[name].Write(seal.Line(event)))(b)
	return event
}

func digestOf(what, keyID string, n int) string {
	return seal.SHA256(fmt.Appendf(nil, "%s %s %d", what, keyID, n))
}
func transactionOf(keyID string, n int) string { return fmt.Sprintf("tx-%s-%09d", keyID, n/16) }

// journalEntry is the content of an event of a journal. An event has about 866 bytes.
func journalEntry(keyID string, n int) seal.Entry {
	switch {
	case n%16 == 0:
		return seal.Entry{Type: "approval.signed", TransactionID: transactionOf(keyID, n),
			Data: seal.Object{"approval_sha256": digestOf("approval", keyID, n), "decision": "allow"}}
	case n%4 == 1:
		return seal.Entry{Type: "capability.observed",
			Data: seal.Object{"capability_evidence_sha256": digestOf("capability", keyID, n)}}
	case n%4 == 2:
		digest := digestOf("denied", keyID, n)
		return seal.Entry{Type: "approval.denied", Data: seal.Object{"approval_sha256": digest,
			"checked": []any{seal.Object{"holds": true, "rule": "terms-within-policy", "value_sha256": digest},
				seal.Object{"evidence_age_seconds": int64(3600), "holds": false, "rule": "capability-observed"}},
			"reason": "capability evidence: nobody observed attested-boot"}}
	}
	digest := digestOf("policy", keyID, n)
	return seal.Entry{Type: "policy.synced", Data: seal.Object{
		"detail": "the policy of the fleet was read again and found to be the one that is in force; " +
			"no rule was added or removed, no term became wider",
		"policy_sha256": digest, "policy_version": int64(7), "previous_policy_sha256": digest,
		"source": "https://policy.acme-corp.example/fleet"}}
}

// headReport is the data of a node's report of its head (SPEC 4.4).
func headReport(event seal.Object, keyID string) seal.Object {
	body := seal.Member(event, "body")
	return seal.Object{"node_id": keyID, "audit_sequence": body["sequence"], "audit_head": event["hash"],
		"previous_hash": event["previous_hash"], "skip_hash": event["skip_hash"], "body_sha256": seal.Digest(body),
		"key_id": event["key_id"], "signature": event["signature"]}
}
