package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestEveryFormatIsTheSameEvents: whatever a store made of the events, there is
// one copy of each in the case, as well kept as the best of the dumps.
func TestEveryFormatIsTheSameEvents(t *testing.T) {
	want := journal(berlin, chance.Sized(30, 15), 1)
	dir := t.TempDir()
	files := 0
	for i, f := range dumps.Formats() {
		if f.Text == 0 || f.Text == read.Lossy {
			continue
		}
		files++
		name := write(t, dir, fmt.Sprintf("%02d", i), f.Write(want, dumps.Options{Batches: []string{"one"}}))
		if i%chance.Sized(1, 6) != 0 {
			continue
		}
		path := newCase(t, Options{}, name)
		if got := lines(t, path, berlin); !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%s: %d lines of %d, or others", f.Name, len(got), len(want))
			continue
		}
		for _, e := range eventsOf(t, path, berlin) {
			if e.Fidelity != facts.Fidelity(f.Text) {
				t.Fatalf("%s: fidelity %d, want %d", f.Name, e.Fidelity, f.Text)
			}
		}
	}
	path := newCase(t, Options{}, dir)
	if got := lines(t, path, berlin); !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatalf("all together: %d lines of %d, or others", len(got), len(want))
	}
	for _, e := range eventsOf(t, path, berlin) {
		if e.Fidelity != facts.Exact || e.Deliveries < int64(files)/2 {
			t.Fatalf("all together: %+v", e)
		}
	}
}

func eventsOf(t *testing.T, path, logID string) []facts.Event {
	t.Helper()
	c := openRead(t, path)
	var all []facts.Event
	for _, log := range must.Have(c.Logs(t.Context())) {
		if log.LogID != logID {
			continue
		}
		for e, err := range c.Select(t.Context(), copiesOf(log)) {
			must.Do(t, err)
			all = append(all, e.Event)
		}
	}
	return all
}

// TestScenes ingests what the service itself makes: both kinds of log come back
// byte for byte, and the bundles as documents.
func TestScenes(t *testing.T) {
	for _, name := range []string{"capability", "rotated-keys"} {
		dir := t.TempDir()
		s := must.Get(harness.WriteScene(name, 1, harness.Options{}, dir))(t)
		path := newCase(t, Options{}, dir)
		same := func(logID, file string) {
			want := must.Have(os.ReadFile(filepath.Join(dir, file)))
			if got := append(bytes.Join(lines(t, path, logID), []byte("\n")), '\n'); !bytes.Equal(got, want) {
				t.Errorf("%s: %s came back as other bytes", name, logID)
			}
		}
		same("tenant/"+harness.Tenant, "tenant.ndjson")
		for node := range s.Journals {
			same("node/"+node, filepath.Join("journals", node+".ndjson"))
		}
		bundles := 0
		for d, err := range openRead(t, path).Documents(t.Context()) {
			must.Do(t, err)
			if d.Kind == "bundle" {
				bundles++
			}
			if len(d.Places) == 0 {
				t.Errorf("%s: a document without a place", name)
			}
		}
		files := must.Get(filepath.Glob(filepath.Join(dir, "svc-evidence-*.json")))(t)
		if bundles != len(files) || bundles == 0 {
			t.Errorf("%s: %d bundles, want %d", name, bundles, len(files))
		}
	}
}
