package status_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// serialOf is the serial that a bundle of the evidence has.
func serialOf(t *testing.T, e *fleet.Edited, transactionID string) string {
	t.Helper()
	in := bundle.Open(e.Read(fleet.Bundle(transactionID)))
	must.That(t, in.Bundle != nil, "%v", in.Faults)
	return in.Bundle.Manifest.Serial
}

// TestSerial: a serial is known from a verified bundle, and from nothing else.
func TestSerial(t *testing.T) {
	e := scene(t)
	serial, made := serialOf(t, e, second), map[string]func(status.Question) *answer{}
	for _, tt := range []struct {
		name    string
		given   []string
		q       status.Question
		rows    []string
		verdict verify.Verdict
		reason  status.Reason
	}{
		{"named", usual, status.Question{Serial: serial}, []string{second}, verify.Verified, ""},
		{"of this tenant", usual, status.Question{Serial: serial, TenantID: "acme-corp"}, []string{second},
			verify.Verified, ""},
		{"of another tenant", usual, status.Question{Serial: serial, TenantID: "other"}, nil, verify.Inconclusive,
			status.SerialUnknown},
		{"that no bundle names", usual, status.Question{Serial: serial + "0"}, nil, verify.Inconclusive,
			status.SerialUnknown},
		{"without the bundle", []string{fleet.TenantLog, fleet.Bundle(third)}, status.Question{Serial: serial}, nil,
			verify.Inconclusive, status.SerialUnknown},
		{"without the log", []string{fleet.Bundle(second)}, status.Question{Serial: serial}, []string{second},
			verify.Inconclusive, ""},
	} {
		given := fmt.Sprint(tt.given)
		if made[given] == nil {
			path, root := ingested(t, e, tt.given)
			r := examined(t, path, root)
			made[given] = func(q status.Question) *answer { return ask(t, path, root, r, q) }
		}
		a := made[given](tt.q)
		var rows []string
		for _, r := range a.rows {
			if rows = append(rows, r.TransactionID); r.Serial != serial {
				t.Errorf("%s: %+v", tt.name, r)
			}
		}
		check.That(t, slices.Equal(rows, tt.rows) && a.Verdict == tt.verdict && a.Reason == tt.reason,
			"%s: %v, %+v", tt.name, rows, a.End)
	}
}

// TestSerialOfRejectedBundle: a bundle that does not verify names no serial, and
// spoils no answer of the log.
func TestSerialOfRejectedBundle(t *testing.T) {
	e := scene(t)
	serial := serialOf(t, e, second)
	e.Replace(fleet.Bundle(second), `"policy_version":`, `"policy_version":1`)
	_, doc := e.First(fleet.Bundle(second))
	must.That(t, bundle.Open(doc).Bundle.Manifest.Serial == serial, "the bundle does not name the serial")
	path, root := ingested(t, e, usual)
	r := examined(t, path, root)
	must.That(t, r.Verdict == verify.Rejected, "the case is %s", r.Verdict)
	a := ask(t, path, root, r, status.Question{Serial: serial})
	check.That(t, a.Reason == status.SerialUnknown && len(a.rows) == 0, "%+v, %+v", a.End, a.rows)
	row := ask(t, path, root, r, status.Question{TransactionID: second}).row(t, second)
	check.That(t, row.Status == status.Issued && row.Serial == "" && row.CertificateSHA256 == "" && row.BundleSHA256 == "",
		"%+v", row)
}

// TestSerialAmbiguous: two bundles give one serial to two transactions. No script can make
// such bundles that verify. So the test marks one as verified.
func TestSerialAmbiguous(t *testing.T) {
	e := scene(t)
	serial, other := serialOf(t, e, second), serialOf(t, e, third)
	doc := bytes.ReplaceAll(e.Read(fleet.Bundle(third)), []byte(other), []byte(serial))
	e.Put(fleet.Bundle(third), doc)
	path, root := ingested(t, e, append(usual[:3:3], fleet.Bundle(first)))
	r := examined(t, path, root)
	digest := sha256.Sum256(bytes.TrimSpace(doc))
	at := slices.IndexFunc(r.Comparison.Bundles, func(b crosscheck.Bundle) bool {
		return b.SHA256 == hex.EncodeToString(digest[:])
	})
	must.That(t, at >= 0, "%x is none of %+v", digest, r.Comparison.Bundles)
	if a := ask(t, path, root, r, status.Question{Serial: serial}); len(a.rows) != 1 || a.Reason != "" {
		t.Errorf("one verified bundle: %+v, %+v", a.End, a.rows)
	}
	r.Comparison.Bundles[at].Verdict = verify.Verified
	a := ask(t, path, root, r, status.Question{Serial: serial})
	check.That(t, len(a.rows) == 2 && a.Reason == status.Ambiguous && a.Verdict != verify.Verified,
		"two: %+v, %+v", a.End, a.rows)
}

func TestParseSerial(t *testing.T) {
	longest := strings.Repeat("f", 40)
	for text, want := range map[string]string{
		"0a:1B": "a1b", "0A1B": "a1b", "a1b": "a1b", "00": "", "": "", "0x1": "", "a b": "", "-1": "",
		longest: longest, longest + "f": "", "00" + longest: longest,
	} {
		if got, ok := status.ParseSerial(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
}
