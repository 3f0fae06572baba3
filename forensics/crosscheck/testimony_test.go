package crosscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// compared returns the document for a comparison.
func compared(t testing.TB, said *facts.Testimony) []byte {
	t.Helper()
	_, doc := must.Two(said.Documents())(t)
	return doc
}

// toldAgain returns the testimony that the document of a testimony contains.
func toldAgain(t testing.TB, said *facts.Testimony) *facts.Testimony {
	t.Helper()
	doc := compared(t, said)
	must.That(t, len(doc) <= facts.MaxTestimony, "%d octets", len(doc))
	again, err := facts.ParseTestimony(nil, doc)
	must.That(t, err == nil, "%v in %.300s", err, doc)
	if !reflect.DeepEqual(said, again) {
		t.Fatalf("what was written and what was read differ:\n%s", cmp.Diff(said, again))
	}
	return again
}

// told is evidence whose documents are there as testimony alone.
type told struct {
	evidence.Reader
	t    testing.TB
	root *trust.Root
}

func (r told) Documents(ctx context.Context) iter.Seq2[facts.Document, error] {
	return func(yield func(facts.Document, error) bool) {
		for d, err := range r.Reader.Documents(ctx) {
			said := facts.TestimonyOf(d.Kind, d.Bytes, r.root, facts.ForComparison)
			d.Walk, d.Cross, d.Bytes = nil, compared(r.t, said), nil
			if !yield(d, err) {
				return
			}
		}
	}
}

// standsForDocuments checks that a crosscheck of testimonies in place of their documents gives
// the same result, byte for byte.
func standsForDocuments(t *testing.T, in evidence.Reader, root *trust.Root, want *Result) {
	t.Helper()
	got := must.Get(Run(t.Context(), told{in, t, root}, root, Options{}))(t)
	d := cmp.Diff(string(must.Have(json.Marshal(want))), string(must.Have(json.Marshal(got))))
	check.That(t, d == "", "(-documents +testimony):\n%s", d)
}

// conformance calls f for the bundle and the trust file of every conformance case.
func conformance(t testing.TB, f func(doc []byte, root *trust.Root)) {
	t.Helper()
	cases := must.Get(fixtures.Cases())(t)
	for i, c := range cases {
		if testing.Short() && i%4 > 0 {
			continue
		}
		if root, err := trust.Parse(c.Trust); err == nil {
			f(c.Bundle, root)
		}
	}
}

// TestTestimonySays: the testimonies of bundles can be written and read, and every kind of
// content occurs in them.
func TestTestimonySays(t *testing.T) {
	said := map[string]int{}
	conformance(t, func(doc []byte, root *trust.Root) {
		b := toldAgain(t, facts.TestimonyOf(facts.KindBundle, doc, root, facts.ForComparison)).Bundle
		said[string(b.Verdict)]++
		said["status "+b.Status]++
		said["approvals"] += len(b.Approvals)
		said["decisions"] += len(b.Decisions)
		said["capability"] += len(b.Capability)
		said["witnesses"] += len(b.Witnesses)
		said["events"] += len(b.Events)
		said := facts.TestimonyOf(facts.KindBundle, doc, root, facts.ForComparison)
		size := len(compared(t, said))
		check.That(t, size <= max(8<<10, len(doc)/4), "%d octets of a bundle of %d", size, len(doc))
	})
	for _, kind := range []string{string(verify.Verified), string(verify.Rejected), "status issued", "status revoked",
		"approvals", "decisions", "capability", "witnesses", "events"} {
		check.That(t, said[kind] != 0, "no %s", kind)
	}
}

// TestTestimonyOfEnvelopes: of the documents that are no bundle, a checkpoint gives testimony
// if a pinned key signed it.
func TestTestimonyOfEnvelopes(t *testing.T) {
	s := newStage(t)
	s.export(s.issue(transaction))
	root, checkpoint := s.root(), seal.Canonical(s.Cloud.Checkpoint())
	said := toldAgain(t, facts.TestimonyOf("envelope", checkpoint, root, facts.ForComparison))
	c := said.Checkpoint
	check.That(t, c != nil && c.Sequence != 0 && said.Bundle == nil, "%+v", said)
	altered := bytes.Replace(checkpoint, []byte(`"sequence":`), []byte(`"sequence":1`), 1)
	for _, doc := range []string{"", "{", "{}", string(altered)} {
		said := toldAgain(t, facts.TestimonyOf("envelope", []byte(doc), root, facts.ForComparison))
		check.That(t, said.Checkpoint == nil && said.Bundle == nil, "%q says %+v", doc, said)
	}
}

