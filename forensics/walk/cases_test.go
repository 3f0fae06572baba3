package walk_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// The logs of the history, and what has it.
var berlin, oslo, tenantLog = walktest.Berlin, walktest.Oslo, walktest.TenantLog

type world = walktest.World

// plain is the history that the cases damage. Berlin has 33 events and is
// anchored at 20 and 30, Oslo 25 with a key rotated after 21, anchored at 12;
// the tenant log 24, anchored at 10 and 24. Reports are its events 11, 12
// and 21.
func plain(t testing.TB) *world {
	w := walktest.NewWorld(7)
	w.Fill(tenantLog, 10)
	w.Checkpoint()
	w.Fill(berlin, 20)
	w.Report(berlin)
	w.Fill(oslo, 12)
	w.Report(oslo)
	w.Fill(tenantLog, 8)
	w.Fill(berlin, 10)
	w.Cursor(berlin)
	w.Report(berlin)
	w.Fill(tenantLog, 3)
	w.Checkpoint()
	w.Fill(berlin, 3)
	w.Fill(oslo, 13)
	return w
}

// A case is one damage and exactly what is found of it: nothing for a near
// miss, which is evidence that is sound and looks like the damage.
type testCase struct {
	name   string
	damage func(w *world)
	want   []string
}

const (
	inBerlin = "node/berlin "
	inOslo   = "node/oslo "
	inTenant = "tenant/acme-corp "
)

