package gap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// header contains the event members that the tests read.
type header struct {
	Hash string
	Body struct {
		Sequence      uint64
		Type          string
		TransactionID string `json:"transaction_id"`
		Data          struct {
			NodeID string `json:"node_id"`
			Head   string `json:"audit_head"`
			At     uint64 `json:"audit_sequence"`
		}
	}
}

func read(t *testing.T, line []byte) (h header) {
	t.Helper()
	must.Do(t, json.Unmarshal(line, &h))
	return h
}

// evidence is the evidence of a scene, line by line.
type evidence struct {
	root           *trust.Root
	tenant, berlin [][]byte
	bundle         []byte
}

func sceneOf(t *testing.T) evidence {
	t.Helper()
	dir := t.TempDir()
	e := evidence{berlin: journalOf(t, dir)}
	scene := func(name string) []byte { return must.Get(os.ReadFile(filepath.Join(dir, name)))(t) }
	e.tenant = bytes.Split(bytes.TrimSpace(scene("tenant.ndjson")), []byte("\n"))
	e.bundle = scene("svc-evidence-tx-2026-0001.json")

	e.root = must.Get(trust.Parse(scene("trust.json")))(t)
	return e
}

// walked makes a case, walks it, and returns the gaps of a log and the result.
func (e evidence) walked(t *testing.T, files map[string][]byte, logID string) ([]gap.Gap, *verdict.Result) {
	t.Helper()
	path := fill(t, files)
	r := must.Get(examine.Examine(t.Context(), path, e.root, examine.Options{Case: []store.Option{cases.As(1)}}))(t)
	return find(t, open(t, path), gap.Filter{Filter: store.Filter{LogID: logID}}), r
}

func file(lines [][]byte) []byte { return append(bytes.Join(lines, []byte("\n")), '\n') }

// TestDisclosed: the data of a bundle about events that are missing in the tenant log.
func TestDisclosed(t *testing.T) {
	e := sceneOf(t)
	at := slices.IndexFunc(e.tenant, func(l []byte) bool {
		h := read(t, l)
		return h.Body.Type == event.IssuanceCompleted && h.Body.TransactionID == "tx-2026-0001"
	})
	missing := read(t, e.tenant[at])
	holed := file(slices.Concat(e.tenant[:at-1], e.tenant[at+1:]))
	gaps, r := e.walked(t, map[string][]byte{"tenant.ndjson": holed, "bundle.json": e.bundle}, "tenant/"+harness.Tenant)
	must.That(t, len(gaps) == 1 && gaps[0].Count == 2, "%+v", gaps)
	i := slices.IndexFunc(gaps[0].Known, func(k facts.KnownEvent) bool { return k.Sequence == missing.Body.Sequence })
	if i < 0 {
		t.Fatalf("the disclosed event is not known: %+v", gaps[0].Known)
	}
	k := gaps[0].Known[i]
	check.That(t, k.Disclosed && k.Hash == missing.Hash && k.By == walk.BundlePath &&
		filepath.Base(k.Name) == "bundle.json" &&
		k.Type == event.IssuanceCompleted && k.TransactionID == missing.Body.TransactionID, "%+v", k)
	// The event before it is named by its link, and is not in the bundle.
	before := read(t, e.tenant[at-1])
	if k := gaps[0].Known[0]; k.Sequence != before.Body.Sequence || k.Hash != before.Hash || k.Disclosed || k.Type != "" {
		t.Errorf("%+v", k)
	}
	told := false
	for _, f := range r.Findings {
		told = told || f.Sequence == before.Body.Sequence && len(f.Evidence) > 0 &&
			filepath.Base(f.Evidence[len(f.Evidence)-1].Source) == "bundle.json"
	}
	check.That(t, told, "no finding about the gap has the bundle as evidence: %+v", r.Findings)

	// A path that does not lead from the checkpoint proves nothing.
	forged := bytes.Replace(e.bundle, []byte(missing.Hash), []byte(before.Hash), 2)
	gaps, _ = e.walked(t, map[string][]byte{"tenant.ndjson": holed, "bundle.json": forged}, "tenant/"+harness.Tenant)
	if len(gaps) != 1 || slices.ContainsFunc(gaps[0].Known,
		func(k facts.KnownEvent) bool { return k.By == walk.BundlePath }) {
		t.Errorf("with a forged path: %+v", gaps)
	}
	// And where the log has the event, nothing is said.
	if _, r := e.walked(t, map[string][]byte{"tenant.ndjson": file(e.tenant), "bundle.json": e.bundle},
		""); len(r.Logs[len(r.Logs)-1].Known) > 0 {
		t.Errorf("%+v", r.Logs)
	}
}

