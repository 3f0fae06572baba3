package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness/pairs"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// allPairs returns the planted pairs, which are made once.
var allPairs = sync.OnceValue(pairs.All)

// rootOf returns a trust file.
func rootOf(t testing.TB, o seal.Object) *trust.Root {
	t.Helper()
	return must.Get(trust.Parse(seal.Canonical(o)))(t)
}

// run runs a batch over a folder.
func run(t testing.TB, dir string, o batch.Options) (*batch.Result, *entry.Set) {
	t.Helper()
	set := must.Get(entry.New(entry.Source{Paths: []string{dir}}))(t)
	o.Workers = max(o.Workers, 2)
	result := must.Get(batch.Run(context.Background(), set, o))(t)
	t.Cleanup(func() {
		check.Do(t, result.Close())
	})
	return result, set
}

// TestPairs runs a batch over each planted pair: one contradiction, with its code, and none
// for a near miss. The saved contradiction verifies by itself.
func TestPairs(t *testing.T) {
	all := allPairs()
	for i, p := range all {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			dir, saved, root := t.TempDir(), t.TempDir(), rootOf(t, p.Trust)
			must.WriteFiles(t, dir, map[string][]byte{"a.json": p.A, "b.json": p.B})
			result, set := run(t, dir, batch.Options{Root: root})
			var codes []finding.Code
			for c, err := range result.Contradictions() {
				check.That(t, err == nil && c.First == filepath.Join(dir, "a.json") && c.Second == filepath.Join(dir, "b.json"),
					"%s and %s, %v", c.First, c.Second, err)
				codes = append(codes, c.Finding.Code)
			}
			must.Do(t, result.SaveContradictions(context.Background(), set, saved))
			files, err := os.ReadDir(saved)
			must.That(t, err == nil && len(files) == len(codes),
				"%d files of %d contradictions, %v", len(files), len(codes), err)
			s := result.Summary
			if p.Code == "" {
				check.That(t, len(codes) == 0 && s.Verdict == outcome.Verified && s.Entries.Contradicted == 0,
					"a near miss: %v, %+v", codes, s)
				return
			}
			if len(codes) != 1 || string(codes[0]) != p.Code || s.Verdict != outcome.Rejected || s.Entries.Contradicted != 2 {
				t.Fatalf("%v, %+v", codes, s)
			}
			doc := must.Get(os.ReadFile(filepath.Join(saved, files[0].Name())))(t)
			r := contradiction.Verify(doc, root, verify.Policy{})
			check.That(t, r.Verdict == verify.Verified, "what is saved is %s: %+v", r.Verdict, r)
		})
	}
}

// TestWorstKindFirst: a forged proof comes first, however many genuine ones before it are not as requested.
func TestWorstKindFirst(t *testing.T) {
	p := allPairs()[0]
	files := map[string][]byte{"z.json": bytes.Replace(p.A, []byte(`"allow"`), []byte(`"deny"`), 1)}
	for i := range 120 {
		files[fmt.Sprintf("%03d.json", i)] = p.A
	}
	dir := must.WriteFiles(t, t.TempDir(), files)
	result, _ := run(t, dir, batch.Options{Root: rootOf(t, p.Trust), Policy: verify.Policy{TenantID: "another"}})
	s := result.Summary
	must.That(t, len(s.NotVerified) == 101 && s.MoreNotVerified == 20, "%d and %d more", len(s.NotVerified),
		s.MoreNotVerified)
	check.Equal(t, filepath.Base(s.NotVerified[0].Name), "z.json", "first")
	check.Equal(t, s.Decides.Name, s.NotVerified[0].Name, "decides")
	check.Equal(t, s.Reason(), "of 121 entries, 1 rejected, 120 genuine, but not as requested", "reason")
}

// TestClasses: every entry is one record, in order, and the worst decides.
func TestClasses(t *testing.T) {
	all := allPairs()
	good := all[0].A
	root := rootOf(t, all[0].Trust)
	for name, c := range map[string]struct {
		content []byte
		class   outcome.Class
		code    finding.Code
		verdict outcome.Class
	}{
		"good":    {good, outcome.Verified, "", outcome.Verified},
		"empty":   {nil, outcome.Inconclusive, "json.empty", outcome.Inconclusive},
		"cut":     {good[:len(good)/2], outcome.Rejected, "json.syntax", outcome.Rejected},
		"other":   {[]byte(`{"audit_keys":{}}`), outcome.NotABundle, batch.EntryForeign, outcome.Rejected},
		"read me": {[]byte("# proofs\n"), outcome.NotABundle, batch.EntryForeign, outcome.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			dir := must.WriteFiles(t, t.TempDir(), map[string][]byte{"x.json": c.content})
			result, _ := run(t, dir, batch.Options{Root: root})
			n := 0
			for r, err := range result.Records() {
				if n++; err != nil || r.Verdict != c.class || r.Code != c.code || r.Name != filepath.Join(dir, "x.json") {
					t.Errorf("%+v, %v", r, err)
				}
			}
			s := result.Summary
			for item, err := range result.Report().Items() { // the forms sort by this class
				check.That(t, err == nil && item.Verdict() == c.class, "%+v, %v", item, err)
			}
			check.That(t, n == 1 && s.Verdict == c.verdict && s.Entries.Of(c.class) == 1 && s.Entries.Seen == 1, "%+v", s)
		})
	}
}