var eventCases = []testCase{
	{"nothing", func(*world) {}, nil},
	{"body altered", func(w *world) { w.Alter(berlin, 6, forge.AlterSalt) },
		[]string{inBerlin + "event.hash-mismatch 7-7"}},
	{"previous link altered", func(w *world) { w.Alter(berlin, 6, forge.AlterHash("previous_hash")) },
		[]string{inBerlin + "event.hash-mismatch 7-7"}},
	{"skip link altered", func(w *world) { w.Alter(berlin, 6, forge.AlterHash("skip_hash")) },
		[]string{inBerlin + "event.hash-mismatch 7-7"}},
	{"recorded hash altered", func(w *world) { w.Alter(berlin, 12, forge.AlterHash("hash")) },
		[]string{inBerlin + "event.hash-mismatch 13-13"}},
	{"body altered in a row", func(w *world) {
		for i := 6; i < 11; i++ {
			w.Alter(berlin, i, forge.AlterSalt)
		}
	}, []string{inBerlin + "event.hash-mismatch 7-11"}},
	{"body altered and hashed again", func(w *world) {
		w.Alter(berlin, 12,
			forge.Rehash(forge.AlterSalt))
	}, []string{inBerlin + "event.signature-invalid 13-13"}},
	{"body and signature altered", func(w *world) {
		w.Alter(berlin, 12, forge.AlterSalt)
		w.Alter(berlin, 12, forge.AlterSignature)
	},
		[]string{inBerlin + "event.hash-mismatch 13-13", inBerlin + "event.signature-invalid 13-13"}},
	{"structured on the way", func(w *world) {
		w.Alter(berlin, 6, forge.AlterSalt)
		w.Copies[berlin][6].Lossy = true
	}, []string{inBerlin + "event.hash-mismatch-lossy 7-7"}},
	{"structured on the way without harm", func(w *world) { w.Copies[berlin][6].Lossy = true }, nil},
	{"signature altered", func(w *world) { w.Alter(berlin, 12, forge.AlterSignature) },
		[]string{inBerlin + "event.signature-invalid 13-13"}},
	{"signed by the node's other key", func(w *world) {
		w.Alter(oslo, 6, forge.Resign(w.Keys["oslo/2"], func(seal.Object) {}))
	}, nil},
	{"unknown key", func(w *world) { w.Alter(berlin, 12, forge.Resign(w.Keys["stranger"], func(seal.Object) {})) },
		[]string{inBerlin + "event.key-unknown 13-13"}},
	{"unknown key, altered", func(w *world) { w.Alter(berlin, 12, forge.Resign(w.Keys["stranger"], forge.AlterSalt)) },
		[]string{inBerlin + "chain.link-broken 14-14", inBerlin + "chain.link-broken 17-17",
			inBerlin + "chain.link-broken 26-26", inBerlin + "event.key-unknown 13-13"}},
	{"key of another role", func(w *world) { w.Alter(tenantLog, 6, forge.Resign(w.Keys["berlin"], func(seal.Object) {})) },
		[]string{inTenant + "event.key-unknown 7-7"}},
	{"other node's event", func(w *world) { w.Alter(berlin, 12, forge.Resign(w.Keys["oslo"], forge.AlterSalt)) },
		[]string{inBerlin + "event.key-of-other-node 13-13"}},
	{"spliced from another log", func(w *world) { w.Copies[berlin] = append(w.Copies[berlin], w.Copies[oslo][4]) }, nil},
	{"spliced and relabelled", func(w *world) {
		w.Copies[berlin][4] = w.Copies[oslo][4]
		w.Alter(berlin, 4, func(o seal.Object) { seal.Member(o, "body")["log_id"] = berlin.LogID })
	}, []string{inBerlin + "event.hash-mismatch 5-5", inBerlin + "event.key-of-other-node 5-5"}},
	{"altered copy", func(w *world) { w.AddAltered(berlin, 12, forge.AlterSalt) },
		[]string{inBerlin + "event.altered-copy 13-13"}},
	{"copy with an altered signature", func(w *world) {
		w.AddAltered(berlin, 12,
			forge.AlterSignature)
	}, []string{inBerlin + "event.altered-copy 13-13"}},
	{"copy under another key id", func(w *world) {
		w.AddAltered(berlin, 12,
			forge.RenameKey("stranger"))
	}, []string{inBerlin + "event.altered-copy 13-13"}},
	{"event of a stranger in the same place", func(w *world) {
		w.AddAltered(berlin, 12, forge.Resign(w.Keys["stranger"], forge.AlterSalt))
	}, []string{inBerlin + "event.key-unknown 13-13"}},
	{"event of another node in the same place", func(w *world) {
		w.AddAltered(berlin, 12, forge.Resign(w.Keys["oslo"], forge.AlterSalt))
	}, []string{inBerlin + "event.key-of-other-node 13-13"}},
	{"delivered twice", func(w *world) { w.Copies[berlin] = append(w.Copies[berlin], w.Copies[berlin]...) }, nil},
	{"signed twice", func(w *world) { w.AddAltered(oslo, 12, forge.Resign(w.Keys["oslo/2"], func(seal.Object) {})) }, nil},
	{"lossy copy", func(w *world) {
		w.AddAltered(berlin, 12, forge.Spoil)
		w.Copies[berlin][33].Lossy = true
	}, []string{inBerlin + "event.lossy-copy 13-13"}},
	{"lossy copy of which nothing was lost", func(w *world) {
		w.AddAltered(berlin, 12, forge.AlterSalt)
		w.Copies[berlin][33].Lossy = true
	}, []string{inBerlin + "event.altered-copy 13-13"}},
	{"lossy copy that was altered as well", func(w *world) {
		w.AddAltered(berlin, 12, forge.Spoil)
		w.Copies[berlin][33].Lossy = true
		w.Alter(berlin, 33, forge.AlterSalt)
	}, []string{inBerlin + "event.altered-copy 13-13"}},
	{"lossy copy with another signature", func(w *world) {
		w.AddAltered(berlin, 12, forge.Spoil)
		w.Copies[berlin][33].Lossy = true
		w.Alter(berlin, 33, forge.AlterSignature)
	}, []string{inBerlin + "event.altered-copy 13-13"}},
	{"spoilt copy that no transport took apart", func(w *world) { w.AddAltered(berlin, 12, forge.Spoil) },
		[]string{inBerlin + "event.altered-copy 13-13"}},
	{"out of order", func(w *world) { slices.Reverse(w.Copies[berlin]) }, nil},
	{"dated 301 s back", func(w *world) { stepBack(w, berlin, 301) },
		[]string{inBerlin + "event.time-regression 34-34"}},
	{"dated 300 s back", func(w *world) { stepBack(w, berlin, 300) }, nil},
	{"forged far away", func(w *world) { w.AddAltered(berlin, 12, forge.Resequence(far)) },
		[]string{inBerlin + "event.hash-mismatch 1000000000000013-1000000000000013"}},
	{"forged far away and hashed again", func(w *world) { w.AddAltered(berlin, 12, forge.Rehash(forge.Resequence(far))) },
		[]string{inBerlin + "event.signature-invalid 1000000000000013-1000000000000013"}},
	{"forged far away by a stranger", func(w *world) {
		w.AddAltered(berlin, 12, forge.Resign(w.Keys["stranger"], forge.Resequence(far)))
	}, []string{inBerlin + "event.key-unknown 1000000000000013-1000000000000013"}},
	{"forged far away by another node", func(w *world) {
		w.AddAltered(berlin, 12, forge.Resign(w.Keys["oslo"], forge.Resequence(far)))
	}, []string{inBerlin + "event.key-of-other-node 1000000000000013-1000000000000013"}},
	{"signed far away by the owner", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(9)))
	}, []string{inBerlin + "chain.gap 34-41"}},
	{"signed far away by the owner, with no time between", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(5000)))
	}, []string{inBerlin + "chain.unconnected 5033-5033"}},
	{"two signed far away by the owner, with no time between", func(w *world) {
		w.AddAltered(berlin, 31, forge.Resign(w.Keys["berlin"], forge.Resequence(far)))
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(far)))
	}, []string{inBerlin + "chain.unconnected 1000000000000032-1000000000000033"}},
	{"signed far away by the owner, with an altered copy, and altered events above", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(5000)))
		w.AddAltered(berlin, 33, forge.AlterSignature)
		w.AddAltered(berlin, 32, forge.Resequence(6000))
	}, []string{inBerlin + "chain.unconnected 5033-5033", inBerlin + "event.altered-copy 5033-5033",
		inBerlin + "event.hash-mismatch 6033-6033"}},
	{"signed far away by the owner, with time between", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], func(o seal.Object) {
			forge.Resequence(5000)(o)
			later(24 * time.Hour)(o)
		}))
	}, []string{inBerlin + "chain.gap 34-5032"}},
	{"signed far away by the owner, in two sources", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(5000)))
		w.Copies[oslo] = append(w.Copies[oslo], w.Copies[berlin][33])
	}, []string{inBerlin + "chain.gap 34-5032"}},
	{"signed far away by the owner, and anchored", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(5000)))
		w.Docs = append(w.Docs, w.CursorOf(berlin, 5033, hashOf(w.Copies[berlin][33].Object),
			w.Keys["berlin"]))
	}, []string{inBerlin + "chain.gap 34-5032"}},
	{"signed not so far away by the owner", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(101)))
	}, []string{inBerlin + "chain.gap 34-133"}},
	{"forged in a gap", func(w *world) {
		w.AddAltered(berlin, 4, forge.Resequence(9))
		w.Remove(berlin, 11, 5)
	}, []string{inBerlin + "chain.gap 12-13", inBerlin + "chain.gap 15-16", inBerlin + "event.hash-mismatch 14-14"}},
	{"forged in a gap beyond the anchors", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resequence(4))
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(9)))
	}, []string{inBerlin + "chain.gap 34-36", inBerlin + "chain.gap 38-41", inBerlin + "event.hash-mismatch 37-37"}},
	{"forged in a gap beyond the anchors, and an altered copy of what follows", func(w *world) {
		w.AddAltered(berlin, 32, forge.Resequence(4))
		w.AddAltered(berlin, 32, forge.Resign(w.Keys["berlin"], forge.Resequence(9)))
		w.AddAltered(berlin, 34, forge.AlterSignature)
	}, []string{inBerlin + "chain.gap 34-36", inBerlin + "chain.gap 38-41", inBerlin + "event.altered-copy 42-42",
		inBerlin + "event.hash-mismatch 37-37"}},
	{"last body altered", func(w *world) { w.Alter(berlin, 32, forge.AlterSalt) },
		[]string{inBerlin + "event.hash-mismatch 33-33"}},
	{"last body altered and hashed again", func(w *world) {
		w.Alter(berlin, 32,
			forge.Rehash(forge.AlterSalt))
	}, []string{inBerlin + "event.signature-invalid 33-33"}},
	{"stranger goes on", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 3, w.Keys["stranger"])...)
	}, []string{inBerlin + "event.key-unknown 34-36"}},
	{"stranger goes on after a gap", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 5, w.Keys["stranger"])[2:]...)
	}, []string{inBerlin + "event.key-unknown 36-38"}},
	{"owner goes on after a stranger", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 2, w.Keys["stranger"])...)
		w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 1, w.Keys["berlin"])...)
	}, []string{inBerlin + "event.key-unknown 34-35"}},
	{"owner goes on after a stranger, of whom one is missing", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 2, w.Keys["stranger"])...)
		w.Copies[berlin] = append(w.Copies[berlin], w.Forge(berlin, 1, w.Keys["berlin"])...)
		w.Remove(berlin, 33, 1)
	}, []string{inBerlin + "chain.gap 34-34", inBerlin + "event.key-unknown 35-35"}},
	{"nothing but a forged one", func(w *world) {
		w.AddAltered(berlin, 12, forge.Resequence(far))
		w.Remove(berlin, 0, 33)
	}, []string{inBerlin + "event.hash-mismatch 1000000000000013-1000000000000013", inBerlin + "journal.gone 1-30"}},
	{"nothing but one of a stranger", func(w *world) {
		w.Alter(berlin, 12, forge.Resign(w.Keys["stranger"], forge.Resequence(far)))
		w.Copies = map[facts.Log][]walktest.Copy{berlin: w.Copies[berlin][12:13]}
		w.Docs = nil
	}, []string{inBerlin + "event.key-unknown 1000000000000013-1000000000000013", inBerlin + "journal.absent 0-0"}},
	{"log of another tenant", func(w *world) { foreign(w, "tenant/other") },
		[]string{"tenant/other event.other-tenant 1-3"}},
}

