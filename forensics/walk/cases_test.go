package walk

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/harness/wire"
	"github.com/svc-edge/svc-verify/verify"
)

// plain is the history that the cases damage. Berlin has 33 events and is
// anchored at 20 and 30, Oslo 25 with a key rotated after 21, anchored at 12;
// the tenant log 24, anchored at 10 and 24. Reports are its events 11, 12
// and 21.
func plain(t testing.TB) *world {
	w := newWorld(t, 7)
	w.fill(tenantLog, 10)
	w.checkpoint()
	w.fill(berlin, 20)
	w.report(berlin)
	w.fill(oslo, 12)
	w.report(oslo)
	w.fill(tenantLog, 8)
	w.fill(berlin, 10)
	w.cursor(berlin)
	w.report(berlin)
	w.fill(tenantLog, 3)
	w.checkpoint()
	w.fill(berlin, 3)
	w.fill(oslo, 13)
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
	{"body altered", func(w *world) { w.alter(berlin, 6, alterBody) }, []string{inBerlin + "event.hash-mismatch 7-7"}},
	{"previous link altered", func(w *world) { w.alter(berlin, 6, alterHash("previous_hash")) }, []string{inBerlin + "event.hash-mismatch 7-7"}},
	{"skip link altered", func(w *world) { w.alter(berlin, 6, alterHash("skip_hash")) }, []string{inBerlin + "event.hash-mismatch 7-7"}},
	{"recorded hash altered", func(w *world) { w.alter(berlin, 12, alterHash("hash")) }, []string{inBerlin + "event.hash-mismatch 13-13"}},
	{"body altered in a row", func(w *world) {
		for i := 6; i < 11; i++ {
			w.alter(berlin, i, alterBody)
		}
	}, []string{inBerlin + "event.hash-mismatch 7-11"}},
	{"body altered and hashed again", func(w *world) { w.alter(berlin, 12, rehash(alterBody)) }, []string{inBerlin + "event.signature-invalid 13-13"}},
	{"body and signature altered", func(w *world) { w.alter(berlin, 12, alterBody); w.alter(berlin, 12, alterSignature) },
		[]string{inBerlin + "event.hash-mismatch 13-13", inBerlin + "event.signature-invalid 13-13"}},
	{"structured on the way", func(w *world) { w.alter(berlin, 6, alterBody); w.copies[berlin][6].lossy = true }, []string{inBerlin + "event.hash-mismatch-lossy 7-7"}},
	{"structured on the way without harm", func(w *world) { w.copies[berlin][6].lossy = true }, nil},
	{"signature altered", func(w *world) { w.alter(berlin, 12, alterSignature) }, []string{inBerlin + "event.signature-invalid 13-13"}},
	{"signed by the node's other key", func(w *world) { w.alter(oslo, 6, resign(w.keys["oslo/2"], func(wire.Object) {})) }, nil},
	{"unknown key", func(w *world) { w.alter(berlin, 12, resign(w.keys["stranger"], func(wire.Object) {})) }, []string{inBerlin + "event.key-unknown 13-13"}},
	{"unknown key, altered", func(w *world) { w.alter(berlin, 12, resign(w.keys["stranger"], alterBody)) },
		[]string{inBerlin + "chain.link-broken 14-14", inBerlin + "chain.skip-broken 14-14", inBerlin + "chain.skip-broken 17-17", inBerlin + "chain.skip-broken 26-26", inBerlin + "event.key-unknown 13-13"}},
	{"key of another role", func(w *world) { w.alter(tenantLog, 6, resign(w.keys["berlin"], func(wire.Object) {})) }, []string{inTenant + "event.key-unknown 7-7"}},
	{"other node's event", func(w *world) { w.alter(berlin, 12, resign(w.keys["oslo"], alterBody)) }, []string{inBerlin + "event.key-of-other-node 13-13"}},
	{"spliced from another log", func(w *world) { w.copies[berlin] = append(w.copies[berlin], w.copies[oslo][4]) }, nil},
	{"spliced and relabelled", func(w *world) {
		w.copies[berlin][4] = w.copies[oslo][4]
		w.alter(berlin, 4, func(o wire.Object) { wire.Member(o, "body")["log_id"] = berlin.LogID })
	}, []string{inBerlin + "event.hash-mismatch 5-5", inBerlin + "event.key-of-other-node 5-5"}},
	{"altered copy", func(w *world) { w.addAltered(berlin, 12, alterBody) }, []string{inBerlin + "event.altered-copy 13-13"}},
	{"copy with an altered signature", func(w *world) { w.addAltered(berlin, 12, alterSignature) }, []string{inBerlin + "event.altered-copy 13-13"}},
	{"copy under another key id", func(w *world) { w.addAltered(berlin, 12, renameKey("stranger")) }, []string{inBerlin + "event.altered-copy 13-13"}},
	{"event of a stranger in the same place", func(w *world) { w.addAltered(berlin, 12, resign(w.keys["stranger"], alterBody)) }, []string{inBerlin + "event.key-unknown 13-13"}},
	{"event of another node in the same place", func(w *world) { w.addAltered(berlin, 12, resign(w.keys["oslo"], alterBody)) }, []string{inBerlin + "event.key-of-other-node 13-13"}},
	{"delivered twice", func(w *world) { w.copies[berlin] = append(w.copies[berlin], w.copies[berlin]...) }, nil},
	{"signed twice", func(w *world) { w.addAltered(oslo, 12, resign(w.keys["oslo/2"], func(wire.Object) {})) }, nil},
	{"lossy copy", func(w *world) { w.addAltered(berlin, 12, alterBody); w.copies[berlin][33].lossy = true }, []string{inBerlin + "event.lossy-copy 13-13"}},
	{"out of order", func(w *world) { slices.Reverse(w.copies[berlin]) }, nil},
	{"dated 301 s back", func(w *world) { w.stepBack(berlin, 301) }, []string{inBerlin + "event.time-regression 34-34"}},
	{"dated 300 s back", func(w *world) { w.stepBack(berlin, 300) }, nil},
	{"log of another tenant", func(w *world) { w.foreign("tenant/other") }, []string{"tenant/other event.other-tenant 1-3"}},
}