// TestReportedHashes: a report names its event, the event before, and the event of its skip
// link, even if the whole journal is gone.
func TestReportedHashes(t *testing.T) {
	e := sceneOf(t)
	var top header
	for _, l := range e.tenant {
		if h := read(t, l); h.Body.Type == event.NodeReported && h.Body.Data.NodeID == "mesh-berlin-1" {
			top = h
		}
	}
	n := top.Body.Data.At
	for name, journal := range map[string][]byte{"cut": file(e.berlin[:n-3]), "gone": nil} {
		files := map[string][]byte{"tenant.ndjson": file(e.tenant), "x.ndjson": journal}
		if journal == nil {
			delete(files, "x.ndjson")
		}
		gaps, r := e.walked(t, files, "node/mesh-berlin-1")
		must.That(t, len(gaps) == 1 && gaps[0].Last == n, "%s: %+v", name, gaps)
		known := map[uint64]string{}
		for _, k := range gaps[0].Known {
			known[k.Sequence] = k.Hash
		}
		for _, at := range []uint64{n, n - 1} {
			want := read(t, e.berlin[at-1]).Hash
			check.That(t, known[at] == want, "%s: event %d is known as %q, want %s", name, at, known[at], want)
		}
		l := r.Logs[0]
		check.That(t, name != "gone" || l.Missing == n && l.Collected == walk.NotCollected && l.Verdict == "inconclusive",
			"gone: %+v", l)
	}
}

// TestTransactionsWithoutASide: an approval that the tenant log recorded and whose
// approval.signed is missing, and the other way round.
func TestTransactionsWithoutASide(t *testing.T) {
	e := sceneOf(t)
	of := func(kind string, lines [][]byte) int {
		return slices.IndexFunc(lines, func(l []byte) bool {
			h := read(t, l)
			return h.Body.Type == kind && (kind == event.ApprovalSigned || h.Body.Data.NodeID == "mesh-berlin-1")
		})
	}
	signed, recorded := of(event.ApprovalSigned, e.berlin), of(event.ApprovalRecorded, e.tenant)
	without := func(lines [][]byte, i int) []byte { return file(slices.Concat(lines[:i], lines[i+1:])) }
	for name, c := range map[string]struct {
		files map[string][]byte
		log   string
		want  []gap.OneSided
	}{
		"signed": {map[string][]byte{"b": without(e.berlin, signed), "t": file(e.tenant)}, "node/mesh-berlin-1",
			[]gap.OneSided{
				{TransactionID: "tx-2026-1002", Lacks: event.ApprovalSigned, LogID: "tenant/" + harness.Tenant,
					Sequence: uint64(recorded) + 1}}},
		"recorded": {map[string][]byte{"b": file(e.berlin), "t": without(e.tenant, recorded)}, "tenant/" + harness.Tenant,
			[]gap.OneSided{
				{TransactionID: "tx-2026-1002", Lacks: event.ApprovalRecorded, LogID: "node/mesh-berlin-1",
					Sequence: uint64(signed) + 1}}},
		"something else": {map[string][]byte{"b": without(e.berlin, signed-1), "t": file(e.tenant)}, "node/mesh-berlin-1",
			nil},
	} {
		gaps, _ := e.walked(t, c.files, c.log)
		if len(gaps) != 1 || len(gaps[0].Transactions) != len(c.want) {
			t.Errorf("%s: %+v", name, gaps)
			continue
		}
		for i, got := range gaps[0].Transactions {
			check.That(t, got.TransactionID == c.want[i].TransactionID && got.Lacks == c.want[i].Lacks &&
				got.LogID == c.want[i].LogID && got.Sequence == c.want[i].Sequence, "%s: %+v, want %+v", name, got, c.want[i])
		}
	}
}