// far is where no honest log comes to.
const far = 1_000_000_000_000_000

// stepBack appends an event that is dated before the one ahead of it.
func stepBack(w *world, l facts.Log, seconds int) {
	last, _ := seal.ParseTime(seal.Text(seal.Member(w.Copies[l][len(w.Copies[l])-1].Object, "body"), "occurred_at"))
	e := w.Entry("policy.synced", seal.Object{})
	e.OccurredAt = last.Add(-time.Duration(seconds) * time.Second)
	w.Copies[l] = append(w.Copies[l], walktest.Copy{Object: w.Spines[l].Append(e, w.Key(l))})
}

// foreign adds a log of three events.
func foreign(w *world, id string) {
	l := facts.Log{TenantID: walktest.Tenant, LogID: id}
	w.Spines[l] = seal.NewLog(walktest.Tenant, id)
	for range 3 {
		w.Copies[l] = append(w.Copies[l], walktest.Copy{Object: w.Spines[l].Append(w.Entry("x", seal.Object{}),
			w.Keys["audit-1"])})
	}
}

var chainCases = []testCase{
	{"previous link forged", func(w *world) {
		w.Alter(berlin, 32, forge.Resign(w.Keys["berlin"], forge.AlterHash("previous_hash")))
	}, []string{inBerlin + "chain.link-broken 33-33"}},
	{"skip link forged", func(w *world) {
		w.Alter(berlin, 32, forge.Resign(w.Keys["berlin"], forge.AlterHash("skip_hash")))
	}, []string{inBerlin + "chain.link-broken 33-33"}},
	{"genesis forged", func(w *world) {
		w.Remove(berlin, 1, 32)
		w.Docs = w.Docs[:1]
		w.Alter(berlin, 0, forge.Resign(w.Keys["berlin"], forge.AlterHash("previous_hash")))
	}, []string{inBerlin + "chain.link-broken 1-1", inBerlin + "journal.tail-missing 2-30"}},
	{"deleted", func(w *world) { w.Remove(berlin, 11, 3) }, []string{inBerlin + "chain.gap 12-14"}},
	{"two gaps", func(w *world) { w.Remove(berlin, 11, 1); w.Remove(berlin, 14, 2) },
		[]string{inBerlin + "chain.gap 12-12", inBerlin + "chain.gap 16-17"}},
	{"unread", func(w *world) {
		w.Remove(berlin, 11, 3)
		w.Unread = map[facts.Log][]finding.Evidence{berlin: {{Source: "x", Length: 11}}}
	}, []string{inBerlin + "chain.gap-unread 12-14"}},
	{"unread elsewhere", func(w *world) {
		w.Remove(berlin, 11, 3)
		w.Unread = map[facts.Log][]finding.Evidence{berlin: {{Source: "x", Length: 20}}}
	}, []string{inBerlin + "chain.gap 12-14"}},
	{"unread, nothing missing", func(w *world) {
		w.Unread = map[facts.Log][]finding.Evidence{berlin: {{Source: "x", Length: 11}}}
	}, nil},
	{"beginning lost", func(w *world) { w.Remove(berlin, 0, 4) },
		[]string{inBerlin + "journal.head-missing 1-4"}},
	{"fork", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin],
			w.Rewrite(berlin, 30, 2, forge.AlterSalt)...)
	}, []string{inBerlin + "chain.fork 31-32"}},
	{"fork in the middle", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin],
			w.Rewrite(berlin, 14, 9, forge.AlterSalt)...)
	}, []string{inBerlin + "chain.fork 15-23"}},
	{"fork after a gap", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin],
			w.Rewrite(berlin, 30, 2, forge.AlterSalt)...)
		w.Remove(berlin, 28, 2)
	}, []string{inBerlin + "chain.fork 31-32", inBerlin + "chain.gap 29-30"}},
	{"same history again", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin],
			w.Rewrite(berlin, 14, 9, func(seal.Object) {})...)
	}, nil},
	{"begun again", func(w *world) {
		w.Copies[berlin] = append(w.Copies[berlin], w.Rewrite(berlin, 0, 3, forge.AlterSalt)...)
	}, []string{inBerlin + "chain.fork 1-3"}},
	{"cut off", func(w *world) { w.Remove(berlin, 27, 6) },
		[]string{inBerlin + "journal.tail-missing 28-30"}},
	{"cut off, the end unread", func(w *world) {
		w.Remove(berlin, 27, 6)
		w.Unread = map[facts.Log][]finding.Evidence{berlin: {{Source: "x", Length: 27}}}
	}, []string{inBerlin + "journal.tail-unread 28-30"}},
	{"cut off, unread elsewhere", func(w *world) {
		w.Remove(berlin, 27, 6)
		w.Unread = map[facts.Log][]finding.Evidence{berlin: {{Source: "x", Length: 26}}}
	}, []string{inBerlin + "journal.tail-missing 28-30"}},
	{"cut off above the anchors, the end unread", func(w *world) {
		w.Remove(berlin, 30, 3)
		w.Unread = map[facts.Log][]finding.Evidence{berlin: {{Source: "x", Length: 30}}}
	}, nil},
	{"cut off above the anchors", func(w *world) { w.Remove(berlin, 30, 3) }, nil},
	{"not there", func(w *world) { delete(w.Copies, berlin) },
		[]string{inBerlin + "journal.absent 1-30"}},
	{"tail signed again", func(w *world) {
		w.Copies[berlin] = slices.Concat(w.Copies[berlin][:24],
			w.Rewrite(berlin, 24, 9, forge.AlterSalt))
	},
		[]string{inBerlin + "anchor.mismatch 30-30"}},
	{"all signed again", func(w *world) { w.Copies[berlin] = w.Rewrite(berlin, 0, 33, forge.AlterSalt) },
		[]string{inBerlin + "anchor.mismatch 20-30"}},
	{"tail above the anchors signed again", func(w *world) {
		w.Copies[berlin] = slices.Concat(w.Copies[berlin][:30],
			w.Rewrite(berlin, 30, 3, forge.AlterSalt))
	}, nil},
}

