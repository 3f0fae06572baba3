//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

const (
	tenant = "acme-corp"
	node   = "mesh-berlin-1"
)

// reportEvery is how many events of the journal lie between two reports of its
// head in the tenant log, so that all of it is anchored and the walk verifies.
const reportEvery = 10_000

// evidence is the files of one size: a journal, the tenant log that anchors it,
// and the trust file.
type evidence struct {
	dir    string
	events int
	stores int  // that hold all of it, where it is paired
	paired bool // both sides of what nodes do are there: see [evidence.pair]
}

func (e evidence) journal() string { return filepath.Join(e.dir, "journal.ndjson") }
func (e evidence) tenant() string  { return filepath.Join(e.dir, "tenant.ndjson") }
func (e evidence) trust() string   { return filepath.Join(e.dir, "trust.json") }
func (e evidence) file(name string) string {
	return filepath.Join(e.dir, name)
}

// make writes the evidence, unless it is there. The trust file is written last:
// where it stands, the rest is whole.
func (e evidence) make() error {
	if _, err := os.Stat(e.trust()); err == nil {
		return nil
	}
	if err := os.MkdirAll(e.dir, 0o750); err != nil {
		return err
	}
	w := newWorld()
	if err := errors.Join(w.writeLogs(e), e.spread()); err != nil {
		return err
	}
	return os.WriteFile(e.trust(), seal.Canonical(w.trust()), 0o600)
}

// world is a tenant with one node, which really signs every event.
type world struct {
	stream                     *chance.Stream
	auditKey, nodeKey, another seal.Key
	tenantLog, journal         *seal.Log
	now                        time.Time
}

