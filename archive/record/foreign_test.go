package record_test

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/outcome"
)

// judgeForeign judges a record in testdata, which another program made, for a file.
func judgeForeign(t *testing.T, name string, content []byte) *record.Report {
	t.Helper()
	read := func(name string) []byte { return must.Get(os.ReadFile(name))(t) }
	r := must.Get(record.Parse(read(name)))(t)
	root := must.Get(x509.ParseCertificate(read(filepath.Join(filepath.Dir(name), "authority.cer"))))(t)
	pinned := timestamp.Authority{Name: "a", Certificates: []*x509.Certificate{root}}
	o := record.Options{At: year(2027), Authorities: []timestamp.Authority{pinned}}
	return record.Verify(record.Subject{Digest: func(h timestamp.Hash) []byte { return h.Sum(content) }}, r, o)
}

// TestForeign: records of Bouncy Castle are verified, up to revocation data that they do
// not have, and for their own file alone.
func TestForeign(t *testing.T) {
	all := must.Get(filepath.Glob(filepath.Join("testdata", "bouncycastle", "*", "*.er")))(t)
	must.That(t, len(all) >= 20, "%d records", len(all))
	for _, name := range all {
		content := must.Get(os.ReadFile(strings.TrimSuffix(name, ".er")))(t)
		r := judgeForeign(t, name, content)
		for _, f := range r.Findings {
			check.Equal(t, f.Code, timestamp.TokenUnchecked, "%s: %+v", name, f)
		}
		check.That(t, len(r.Steps) > 0 && r.Steps[0].Time != "", "%s: %+v", name, r.Steps)
		r = judgeForeign(t, name, append(content, '.'))
		check.That(t, r.Verdict == outcome.Rejected, "%s for another file: %s", name, r.Verdict)
	}
}

// TestSpoiled: a record whose newest token is sound, and an earlier one is not, is refused,
// also where libraries look at the newest one alone.
func TestSpoiled(t *testing.T) {
	for _, name := range must.Get(filepath.Glob(filepath.Join("testdata", "spoiled", "*", "*.er")))(t) {
		content := must.Get(os.ReadFile(strings.TrimSuffix(name, ".er")))(t)
		r := judgeForeign(t, name, content)
		right := strings.HasPrefix(filepath.Base(filepath.Dir(name)), "right")
		check.That(t, (r.Verdict != outcome.Rejected) == right, "%s: %s %s", name, r.Verdict, codes(r))
	}
}
