package kubernetes

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"

	"github.com/svc-edge/svc-verify/scale/interop/fleet"
)

// all runs all Jobs, and returns how they ended and their logs.
func (c *cluster) all(t *testing.T) (ended map[string]*batch.Job, logs map[string][]log) {
	t.Helper()
	ended, logs = map[string]*batch.Job{}, map[string][]log{}
	for _, name := range names {
		ended[name], logs[name] = c.run(t, job(t, read(t, name)))
	}
	return ended, logs
}

// complete wants a Job to be complete.
func complete(t *testing.T, j *batch.Job, logs []log) {
	t.Helper()
	if condition(j, batch.JobComplete) == nil {
		t.Fatalf("%s: %+v\n%s", j.Name, j.Status, logs)
	}
}

// tries returns how often an index ran.
func tries(logs []log, index string) (n int) {
	for _, l := range logs {
		if l.index == index {
			n++
		}
	}
	return n
}

// TestVerdict: the Jobs give the bytes of walk, though nodes are drained and volumes
// are not there in time.
func TestVerdict(t *testing.T) {
	evidence, trust := fleet.Evidence(t)
	want, code := fleet.Walk(t, trust, evidence)
	if code != 0 {
		t.Fatalf("walk: exit code %d", code)
	}
	c := start(t, evidence, trust)
	c.faults = func(component, index string, attempt int) fault {
		switch {
		case component == "part" && index == "3" && attempt < 5, component != "part" && index != "1" && attempt == 0:
			return lost
		case index == "7" && attempt < 3:
			return unmounted
		}
		return none
	}
	ended, logs := c.all(t)
	for _, name := range names {
		complete(t, ended[name], logs[name])
	}
	for index, want := range map[string]int{"3": 6, "7": 4, "8": 1} {
		if got := tries(logs["part"], index); got != want {
			t.Errorf("part %s ran %d times, expected %d", index, got, want)
		}
	}
	if got := logs["conclude"][len(logs["conclude"])-1]; got.stdout != string(want) || got.code != 0 {
		t.Errorf("conclude: %s\n%s\nexpected\n%s", got, got.stdout, want)
	}
}

// TestRejected: evidence that was tampered with fails no index, and ends conclude at
// the first try.
func TestRejected(t *testing.T) {
	evidence, trust := fleet.Evidence(t)
	journal := filepath.Join(evidence, "journals", "mesh-oslo-1.ndjson")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, bytes.Replace(text, []byte(`"occurred_at":"2026`), []byte(`"occurred_at":"2027`), 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	want, code := fleet.Walk(t, trust, evidence)
	if code != 1 {
		t.Fatalf("walk: exit code %d", code)
	}
	ended, logs := start(t, evidence, trust).all(t)
	for _, name := range names[:3] {
		complete(t, ended[name], logs[name])
	}
	failed(t, ended["conclude"], logs["conclude"])
	if got := logs["conclude"][0]; got.stdout != string(want) || got.code != 1 {
		t.Errorf("conclude: %s\n%s\nexpected\n%s", got, got.stdout, want)
	}
}

// failed wants a Job to have failed by its policy, after one pod.
func failed(t *testing.T, j *batch.Job, logs []log) {
	t.Helper()
	if c := condition(j, batch.JobFailed); c == nil || c.Reason != batch.JobReasonPodFailurePolicy || len(logs) != 1 {
		t.Fatalf("%s: after %d pods, %+v\n%s", j.Name, len(logs), j.Status, logs)
	}
}

// TestLost: an index that never finds its plan is tried four times, and one that is
// killed for its memory once. All others have their parts, and the conclusion is
// inconclusive and names the two.
func TestLost(t *testing.T) {
	evidence, trust := fleet.Evidence(t)
	c := start(t, evidence, trust)
	c.faults = func(component, index string, _ int) fault {
		switch {
		case component == "part" && index == "5":
			return unmounted
		case component == "part" && index == "9":
			return killed
		}
		return none
	}
	ended, logs := c.all(t)
	part := ended["part"]
	if condition(part, batch.JobFailed) == nil || *part.Status.FailedIndexes != "5,9" ||
		part.Status.CompletedIndexes != "0-4,6-8,10-63" {
		t.Errorf("part: %+v", part.Status)
	}
	if a, b := tries(logs["part"], "5"), tries(logs["part"], "9"); a != 4 || b != 1 {
		t.Errorf("part 5 ran %d times, part 9 %d times; expected 4 and 1", a, b)
	}
	complete(t, ended["join"], logs["join"])
	failed(t, ended["conclude"], logs["conclude"])
	got := logs["conclude"][0]
	if got.code != 3 || !strings.Contains(got.stdout, `"inconclusive"`) {
		t.Errorf("conclude: %s\n%s", got, got.stdout)
	}
	for _, lost := range []string{"share 5", "share 9"} {
		if !strings.Contains(got.stdout, lost) {
			t.Errorf("conclude does not name %s:\n%s", lost, got.stdout)
		}
	}
}