func newWorld() *world {
	s := chance.New(1).Stream("casebench")
	return &world{stream: s,
		auditKey: seal.Key{ID: "audit-1", Private: s.Ed25519()}, nodeKey: seal.Key{ID: node, Private: s.Ed25519()},
		another:   seal.Key{ID: "signer-1", Private: s.Ed25519()},
		tenantLog: seal.NewLog(tenant, "tenant/"+tenant), journal: seal.NewLog(tenant, "node/"+node),
		now: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
}

func (w *world) trust() seal.Object {
	public := func(k seal.Key) string { return seal.Base64(k.Public()) }
	return seal.Object{
		"audit_keys":            seal.Object{w.auditKey.ID: public(w.auditKey)},
		"nodes":                 seal.Object{w.nodeKey.ID: public(w.nodeKey)},
		"protected_signer_keys": seal.Object{w.another.ID: public(w.another)},
		"registries":            seal.Object{"1": seal.Base64(make([]byte, 32))},
	}
}

func (w *world) writeLogs(e evidence) (err error) {
	files := make([]*bufio.Writer, 2)
	for i, path := range []string{e.journal(), e.tenant()} {
		f, createErr := os.Create(path) // #nosec G304 G703 -- the developer names it
		if createErr != nil {
			return createErr
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		files[i] = bufio.NewWriterSize(f, 1<<20)
	}
	for n := 1; n <= e.events; n++ {
		entry := w.entry(n)
		if e.paired {
			w.pair(n, &entry, func(t seal.Entry) { writeLine(files[1], w.tenantLog.Append(t, w.auditKey)) })
		}
		head := w.journal.Append(entry, w.nodeKey)
		writeLine(files[0], head)
		if n%reportEvery == 0 || n == e.events {
			w.now = w.now.Add(time.Second)
			report := seal.Entry{Type: "node.reported", OccurredAt: w.now, Salt: w.stream.Salt(), Data: reportOf(head)}
			writeLine(files[1], w.tenantLog.Append(report, w.auditKey))
		}
	}
	return errors.Join(files[0].Flush(), files[1].Flush())
}

// pair gives an event of the journal its other side in the tenant log, as in
// real logs: an approval is recorded there and its transaction issued, and every
// eighth event witnesses the newest event there.
func (w *world) pair(n int, entry *seal.Entry, tenant func(seal.Entry)) {
	other := seal.Entry{OccurredAt: w.now, TransactionID: fmt.Sprintf("tx-2026-%08d", n/9), Salt: w.stream.Salt()}
	switch {
	case n%4 == 0:
		other.Type = "approval.recorded"
		other.Data = seal.Object{"approval_sha256": entry.Data["approval_sha256"], "node_id": node}
		tenant(other)
	case n%8 == 3 && w.tenantLog.Sequence() > 0:
		entry.Type, entry.Data = "checkpoint.witnessed", seal.Object{"checkpoint_sha256": seal.SHA256(w.stream.Bytes(8)),
			"head_hash": w.tenantLog.Head().String(), "sequence": int64(w.tenantLog.Sequence())}
	}
	if n%9 == 8 {
		other.Salt, other.Type = w.stream.Salt(), "issuance.completed"
		other.Data = seal.Object{"manifest_sha256": seal.SHA256(w.stream.Bytes(8))}
		tenant(other)
	}
}

// pairs is the same amount of evidence with both sides of what nodes do, in
// several stores.
func (e evidence) pairs() evidence {
	return evidence{filepath.Join(e.dir, "paired"), e.events, e.stores, true}
}

// store is the files of one store of paired evidence. Contents are not the same,
// byte for byte, so that each is a source of its own.
func (e evidence) store(number int) string { return e.file(fmt.Sprintf("store-%d", number)) }

// spread writes the files of the stores.
func (e evidence) spread() error {
	if !e.paired {
		return nil
	}
	for i := range e.stores {
		if err := os.MkdirAll(e.store(i), 0o750); err != nil {
			return err
		}
		for _, path := range []string{e.journal(), e.tenant()} {
			content, err := os.ReadFile(path) // #nosec G304 -- the developer names it
			if err != nil {
				return err
			}
			content = append(content, bytes.Repeat([]byte("\n"), i)...)
			to := filepath.Join(e.store(i), filepath.Base(path))
			if err := os.WriteFile(to, content, 0o600); err != nil { // #nosec G703 -- the developer names it
				return err
			}
		}
	}
	return nil
}

func writeLine(w io.Writer, event seal.Object) {
	_, _ = w.Write(append(seal.Canonical(event), '\n')) // Flush returns the error
}

// entry is an event of the variety that a node's have. Two types have closed data
// (SPEC 4.4) and are small; the others make up for it, so that a line has 866
// bytes on average and its body 494.
func (w *world) entry(n int) seal.Entry {
	w.now = w.now.Add(137 * time.Millisecond)
	e := seal.Entry{OccurredAt: w.now, Salt: w.stream.Salt(), TransactionID: fmt.Sprintf("tx-2026-%08d", n/9)}
	digest := seal.SHA256(fmt.Append(nil, n))
	switch n % 4 {
	case 0:
		e.Type, e.Data = "approval.signed", seal.Object{"approval_sha256": digest, "decision": "allow"}
	case 1:
		e.Type, e.Data = "capability.observed", seal.Object{"capability_evidence_sha256": digest}
	case 2:
		e.Type, e.Data = "approval.denied", seal.Object{"approval_sha256": digest,
			"reason": fmt.Sprintf("capability evidence: nobody observed %s for profile %d", "attested-boot", n%89),
			"checked": []any{
				seal.Object{"rule": "terms-within-policy", "holds": true, "value_sha256": seal.SHA256([]byte(digest))},
				seal.Object{"rule": "capability-observed", "holds": false, "evidence_age_seconds": int64(n % 3601)}}}
	default:
		e.Type, e.TransactionID = "policy.synced", ""
		e.Data = seal.Object{"policy_sha256": digest, "policy_version": int64(n%7 + 1), "revision": int64(n),
			"previous_policy_sha256": seal.SHA256([]byte(digest)), "source": "https://policy.acme-corp.example/fleet/berlin",
			"detail": "the policy of the fleet was read again and found to be the one that is in force; no rule was added or removed, no term became wider, and every node of the fleet has it"}
	}
	return e
}

// reportOf is the data of a node's report of its head (SPEC 4.4).
func reportOf(head seal.Object) seal.Object {
	body := seal.Member(head, "body")
	return seal.Object{"node_id": node, "audit_sequence": seal.Integer(body, "sequence"), "audit_head": head["hash"],
		"previous_hash": head["previous_hash"], "skip_hash": head["skip_hash"], "body_sha256": seal.Digest(body),
		"key_id": head["key_id"], "signature": head["signature"]}
}
