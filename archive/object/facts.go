package object

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Facts are an object's claims about itself, and the parts of the trust file that its verdict
// depends on. Keys, Generations and the two numbers are there for every bundle that has its
// form, proven or not.
type Facts struct {
	// Proof has the statements of a bundle, if it is proven (all checks of SPEC 8.1 to 8.21).
	Proof

	// Proofs are the first genuine proofs in logs and cases, and Contains counts all.
	// Logs are the first logs, and AllLogs is how many there are.
	Proofs   []Proof
	Contains Statuses
	Logs     []Log
	AllLogs  int64

	// Evidence is a digest of the events and documents in logs, however they are packed (SPEC 15.4).
	Evidence [sha256.Size]byte

	Keys        []KeyRef // that the bundle names, ascending, each once
	Generations []int64  // of signer registries that it names, ascending, each once
	Unknown     []KeyRef // the Keys that the trust file does not pin
	Witnesses   int      // that count towards the quorum
	Approvals   int      // that count

	// UnknownKeys names the keys that the evidence rests on and the trust file lacks, as far
	// as there is room. MayBeGood is set if some of that evidence may be good.
	UnknownKeys []string
	MayBeGood   bool

	// Short is set if an earlier version of the program judged the object, and kept no
	// more than tenant, transaction, status and checkpoint.
	Short bool
}

// HasEvidence reports whether the digest of the evidence is known.
func (f *Facts) HasEvidence() bool { return f.Evidence != [sha256.Size]byte{} }

// KeyRef names a key in a role.
type KeyRef struct {
	Role trust.Role
	ID   string
}

// Proof has the statements of a genuine proof.
type Proof struct {
	Name string `json:"name"` // its entry in the object; "" if it is the object
	verify.About
	CheckpointSequence uint64 `json:"checkpoint_sequence"`
	Superseded         bool   `json:"superseded"` // by another proof in the object
}

// Log records up to where a log is complete (SPEC 13.7).
type Log struct {
	TenantID         string `json:"tenant_id"`
	LogID            string `json:"log_id"`
	CompleteByOthers Word   `json:"complete_by_others"`
	CompleteByOwn    Word   `json:"complete_by_own"`
	TailByOthers     uint64 `json:"tail_by_others"`
	UnanchoredTail   uint64 `json:"unanchored_tail"`
}

// Word is a sequence up to which a log is shown to be complete, 0 for none, and the evidence
// for that.
type Word struct {
	Sequence uint64 `json:"sequence"`
	Says     string `json:"says"`
}

// How much of an object is kept, so that no evidence can fill the ledger. The names in a
// proven bundle come from its certificate, which has 64 KiB at most.
const (
	mostProofs = 20
	mostNames  = 32 << 10 // bytes of the names of all proofs in logs or a case
	mostLogs   = 32
	mostKeys   = 100
	mostSays   = 300 // bytes of a text
)

// say enters the statements of a proven bundle.
func (f *Facts) say(b *bundle.Bundle, about *verify.About) {
	f.Proof = Proof{About: *about, CheckpointSequence: b.Checkpoint.Unverified().Sequence}
}

// lacks enters the keys that a bundle rests on and the trust file lacks.
func (f *Facts) lacks(u *verify.UnknownKeys) {
	names := u.Names()
	for _, name := range names[:min(len(names), mostKeys)] {
		f.UnknownKeys = append(f.UnknownKeys, safetext.Cut(name, mostSays))
	}
	f.MayBeGood = u != nil && u.MayBeGood
}

// walked enters the results on logs or on a case.
func (f *Facts) walked(r *verdict.Result) {
	f.lacks(r.UnknownKeys)
	octets := 0
	for i := range r.Proofs {
		b := &r.Proofs[i]
		for _, name := range b.About.CertificateNames {
			octets += len(name)
		}
		proof := Proof{Name: safetext.Cut(b.Place.Container, mostSays), About: *b.About, CheckpointSequence: b.Checkpoint,
			Superseded: b.SupersededBy != ""}
		f.Contains.add(&proof)
		if len(f.Proofs) < mostProofs && octets <= mostNames {
			f.Proofs = append(f.Proofs, proof)
		}
	}
	f.AllLogs = int64(len(r.Logs))
	for _, tenants := range []bool{true, false} { // their logs are the ones that statuses rest on
		for i := range r.Logs {
			if l := &r.Logs[i]; strings.HasPrefix(l.LogID, "tenant/") == tenants && len(f.Logs) < mostLogs {
				f.Logs = append(f.Logs, logOf(l))
			}
		}
	}
}