var anchorCases = []testCase{
	{"two heads", func(w *world) { w.Docs = append(w.Docs, w.CheckpointOf(24, seal.Hash{1}, w.Keys["audit-1"])) },
		[]string{inTenant + "anchor.split-view 24-24"}},
	{"two heads, twice", func(w *world) {
		w.Docs = append(w.Docs, w.CheckpointOf(10, seal.Hash{1}, w.Keys["audit-1"]),
			w.CheckpointOf(24, seal.Hash{1}, w.Keys["audit-1"]))
	}, []string{inTenant + "anchor.split-view 10-10", inTenant + "anchor.split-view 24-24"}},
	{"same head twice", func(w *world) {
		w.Docs = append(w.Docs, w.CheckpointOf(24, w.Spines[tenantLog].Head(), w.Keys["audit-1"]))
	}, nil},
	{"checkpoint of another history", func(w *world) {
		w.Docs = append(w.Docs,
			w.CheckpointOf(20, seal.Hash{1}, w.Keys["audit-1"]))
	},
		[]string{inTenant + "anchor.mismatch 20-20"}},
	{"rollback after 301 s", func(w *world) {
		w.Steps += 284 // 16 events and the checkpoint itself are 17 s
		w.Docs = append(w.Docs, w.CheckpointOf(15, w.Spines[tenantLog].Hash(15), w.Keys["audit-1"]))
	}, []string{inTenant + "checkpoint.rollback 15-24"}},
	{"two rollbacks", func(w *world) {
		w.Steps += 284
		for _, n := range []uint64{15, 16} {
			w.Docs = append(w.Docs, w.CheckpointOf(n, w.Spines[tenantLog].Hash(n), w.Keys["audit-1"]))
		}
	}, []string{inTenant + "checkpoint.rollback 15-24", inTenant + "checkpoint.rollback 16-24"}},
	{"lower checkpoint after 300 s", func(w *world) {
		w.Steps += 283
		w.Docs = append(w.Docs, w.CheckpointOf(15, w.Spines[tenantLog].Hash(15), w.Keys["audit-1"]))
	}, nil},
	{"checkpoint altered", func(w *world) {
		d := seal.CloneObject(w.Docs[0])
		seal.Member(d, "statement")["sequence"] = int64(9)
		w.Docs[0] = d
	}, []string{inTenant + "anchor.signature-invalid 9-9"}},
	{"checkpoint by a stranger", func(w *world) {
		w.Docs = append(w.Docs, w.CheckpointOf(20, seal.Hash{1}, w.Keys["stranger"]))
	}, []string{inTenant + "anchor.key-unknown 20-20"}},
	{"cursor altered", func(w *world) {
		d := w.CursorOf(berlin, 5, w.Spines[berlin].Hash(5), w.Keys["berlin"])
		seal.Member(d, "statement")["sequence"] = int64(6)
		w.Docs = append(w.Docs, d)
	}, []string{inBerlin + "anchor.signature-invalid 6-6"}},
	{"cursor by a stranger", func(w *world) {
		w.Docs = append(w.Docs, w.CursorOf(berlin, 5, seal.Hash{}, w.Keys["stranger"]))
	},
		[]string{inBerlin + "anchor.key-unknown 5-5"}},
	{"cursor by another node", func(w *world) {
		w.Docs = append(w.Docs, w.CursorOf(berlin, 5, seal.Hash{}, w.Keys["oslo"]))
	},
		[]string{inBerlin + "cursor.key-of-other-node 5-5"}},
	{"cursor", func(w *world) {
		w.Docs = append(w.Docs, w.CursorOf(berlin, 5, w.Spines[berlin].Hash(5), w.Keys["berlin"]))
	}, nil},
	{"report of another head", func(w *world) {
		reportAltered(w, func(o seal.Object) { o["audit_head"] = forge.FlipHash(seal.Text(o, "audit_head")) })
	},
		[]string{inTenant + "report.signature-invalid 25-25"}},
	{"report without the node's signature", func(w *world) { reportAltered(w, forge.AlterSignature) },
		[]string{inTenant + "report.signature-invalid 25-25"}},
	{"report under an unknown key", func(w *world) { reportAltered(w, forge.RenameKey("stranger")) },
		[]string{inTenant + "report.key-unknown 25-25"}},
	{"report under another node's key", func(w *world) { reportAltered(w, forge.RenameKey("oslo")) },
		[]string{inTenant + "report.signature-invalid 25-25"}},
	{"report", func(w *world) { reportAltered(w, func(seal.Object) {}) }, nil},
	{"report of a journal that is not there", func(w *world) { delete(w.Copies, oslo) },
		[]string{inOslo + "journal.absent 1-12"}},
	{"another document", func(w *world) { w.Docs = append(w.Docs, seal.Object{"x": "y"}) },
		[]string{" document.malformed 0-0"}},
	{"checkpoint with a member too many", func(w *world) {
		w.Docs = append(w.Docs, w.CheckpointOf(20, seal.Hash{1}, w.Keys["audit-1"]))
		seal.Member(w.Docs[len(w.Docs)-1], "statement")["x"] = "y"
	}, []string{" document.malformed 0-0"}},
	{"cursor with a member too few", func(w *world) {
		w.Docs = append(w.Docs, w.CursorOf(berlin, 5, seal.Hash{}, w.Keys["berlin"]))
		delete(seal.Member(w.Docs[len(w.Docs)-1], "statement"), "batch_id")
	}, []string{" document.malformed 0-0"}},
	{"no evidence", func(w *world) { w.Evidence = walktest.Evidence{} }, []string{" walk.nothing-examined 0-0"}},
}