// stepBack appends an event that is dated before the one ahead of it.
func (w *world) stepBack(l Log, seconds int) {
	last, _ := wire.ParseTime(wire.Text(wire.Member(w.copies[l][len(w.copies[l])-1].Object, "body"), "occurred_at"))
	e := w.entry("policy.synced", wire.Object{})
	e.OccurredAt = last.Add(-time.Duration(seconds) * time.Second)
	w.copies[l] = append(w.copies[l], copied{Object: w.spines[l].Append(e, w.key(l))})
}

// foreign adds a log of three events.
func (w *world) foreign(id string) {
	l := Log{tenant, id}
	w.spines[l] = wire.NewLog(tenant, id)
	for range 3 {
		w.copies[l] = append(w.copies[l], copied{Object: w.spines[l].Append(w.entry("x", wire.Object{}), w.keys["audit-1"])})
	}
}

var chainCases = []testCase{
	{"previous link forged", func(w *world) { w.alter(berlin, 32, resign(w.keys["berlin"], alterHash("previous_hash"))) }, []string{inBerlin + "chain.link-broken 33-33"}},
	{"skip link forged", func(w *world) { w.alter(berlin, 32, resign(w.keys["berlin"], alterHash("skip_hash"))) }, []string{inBerlin + "chain.skip-broken 33-33"}},
	{"genesis forged", func(w *world) {
		w.remove(berlin, 1, 32)
		w.docs = w.docs[:1]
		w.alter(berlin, 0, resign(w.keys["berlin"], alterHash("previous_hash")))
	}, []string{inBerlin + "chain.link-broken 1-1", inBerlin + "journal.tail-truncated 2-30"}},
	{"deleted", func(w *world) { w.remove(berlin, 11, 3) }, []string{inBerlin + "chain.gap 12-14"}},
	{"two gaps", func(w *world) { w.remove(berlin, 11, 1); w.remove(berlin, 14, 2) }, []string{inBerlin + "chain.gap 12-12", inBerlin + "chain.gap 16-17"}},
	{"unread", func(w *world) {
		w.remove(berlin, 11, 3)
		w.unread = map[Log][]finding.Evidence{berlin: {{Source: "x", Length: 11}}}
	}, []string{inBerlin + "chain.gap-unread 12-14"}},
	{"unread elsewhere", func(w *world) {
		w.remove(berlin, 11, 3)
		w.unread = map[Log][]finding.Evidence{berlin: {{Source: "x", Length: 20}}}
	}, []string{inBerlin + "chain.gap 12-14"}},
	{"unread, nothing missing", func(w *world) {
		w.unread = map[Log][]finding.Evidence{berlin: {{Source: "x", Length: 11}}}
	}, nil},
	{"beginning lost", func(w *world) { w.remove(berlin, 0, 4) }, []string{inBerlin + "journal.head-missing 1-4"}},
	{"fork", func(w *world) { w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 30, 2, alterBody)...) }, []string{inBerlin + "chain.fork 31-32"}},
	{"fork in the middle", func(w *world) { w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 14, 9, alterBody)...) }, []string{inBerlin + "chain.fork 15-23"}},
	{"fork after a gap", func(w *world) {
		w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 30, 2, alterBody)...)
		w.remove(berlin, 28, 2)
	}, []string{inBerlin + "chain.fork 31-32", inBerlin + "chain.gap 29-30"}},
	{"same history again", func(w *world) {
		w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 14, 9, func(wire.Object) {})...)
	}, nil},
	{"begun again", func(w *world) { w.copies[berlin] = append(w.copies[berlin], w.rewrite(berlin, 0, 3, alterBody)...) }, []string{inBerlin + "chain.restart 1-3"}},
	{"cut off", func(w *world) { w.remove(berlin, 27, 6) }, []string{inBerlin + "journal.tail-truncated 28-30"}},
	{"cut off above the anchors", func(w *world) { w.remove(berlin, 30, 3) }, nil},
	{"not there", func(w *world) { delete(w.copies, berlin) }, []string{inBerlin + "journal.absent 1-30"}},
	{"tail signed again", func(w *world) {
		w.copies[berlin] = slices.Concat(w.copies[berlin][:24], w.rewrite(berlin, 24, 9, alterBody))
	},
		[]string{inBerlin + "anchor.mismatch 30-30"}},
	{"all signed again", func(w *world) { w.copies[berlin] = w.rewrite(berlin, 0, 33, alterBody) }, []string{inBerlin + "anchor.mismatch 20-30"}},
	{"tail above the anchors signed again", func(w *world) {
		w.copies[berlin] = slices.Concat(w.copies[berlin][:30], w.rewrite(berlin, 30, 3, alterBody))
	}, nil},
}