func logOf(l *walk.LogResult) Log {
	word := func(w walk.Word) Word { return Word{w.Sequence, safetext.Cut(w.Says(), mostSays)} }
	return Log{TenantID: l.TenantID, LogID: safetext.Cut(l.LogID, mostSays), CompleteByOthers: word(l.CompleteByOthers),
		CompleteByOwn: word(l.CompleteByOwn), TailByOthers: l.TailByOthers, UnanchoredTail: l.UnanchoredTail}
}

// Said returns the statements of a proof as one sentence.
func (p *Proof) Said() string {
	said := p.Sentence()
	if p.NotBefore == "" {
		said = fmt.Sprintf("%s; transaction %s of tenant %s; as of %s; its certificate is known when it is verified again; "+
			"%s", p.Status, safetext.Quote(p.TransactionID), safetext.Quote(p.TenantID), p.AsOf, p.Freshness)
	}
	if p.Superseded {
		said = "superseded by a later proof: it says " + said
	}
	if p.Name != "" {
		said = safetext.Quote(p.Name) + ": " + said
	}
	return said
}

// Said returns both numbers of a log as one sentence.
func (l *Log) Said() string {
	return safetext.Quote(l.LogID) + ": " +
		verdict.Complete(l.CompleteByOthers.Sequence, l.CompleteByOwn.Sequence, l.TailByOthers, l.UnanchoredTail)
}

// bundle judges an object that claims to be a bundle.
func (j *Judge) bundle(in *bundle.Input) Judgement {
	report := verify.Verify(in, j.session.Root(), j.o.Policy)
	judged := Judgement{Kind: Bundle, Verdict: outcome.Class(report.Verdict)}
	if report.Verdict != verify.Verified {
		f := report.Decides()
		judged.Code, judged.Pointer, judged.Reason = f.Code, f.Path, f.Remark()
	}
	if in.Bundle != nil {
		judged.Facts = factsOf(in.Bundle, j.session.Root())
	}
	if report.Proven() {
		judged.Facts.say(in.Bundle, report.About)
	}
	judged.Facts.lacks(report.UnknownKeys)
	return judged
}

// factsOf returns the facts that the verdict on a bundle depends on in a trust file.
func factsOf(b *bundle.Bundle, root *trust.Root) Facts {
	s := seen{root: root}
	open(&s, b.Checkpoint)
	open(&s, b.Status)
	open(&s, b.Customer)
	open(&s, b.Service)
	open(&s, b.Receipt)
	for _, c := range b.Capability {
		open(&s, c)
	}
	if b.Revocation != nil {
		open(&s, *b.Revocation)
	}
	for _, l := range b.Path {
		if l.Event != nil {
			open(&s, *l.Event)
		}
	}
	f := Facts{Witnesses: votes(&s, b.Witnesses), Approvals: votes(&s, b.Approvals)}
	slices.SortFunc(s.keys, func(a, b KeyRef) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.ID, b.ID))
	})
	f.Keys = slices.Compact(s.keys)
	for _, k := range f.Keys {
		if _, pinned := root.Key(k.Role, k.ID); !pinned {
			f.Unknown = append(f.Unknown, k)
		}
	}
	for _, g := range b.Registries {
		f.Generations = append(f.Generations, g.Generation)
	}
	slices.Sort(f.Generations)
	f.Generations = slices.Compact(f.Generations)
	return f
}

// seen collects the keys that envelopes name.
type seen struct {
	root *trust.Root
	keys []KeyRef
}

// open enters the key of an envelope.
func open[T trust.Statement](s *seen, e trust.Sealed[T]) {
	s.keys = append(s.keys, KeyRef{e.Unverified().Signatory().Role, e.KeyID})
}

// votes enters the keys of a list of envelopes, and returns how many of them count
// in a quorum (SPEC 5.3).
func votes[T trust.Statement](s *seen, list []trust.Sealed[T]) int {
	var valid []trust.Key
	for _, e := range list {
		open(s, e)
		if opened, refusal := trust.Open(s.root, e); refusal == nil {
			valid = append(valid, opened.Key)
		}
	}
	return trust.Distinct(valid)
}
