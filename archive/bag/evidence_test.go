package bag_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
)

// TestEvidence verifies the evidence in bags that are complete and valid themselves.
func TestEvidence(t *testing.T) {
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	root := must.Get(trust.Parse(seal.Canonical(scene.Trust)))(t)
	good := string(seal.Canonical(scene.Exports[0].Bundle))
	bad := strings.Replace(good, `"allow"`, `"deny"`, 1)
	journal := ""
	for _, event := range scene.Tenant {
		journal += string(seal.Canonical(event)) + "\n"
	}
	large := strings.Repeat("no evidence\n", 30_000)
	for name, c := range map[string]struct {
		payload map[string]string
		want    bag.Evidence
		verdict outcome.Class
	}{
		"a proof": {map[string]string{"a": good}, bag.Evidence{Verified: 1}, outcome.Verified},
		"an altered one": {map[string]string{"a": good, "b": bad}, bag.Evidence{Verified: 1, Rejected: 1},
			outcome.Rejected},
		"other files": {map[string]string{"a": good, "b": "x", "c": large}, bag.Evidence{Verified: 1, Other: 2},
			outcome.Verified},
		"other files alone": {map[string]string{"b": "x"}, bag.Evidence{Other: 1}, outcome.Inconclusive},
		"a whole log": {map[string]string{"a": good, "log": journal}, bag.Evidence{Verified: 1, Inconclusive: 1},
			outcome.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			judge := object.NewJudge(object.Options{Root: root, TempDir: t.TempDir(), Workers: 1})
			r := must.Get(bag.CheckFolder(t.Context(), made(t, c.payload), bag.Options{Judge: judge}))(t)
			e := r.Evidence
			check.That(t, r.Verdict == c.verdict && e.Verified == c.want.Verified && e.Rejected == c.want.Rejected &&
				e.Inconclusive == c.want.Inconclusive && e.Other == c.want.Other && len(e.TrustSHA256) == 64, "%s: %+v %+v",
				r.Verdict, e, r.Findings)
			n := e.Rejected + e.Inconclusive
			check.That(t, int64(len(e.NotVerified)) == n && (n == 0 || e.NotVerified[0].Code != ""), "%+v", e.NotVerified)
		})
	}
}

// TestAlteredFilesAreNotJudged: a file without its digest is no object that anyone
// handed over.
func TestAlteredFilesAreNotJudged(t *testing.T) {
	scene := must.Get(harness.Build("revoked", 1, harness.Options{}))(t)
	root := must.Get(trust.Parse(seal.Canonical(scene.Trust)))(t)
	f := genuine(t)
	f["data/a"] = string(seal.Canonical(scene.Exports[0].Bundle))
	r := must.Get(bag.CheckFolder(t.Context(), f.folder(t),
		bag.Options{Judge: object.NewJudge(object.Options{Root: root, Workers: 1})}))(t)
	check.That(t, r.Evidence.Verified == 0 && r.Evidence.Other == 1, "%+v", r.Evidence)
}

// TestNoMoreThanSaid: the content of a bag beyond its Payload-Oxum is not read. A file that
// costs nothing, as it was never written, costs its reader nothing either.
func TestNoMoreThanSaid(t *testing.T) {
	const more = "it was not read"
	for what, test := range map[string]struct {
		sizes  map[string]int64 // of files that the payload has instead
		unread []string
	}{
		"a file that grew a little":       {map[string]int64{"b": 11}, nil},
		"a file of all the octets":        {map[string]int64{"b": 30}, nil},
		"a file larger than the payload":  {map[string]int64{"b": 31}, []string{"b"}},
		"a sparse file":                   {map[string]int64{"a": 1 << 40}, []string{"a"}},
		"sparse files that are new":       {map[string]int64{"a0": 1 << 29, "a1": 1 << 29}, []string{"a0", "a1"}},
		"many files, twice as much":       {map[string]int64{"d": 30}, nil},
		"many files, more than twice":     {map[string]int64{"d": 30, "e": 1}, []string{"e"}},
		"many files, one of them is less": {map[string]int64{"a": 30, "b": 30, "c": 1}, []string{"c"}},
	} {
		dir := made(t, map[string]string{"a": "0123456789", "b": "0123456789", "c": "0123456789"})
		for name, size := range test.sizes {
			f := must.Get(os.OpenFile(filepath.Join(dir, "data", name), os.O_RDWR|os.O_CREATE, 0o600))(t)
			must.Do(t, f.Truncate(size))
			must.Do(t, f.Close())
		}
		r := must.Get(bag.CheckFolder(t.Context(), dir, bag.Options{}))(t)
		var unread []string
		for _, f := range r.Findings {
			if strings.Contains(f.Message, more) {
				unread = append(unread, strings.TrimPrefix(f.Path, "data/"))
			}
		}
		check.That(t, strings.Join(unread, " ") == strings.Join(test.unread, " "), "%s: not read are %q, want %q", what,
			unread, test.unread)
		check.That(t, r.Verdict == "rejected", "%s: %s", what, r.Verdict)
	}
}