var anchorCases = []testCase{
	{"two heads", func(w *world) { w.docs = append(w.docs, w.checkpointOf(24, wire.Hash{1}, w.keys["audit-1"])) }, []string{inTenant + "anchor.split-view 24-24"}},
	{"same head twice", func(w *world) {
		w.docs = append(w.docs, w.checkpointOf(24, w.spines[tenantLog].Head(), w.keys["audit-1"]))
	}, nil},
	{"checkpoint of another history", func(w *world) { w.docs = append(w.docs, w.checkpointOf(20, wire.Hash{1}, w.keys["audit-1"])) },
		[]string{inTenant + "anchor.mismatch 20-20"}},
	{"rollback after 301 s", func(w *world) {
		w.steps += 284 // 16 events and the checkpoint itself are 17 s
		w.docs = append(w.docs, w.checkpointOf(15, w.spines[tenantLog].Hash(15), w.keys["audit-1"]))
	}, []string{inTenant + "checkpoint.rollback 15-24"}},
	{"lower checkpoint after 300 s", func(w *world) {
		w.steps += 283
		w.docs = append(w.docs, w.checkpointOf(15, w.spines[tenantLog].Hash(15), w.keys["audit-1"]))
	}, nil},
	{"checkpoint altered", func(w *world) {
		d := wire.CloneObject(w.docs[0])
		wire.Member(d, "statement")["sequence"] = int64(9)
		w.docs[0] = d
	}, []string{inTenant + "checkpoint.signature-invalid 9-9"}},
	{"checkpoint by a stranger", func(w *world) {
		w.docs = append(w.docs, w.checkpointOf(20, wire.Hash{1}, w.keys["stranger"]))
	}, []string{inTenant + "checkpoint.key-unknown 20-20"}},
	{"cursor altered", func(w *world) {
		d := w.cursorOf(berlin, 5, w.spines[berlin].Hash(5), w.keys["berlin"])
		wire.Member(d, "statement")["sequence"] = int64(6)
		w.docs = append(w.docs, d)
	}, []string{inBerlin + "cursor.signature-invalid 6-6"}},
	{"cursor by a stranger", func(w *world) { w.docs = append(w.docs, w.cursorOf(berlin, 5, wire.Hash{}, w.keys["stranger"])) },
		[]string{inBerlin + "cursor.key-unknown 5-5"}},
	{"cursor by another node", func(w *world) { w.docs = append(w.docs, w.cursorOf(berlin, 5, wire.Hash{}, w.keys["oslo"])) },
		[]string{inBerlin + "cursor.key-of-other-node 5-5"}},
	{"cursor", func(w *world) {
		w.docs = append(w.docs, w.cursorOf(berlin, 5, w.spines[berlin].Hash(5), w.keys["berlin"]))
	}, nil},
	{"report of another head", func(w *world) {
		w.reportAltered(func(o wire.Object) { o["audit_head"] = flip(wire.Text(o, "audit_head")) })
	},
		[]string{inTenant + "report.hash-mismatch 25-25"}},
	{"report without the node's signature", func(w *world) { w.reportAltered(alterSignature) }, []string{inTenant + "report.signature-invalid 25-25"}},
	{"report under an unknown key", func(w *world) { w.reportAltered(renameKey("stranger")) }, []string{inTenant + "report.key-unknown 25-25"}},
	{"report under another node's key", func(w *world) { w.reportAltered(renameKey("oslo")) }, []string{inTenant + "report.key-of-other-node 25-25"}},
	{"report", func(w *world) { w.reportAltered(func(wire.Object) {}) }, nil},
	{"report of a journal that is not there", func(w *world) {
		delete(w.copies, oslo)
	}, []string{inOslo + "journal.absent 1-12"}},
	{"another document", func(w *world) { w.docs = append(w.docs, wire.Object{"x": "y"}) }, []string{" document.malformed 0-0"}},
	{"checkpoint with a member too many", func(w *world) {
		w.docs = append(w.docs, w.checkpointOf(20, wire.Hash{1}, w.keys["audit-1"]))
		wire.Member(w.docs[len(w.docs)-1], "statement")["x"] = "y"
	}, []string{" document.malformed 0-0"}},
	{"cursor with a member too few", func(w *world) {
		w.docs = append(w.docs, w.cursorOf(berlin, 5, wire.Hash{}, w.keys["berlin"]))
		delete(wire.Member(w.docs[len(w.docs)-1], "statement"), "batch_id")
	}, []string{" document.malformed 0-0"}},
	{"no evidence", func(w *world) { w.evidence = evidence{} }, []string{" walk.nothing-examined 0-0"}},
}

