package seal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Against contains the inputs that a seal is to be compared with, besides its own signatures.
// All of it is optional.
type Against struct {
	Leaves  io.ReadSeeker // its list of leaves
	Archive *listing.Root
	// Runs yields the runs of a ledger, which form a chain. An error that is a
	// [ledger.AlteredError] is a finding.
	Runs iter.Seq2[ledger.Run, error]
	// Progress is called after each object with the number of those read.
	Progress func(objects int64)
}

// Verify judges the file of a seal (SPEC 16.8, 16.9), under the keys that the verifier
// pins. It believes nothing in the file. An error is one of the machine, not of the
// evidence.
func Verify(ctx context.Context, file []byte, trusted *sealkey.Trust, a Against) (*Report, error) {
	r := newReport()
	r.TrustSHA256 = fmt.Sprintf("%x", trusted.SHA256())
	s, faults := Parse(file)
	if r.faults("seal", faults); len(faults) > 0 {
		r.conclude(false, a)
		return r, nil
	}
	opened := r.open("seal", s, trusted)
	r.conclude(opened, a)
	if !opened { // a seal that no one signed is not compared
		return r, nil
	}
	usable, err := r.list(s, a)
	if err != nil {
		return nil, err
	}
	if a.Archive != nil {
		if err := r.compare(ctx, s, a, usable); err != nil {
			return nil, err
		}
	}
	if a.Runs != nil {
		err = r.findRun(s, a.Runs)
	}
	return r, err
}

// open verifies the signatures of a seal, and whether the keys count for the time that
// it claims.
func (r *Report) open(in string, s *Seal, trusted *sealkey.Trust) bool {
	pin, refusal := trusted.Open(Protocol, s.Envelope)
	if refusal == nil {
		r.Examined.Signatures = 2
		r.Seal = factsOf(s, pin)
		refusal = pin.At(s.Statement.SealedAt, s.Envelope)
	}
	if refusal != nil {
		r.add(in, *refusal)
	}
	return refusal == nil
}

// list compares a list of leaves with the root, and reports whether it can be used.
func (r *Report) list(s *Seal, a Against) (bool, error) {
	if a.Leaves == nil {
		return false, nil
	}
	if err := Check(s, ReadLeaves(a.Leaves)); err != nil {
		return false, r.leaves(err)
	}
	r.Examined.Leaves = s.Statement.Objects
	_, err := a.Leaves.Seek(0, io.SeekStart)
	return true, err
}

// findRun looks for the sealed run in the chain of a ledger (SPEC 15.5). A ledger without it
// may have been lost since; one with it has the objects that were sealed.
func (r *Report) findRun(s *Seal, runs iter.Seq2[ledger.Run, error]) error {
	st := &s.Statement
	for sealed, err := range runs {
		var altered *ledger.AlteredError
		if errors.As(err, &altered) {
			r.add("ledger", finding.At(LedgerAltered, "", "a chain of runs", altered.Error()))
			return nil
		}
		if err != nil {
			return err
		}
		r.Examined.Runs++
		if sealed.Digest != st.Run {
			continue
		}
		if f := st.Contradicts(&sealed.Record); f != nil {
			r.add("ledger", *f)
		}
		return nil
	}
	r.add("ledger", finding.At(AnotherHistory, "", fmt.Sprintf("the run %x", st.Run),
		safetext.Count(r.Examined.Runs, "other run")))
	return nil
}

// Contradicts returns a finding unless the record of the sealed run is about as much as the
// seal.
func (st *Statement) Contradicts(sealed *run.Record) *finding.InDocument {
	want, is := run.Ignored{Patterns: st.Ignored}, run.Ignored{}
	if sealed.Ignored != nil {
		is = *sealed.Ignored
	}
	if sealed.Objects == st.Objects && sealed.Octets == st.Octets && slices.Equal(want.Patterns, is.Patterns) {
		return nil
	}
	say := func(objects, octets int64, g *run.Ignored) string {
		text := fmt.Sprintf("%d objects and %d octets", objects, octets)
		if len(g.Patterns) > 0 {
			text += ", without files of the patterns " + g.PatternList()
		}
		return text
	}
	f := finding.At(Contradiction, "", say(st.Objects, st.Octets, &want), say(sealed.Objects, sealed.Octets, &is))
	return &f
}

// VerifyObject judges a proof, and a file under it (SPEC 16.8). The file is read to its
// end. An error is one of the machine.
func VerifyObject(proof []byte, trusted *sealkey.Trust, content io.Reader) (*Report, error) {
	r := newReport()
	defer r.concludeProof()
	r.TrustSHA256 = fmt.Sprintf("%x", trusted.SHA256())
	p, faults := ParseProof(proof)
	if r.faults("proof", faults); len(faults) > 0 {
		return r, nil
	}
	if !r.open("proof", p.Seal, trusted) {
		return r, nil
	}
	if !p.Included() {
		r.add("proof", finding.At(SealRoot, "/inclusion",
			"a way to the root "+p.Seal.Statement.Root.String(), "none"))
		return r, nil
	}
	r.Examined.Leaves = 1
	r.Object = &ObjectFacts{object.PathText(p.Leaf.Path), p.Leaf.Size, p.Leaf.Digest.String()}
	h := p.Seal.Statement.Hash.New()
	size, err := io.Copy(h, content)
	if err != nil {
		return nil, err
	}
	r.Examined.Objects, r.Examined.Octets = 1, size
	found := Leaf{p.Leaf.Path, size, Digest(h.Sum(nil))}
	if found != p.Leaf {
		r.add("file", finding.At(ObjectAltered, "", describe(p.Leaf), describe(found)))
	}
	return r, nil
}