// reportAltered appends a report of Berlin's head with altered data.
func reportAltered(w *world, change func(seal.Object)) {
	data := walktest.ReportOf(w.Copies[berlin][32].Object, "berlin")
	change(data)
	w.Append(tenantLog, "node.reported", data)
}

// TestBrokenLinkSaysWhich: the finding names the link that is broken.
func TestBrokenLinkSaysWhich(t *testing.T) {
	for member, want := range map[string]string{"previous_hash": "the previous link ", "skip_hash": "the skip link to "} {
		w := plain(t)
		w.Alter(berlin, 32, forge.Resign(w.Keys["berlin"], forge.AlterHash(member)))
		r, _ := walkWith(t, w.Reader(), w.Root, 2, 1000)
		if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Code == finding.LinkBroken && strings.HasPrefix(f.Expected, want)
		}) {
			t.Errorf("%s: %+v", member, r.Findings)
		}
	}
}

func TestCases(t *testing.T) {
	for i, tt := range slices.Concat(eventCases, chainCases, anchorCases) {
		splits := []int{1, 5, 1000}
		if testing.Short() && i%2 > 0 {
			continue
		}
		if testing.Short() {
			splits = splits[i%3:][:1]
		}
		t.Run(tt.name, func(t *testing.T) {
			w := plain(t)
			tt.damage(w)
			for _, split := range splits {
				r, _ := walkWith(t, w.Reader(), w.Root, 2, split)
				d := cmp.Diff(tt.want, walktest.Said(r.Findings))
				must.That(t, d == "", "sections of %d (-want +got):\n%s", split, d)
				if want := walktest.VerdictOf(r.Findings); r.Verdict != want {
					t.Errorf("verdict %s, want %s", r.Verdict, want)
				}
			}
		})
	}
}

