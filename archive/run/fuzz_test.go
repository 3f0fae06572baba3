package run_test

import (
	"bytes"
	"testing"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// FuzzParse: what is read as a record or a change is written again to the octet.
func FuzzParse(f *testing.F) {
	r := example()
	f.Add(r.Document())
	r.Number, r.Previous, r.Adopted = 1, run.Digest{}, run.Digest{1}
	f.Add(r.Document())
	for _, c := range changes() {
		f.Add(c.Line())
	}
	f.Add([]byte(`{"after":{"wrong":"unreadable"},"class":"added","path":"%FF/Köln"}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		if r, err := run.Parse(doc); err == nil && !bytes.Equal(r.Document(), doc) {
			t.Errorf("%q is written again as %q", doc, r.Document())
		}
		c, err := run.ParseChange(doc)
		check.That(t, err != nil || bytes.Equal(c.Line(), doc), "%q is written again as %q", doc, c.Line())
		check.That(t, err != nil || ijson.IsCanonical(doc), "%q is not canonical", doc)
	})
}
