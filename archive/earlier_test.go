package archive_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestEarlierLedger: of a proof that an earlier version of the program judged the ledger lacks
// the certificate. It is verified again when it is next read, and until then the missing
// certificate is reported. No verdict changes, and no object is stale.
func TestEarlierLedger(t *testing.T) {
	b := newBench(t)
	b.write("a.json", b.one)
	b.write("b.json", b.other)
	b.write("c.txt", []byte("no evidence"))
	before := b.check()
	w := must.Get(ledger.OpenWrite(t.Context(), b.ledger, b.secret))(t)
	for _, path := range []string{"a.json", "b.json", "c.txt"} {
		o, _, err := w.Object(path)
		if err == nil {
			o.Judgement.Facts.Short = true // and so it is written as it was then
			err = w.Put(&o)
		}
		must.Do(t, err)
	}
	must.Do(t, errors.Join(w.Commit(), w.Close()))
	unread := b.check(func(o *archive.Options) { o.Budget = 1 }) // begins no object
	check.That(t, len(unread.Proofs) == 2 && unread.Counts.OldContext == 0, "%+v, %+v", unread.Proofs, unread.Counts)
	for _, p := range unread.Proofs {
		check.That(t, p.Proof.NotBefore == "" &&
			strings.Contains(p.Proof.Said(), "its certificate is known when it is verified again"), "%s", p.Proof.Said())
	}
	again := b.check()
	check.That(t, again.Verdict == before.Verdict && again.Counts.Reused == 0 &&
		again.Counts.Classes[archive.Intact] == 3, "%s, %+v", again.Verdict, again.Counts)
	check.That(t, slices.EqualFunc(before.Proofs, again.Proofs, sameProof) && len(again.Proofs) == 2, "%+v, want %+v",
		again.Proofs, before.Proofs)
	if third := b.check(); third.Counts.Reused != 3 || !slices.EqualFunc(before.Proofs, third.Proofs, sameProof) {
		t.Errorf("%+v", third.Counts)
	}
}

func sameProof(a, b object.ProofOf) bool {
	return a.Path == b.Path && a.Proof.Said() == b.Proof.Said() && a.Proof.NotBefore != ""
}