// TestGone: the gap of a journal that is gone is reported unasked, if something of the journal
// was given.
func TestGone(t *testing.T) {
	e := sceneOf(t)
	for name, want := range map[string]int{"mesh-berlin-1.ndjson": 1, "x.ndjson": 0} {
		gaps, r := e.walked(t, map[string][]byte{"tenant.ndjson": file(e.tenant), name: nil}, "")
		if len(gaps) != want || want > 0 && (gaps[0].LogID != "node/mesh-berlin-1" || gaps[0].First != 1 ||
			gaps[0].Before != nil || gaps[0].After != nil) {
			t.Errorf("%s: %+v", name, gaps)
		}
		rejected := r.Verdict == verify.Rejected
		check.That(t, rejected == (want > 0), "%s: %s", name, r.Verdict)
	}
}

// TestOlderWalk: the given result determines which events are missing at the end of a log,
// even if the newest walk used another trust file.
func TestOlderWalk(t *testing.T) {
	e := sceneOf(t)
	path := fill(t, map[string][]byte{"tenant.ndjson": file(e.tenant), "mesh-berlin-1.ndjson": nil})
	other := must.Get(harness.Build("revoked", 271828, harness.Options{}))(t)
	stranger := must.Get(trust.Parse(seal.Canonical(other.Trust)))(t)
	results := map[string]*verdict.Result{"none": nil}
	for _, walked := range []struct {
		under string
		root  *trust.Root
	}{{"the owner's", e.root}, {"another's", stranger}} {
		options := examine.Options{Case: []store.Option{cases.As(1)}}
		r := must.Get(examine.Examine(t.Context(), path, walked.root, options))(t)
		results[walked.under] = r
	}
	for under, want := range map[string]int{"the owner's": 1, "another's": 0, "none": 0} {
		gaps := findBy(t, open(t, path), results[under], gap.Filter{})
		check.That(t, len(gaps) == want, "by the walk under %s: %d gaps, want %d: %+v", under, len(gaps), want, gaps)
	}
}

// counted is canceled after so many questions.
type counted struct {
	context.Context
	left *int
}

func (c counted) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestFindFails: a search that cannot read the case ends with an error, or has found all. It ends
// early where it is asked to.
func TestFindFails(t *testing.T) {
	lines := journalOf(t, t.TempDir())
	batch := exported(batchID(t, lines[8:13]...), lines[8:11]...)
	part := slices.Concat(lines[:4], [][]byte{[]byte(`{"body":`)}, lines[6:8], lines[11:])
	c := caseOf(t, map[string][]byte{"a.ndjson": bytes.Join(part, []byte("\n")), "b.jsonl": batch})
	for _, f := range []gap.Filter{{}, {Source: 1}, {Source: 2}} {
		whole := find(t, c, f)
		must.That(t, len(whole) > 0, "no gap by %+v", f)
		unread := slices.IndexFunc(whole, func(g gap.Gap) bool { return len(g.Unreadable) > 0 })
		check.That(t, f.Source > 0 || unread >= 0 && whole[unread].First == 5 && whole[unread].Last == 6 &&
			slices.Contains(speakFor(whole[unread]), "unreadable-span"), "the span is not found: %+v", whole)
		for g := range gap.Find(t.Context(), c, nil, f) {
			check.That(t, g.First == whole[0].First, "not the first: %+v", g)
			break
		}
		for n, left := 0, -1; left < 0; n++ {
			left = n
			var got []gap.Gap
			var fault error
			for g, err := range gap.Find(counted{t.Context(), &left}, c, nil, f) {
				if got, fault = append(got, g), err; err != nil {
					break
				}
			}
			check.That(t, fault != nil || cmp.Equal(got, whole), "after %d questions: %+v", n, got)
		}
	}
}