// TestEveryCodeHasACase: every code that this package mentions is found in a
// case, or in the test that is named here.
func TestEveryCodeHasACase(t *testing.T) {
	elsewhere := map[string]string{
		"checkpoint.under-quorum":  "TestScenes",
		"walk.limit-reached":       "TestDeadline",
		"journal.tail-unanchored":  "TestUnanchoredTail",
		"chain.gap-between-copies": "TestGapBetweenCopies",
		"journal.tail-truncated":   "TestCutAfterItWasCollected",
	}
	var found []string
	for _, tt := range slices.Concat(eventCases, chainCases, anchorCases) {
		for _, w := range tt.want {
			found = append(found, strings.Fields(w)[len(strings.Fields(w))-2])
		}
	}
	values := map[string]string{}
	for _, name := range must.Get(filepath.Glob(filepath.Join("..", "..", "finding", "*.go")))(t) {
		for _, m := range regexp.MustCompile(`(\w+)\s+Code = "([^"]+)"`).FindAllStringSubmatch(read(t, name), -1) {
			values[m[1]] = m[2]
		}
	}
	must.That(t, len(values) != 0, "no code is declared")
	for _, name := range must.Get(filepath.Glob("*.go"))(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`finding\.([A-Z]\w+)`).FindAllStringSubmatch(read(t, name), -1) {
			code := values[m[1]]
			check.That(t, code == "" || elsewhere[code] != "" || slices.Contains(found, code),
				"%s finds %s, and no case does", name, code)
		}
	}
}

// later lets an event say that it occurred later.
func later(by time.Duration) func(seal.Object) {
	return func(o seal.Object) {
		body := seal.Member(o, "body")
		at := must.Have(seal.ParseTime(seal.Text(body, "occurred_at")))
		body["occurred_at"] = seal.Time(at.Add(by))
	}
}

// hashOf is the hash that is written in an event.
func hashOf(o seal.Object) seal.Hash {
	return must.Have(seal.ParseHash(seal.Text(o, "hash")))
}

func read(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(name))(t)
	return string(b)
}
