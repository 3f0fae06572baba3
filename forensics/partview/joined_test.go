package partview_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/plan"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// TestJoined: parts that several workers wrote, each of some of the files, answer
// together as one case of all files does.
func TestJoined(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if !chosen(i + 3) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e, _ := must.Two(s.Apply(fleettest.Evidence(t, fleet.Scene)))(t)
			joinedAnswers(t, e, rand.New(rand.NewPCG(uint64(i), 1)))
		})
	}
}

func joinedAnswers(t *testing.T, e *fleet.Evidence, chance *rand.Rand) {
	t.Helper()
	dir, root := t.TempDir(), fleettest.Root(t, e)
	given := filepath.Join(dir, "evidence")
	must.Do(t, e.Write(given))
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		paths = append(paths, filepath.Join(given, filepath.FromSlash(name)))
	}
	ofCase := viewOfCase(t, caseOf(t, dir, paths...), nil)
	workers := make([][]string, 1+chance.IntN(6))
	for _, path := range paths {
		n := chance.IntN(len(workers))
		workers[n] = append(workers[n], path)
	}
	v := view(t, joined(t, workers, root, chance))
	compare(t, testimony(t, ofCase, root), testimony(t, v, root))
	sameVerdict(t, ofCase, v, root)
}

// TestPlanned: parts of ranges, as a plan cuts sources, answer together as one case of
// whole sources does.
func TestPlanned(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if !chosen(i+7) || s.Name == "huge-line" { // a plan has the usual limits
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e, _ := must.Two(s.Apply(fleettest.Evidence(t, fleet.Scene)))(t)
			plannedAnswers(t, e, rand.New(rand.NewPCG(uint64(i), 2)))
		})
	}
}

func plannedAnswers(t *testing.T, e *fleet.Evidence, chance *rand.Rand) {
	t.Helper()
	dir, root := t.TempDir(), fleettest.Root(t, e)
	given := filepath.Join(dir, "evidence")
	must.Do(t, e.Write(given))
	ofCase := viewOfCase(t, caseOf(t, dir, given), nil)
	p := must.Get(plan.Make(t.Context(), []string{given}, plan.Options{Shares: 50 + chance.IntN(50),
		Least: 1}, nil))(t)
	must.That(t, slices.ContainsFunc(p.Sources, func(s plan.Source) bool { return len(s.Ranges) > 1 }),
		"the plan cuts no source")
	var parts []part.Content
	for i := range p.Shares {
		s := must.Get(share.ReadPlanned(t.Context(), share.Planned{Plan: p, Index: i}, root, share.Options{}))(t)
		parts = append(parts, written(t, s))
		must.Do(t, s.Close())
	}
	v := view(t, regrouped(t, parts, chance))
	compare(t, testimony(t, ofCase, root), testimony(t, v, root))
	sameVerdict(t, ofCase, v, root)
}

// joined writes a part of the files of each worker, and takes them together.
func joined(t *testing.T, workers [][]string, root *trust.Root, chance *rand.Rand) part.Content {
	t.Helper()
	var parts []part.Content
	for _, paths := range workers {
		s := must.Get(share.Read(t.Context(), paths, root, share.Options{Options: ingest.Options{Workers: 1,
			Read: limits}}))(t)
		parts = append(parts, written(t, s))
		must.Do(t, s.Close())
	}
	return regrouped(t, parts, chance)
}

// regrouped takes parts together in some order and grouping.
func regrouped(t *testing.T, parts []part.Content, chance *rand.Rand) part.Content {
	t.Helper()
	for len(parts) > 1 {
		chance.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		n := 2 + chance.IntN(len(parts)-1)
		merged := must.Get(part.Merge(parts[:n]...))(t)
		parts = append(parts[n:], merged)
		if chance.IntN(2) == 0 {
			parts[len(parts)-1] = written(t, merged)
		}
	}
	return parts[0]
}

// written writes a content as a part and opens that.
func written(t *testing.T, c part.Content) part.Content {
	t.Helper()
	var b bytes.Buffer
	must.Get(part.Write(t.Context(), &b, c, nil))(t)
	f, err := part.Open(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), nil)
	if err != nil {
		t.Fatal(fmt.Errorf("a part of %d octets: %w", b.Len(), err))
	}
	t.Cleanup(func() { f.Close() })
	return f
}