// reportAltered appends a report of Berlin's head with altered data.
func (w *world) reportAltered(change func(wire.Object)) {
	data := reportOf(w.copies[berlin][32].Object, "berlin")
	change(data)
	w.append(tenantLog, "node.reported", data)
}

func TestCases(t *testing.T) {
	for _, tt := range slices.Concat(eventCases, chainCases, anchorCases) {
		t.Run(tt.name, func(t *testing.T) {
			w := plain(t)
			tt.damage(w)
			for _, split := range []int{1, 5, 1000} {
				r, _ := walkWith(t, w.source(), w.root, 2, split)
				if d := cmp.Diff(tt.want, said(r.Findings)); d != "" {
					t.Fatalf("stretches of %d (-want +got):\n%s", split, d)
				}
				if want := verdictOf(r.Findings); r.Verdict != want {
					t.Errorf("verdict %s, want %s", r.Verdict, want)
				}
			}
		})
	}
}

// verdictOf is the verdict that findings call for.
func verdictOf(findings []finding.Finding) verify.Verdict {
	worst := verify.Verified
	for _, f := range findings {
		switch f.Effect() {
		case finding.Rejects:
			return verify.Rejected
		case finding.LeavesOpen:
			worst = verify.Inconclusive
		}
	}
	return worst
}

// TestEveryCodeHasACase: every code that this package mentions is found in a
// case, or in the test that is named here.
func TestEveryCodeHasACase(t *testing.T) {
	elsewhere := map[string]string{
		"checkpoint.under-quorum": "TestScenes",
		"walk.limit-reached":      "TestDeadline",
		"journal.tail-unanchored": "TestUnanchoredTail",
	}
	var found []string
	for _, tt := range slices.Concat(eventCases, chainCases, anchorCases) {
		for _, w := range tt.want {
			found = append(found, strings.Fields(w)[len(strings.Fields(w))-2])
		}
	}
	values := map[string]string{}
	codes := read(t, filepath.Join("..", "finding", "codes.go"))
	for _, m := range regexp.MustCompile(`(\w+)\s+Code = "([^"]+)"`).FindAllStringSubmatch(codes, -1) {
		values[m[1]] = m[2]
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`finding\.([A-Z]\w+)`).FindAllStringSubmatch(read(t, name), -1) {
			if code := values[m[1]]; code != "" && elsewhere[code] == "" && !slices.Contains(found, code) {
				t.Errorf("%s finds %s, and no case does", name, code)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