// TestTestimonyIsRefused: testimony that no document gives is refused.
func TestTestimonyIsRefused(t *testing.T) {
	s := newStage(t)
	s.export(s.issue(transaction))
	said := facts.TestimonyOf(facts.KindBundle, s.files["bundle.json"], s.root(), facts.ForComparison)
	sound := string(compared(t, said))
	for name, replace := range map[string][2]string{
		"a space":             {`"bundle":`, `"bundle": `},
		"an unknown member":   {`"decisions"`, `"dec":1,"decisions"`},
		"another verdict":     {`"verified"`, `"proven"`},
		"a rejected bundle":   {`"verified"`, `"rejected"`},
		"a failure":           {`"sha256"`, `"failure":"x","sha256"`},
		"no checkpoint":       {sound[strings.Index(sound, `"checkpoint":`):], `"kheckpoint":{}}`},
		"no tenant":           {`"tenant_id"`, `"tenant"`},
		"an unknown decision": {`"allow"`, `"maybe"`},
		"an unknown status":   {`"issued"`, `"lost"`},
		"sequence 0":          {`"sequence":`, `"sequence":0,"sequenze":`},
	} {
		doc := strings.Replace(sound, replace[0], replace[1], 1)
		_, err := facts.ParseTestimony(nil, []byte(doc))
		check.That(t, err != nil && doc != sound, "%s is taken", name)
	}
	failed := `{"bundle":{"failure":"` + strings.Repeat("x", facts.MaxText+4) + `","sha256":"` + strings.Repeat("0", 64) +
		`","verdict":"rejected"}}`
	check.That(t, check.Err(facts.ParseTestimony(nil, []byte(failed))) != nil, "a long failure is taken")
	check.Do(t, check.Err(facts.ParseTestimony(nil, []byte(strings.Replace(failed, "xxxx", "", 1)))))
	check.That(t, check.Err(facts.ParseTestimony(nil, make([]byte, facts.MaxTestimony+1))) != nil,
		"more than MaxTestimony is taken")
}

// TestTestimonyIsBounded: the largest that the bounds of a bundle admit has less than
// MaxTestimony, and a failure is cut.
func TestTestimonyIsBounded(t *testing.T) {
	const when = "2026-03-02T09:00:00.000Z"
	id, name := strings.Repeat("x", 100), strings.Repeat("x", 128)
	parts := make([]facts.Part, form.MaxList)
	for i := range parts {
		parts[i] = facts.Part{NodeID: id, Domain: bundle.Customer, Decision: bundle.Allow}
	}
	b := &facts.BundleTestimony{Verdict: verify.Verified, TenantID: id, TransactionID: id, Status: bundle.Revoked,
		Serial: strings.Repeat("f", 40), Standing: verify.Standing{NotBefore: when, NotAfter: when,
			RevokedAt: when, AsOf: when, Freshness: verify.NoAge},
		Approvals: parts, Decisions: parts[:2], Capability: parts, Witnesses: parts}
	for range form.MaxList {
		b.Standing.CertificateNames = append(b.Standing.CertificateNames, strings.Repeat("x", 1024))
	}
	for i := range uint64(form.MaxPathLinks) {
		b.Events = append(b.Events, facts.DisclosedEvent{Type: name, Sequence: form.MaxInt - i})
	}
	toldAgain(t, &facts.Testimony{Checkpoint: &facts.SignedCheckpoint{Sequence: form.MaxInt, KeyID: name}, Bundle: b})

	s := newStage(t)
	s.export(s.issue(transaction))
	long := bytes.Replace(s.files["bundle.json"], []byte("{"), []byte(`{"`+strings.Repeat("x", 2*facts.MaxText)+`":1,`), 1)
	failure := toldAgain(t, facts.TestimonyOf(facts.KindBundle, long, s.root(), facts.ForComparison)).Bundle.Failure
	check.That(t, len(failure) == facts.MaxText+3 && strings.HasSuffix(failure, "..."),
		"%d octets: %.100s", len(failure), failure)
}

// FuzzTestimony: the testimony of any document can be written and read; and testimony that can
// be read has one form.
func FuzzTestimony(f *testing.F) {
	var roots []*trust.Root
	conformance(f, func(doc []byte, root *trust.Root) {
		if roots = append(roots, root); len(roots)%50 == 1 {
			f.Add(doc)
			f.Add(compared(f, facts.TestimonyOf(facts.KindBundle, doc, root, facts.ForComparison)))
		}
	})
	f.Fuzz(func(t *testing.T, doc []byte) {
		toldAgain(t, facts.TestimonyOf(facts.KindBundle, doc, roots[0], facts.ForComparison))
		toldAgain(t, facts.TestimonyOf("envelope", doc, roots[0], facts.ForComparison))
		if said, err := facts.ParseTestimony(nil, doc); err == nil {
			again := compared(t, said)
			check.That(t, bytes.Equal(again, doc), "read from\n%s\nwritten as\n%s, %v", doc, again, err)
		}
	})
}
