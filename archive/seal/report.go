package seal

import (
	"encoding/hex"
	"errors"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// Schema names the JSON form of a [Report].
const Schema = "svc-verify/archive-seal/v1"

// mostFindings is how many findings a report lists. It counts all.
const mostFindings = 1000

// Report is the result of verifying a seal, a proof or an archive under a seal, and the
// reasons why one could not be made.
type Report struct {
	Schema      string               `json:"schema"`
	Verdict     outcome.Class        `json:"verdict"`
	NotExamined []Limitation         `json:"not_examined"`
	TrustSHA256 string               `json:"seal_trust_sha256"` // of the file of --seal-trust; "" where a seal is made
	Seal        *Facts               `json:"seal,omitempty"`    // its facts, once both signatures hold
	Object      *ObjectFacts         `json:"object,omitempty"`  // that a proof is about, once it is proven
	Examined    Examined             `json:"examined"`
	Findings    []finding.InDocument `json:"findings"`
	More        int64                `json:"more_findings"` // that are not listed
	Limitations []Limitation         `json:"limitations"`
}

// Facts are the content of a seal.
type Facts struct {
	SHA512     string         `json:"sha512"` // of the file of the seal
	Signer     string         `json:"signer"` // the name that --seal-trust has for the keys
	SealedAt   string         `json:"sealed_at_claimed"`
	Hash       timestamp.Hash `json:"hash"`
	Root       string         `json:"root"`
	Objects    int64          `json:"objects"`
	Octets     int64          `json:"octets"`
	RunSHA256  string         `json:"run_sha256"`
	TrustFiles []string       `json:"trust_sha512"`
	Ignored    []string       `json:"ignored,omitempty"` // patterns of files that are not sealed
	Previous   string         `json:"previous,omitempty"`
}

// ObjectFacts are the facts that a proof proves of an object.
type ObjectFacts struct {
	Path   string `json:"path"` // as text (SPEC 15.1)
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

// Examined counts the examined parts.
type Examined struct {
	Signatures int   `json:"signatures"` // that hold
	Leaves     int64 `json:"leaves"`     // that were compared with the root
	Objects    int64 `json:"objects"`    // that were read and hashed
	Octets     int64 `json:"octets"`     // of them
	Runs       int64 `json:"runs"`       // of the ledger
}

// Limitation is something that was not examined, or is not proven.
type Limitation = verify.Limitation

func newReport() *Report {
	return &Report{Schema: Schema, Verdict: outcome.Verified, NotExamined: []Limitation{},
		Findings:    []finding.InDocument{},
		Limitations: []Limitation{}}
}

// add adds a finding, and lowers the verdict.
func (r *Report) add(in string, f finding.InDocument) {
	f.In = in
	class := object.ClassOf(f.Code)
	if string(f.Code) == ijson.CodeEmpty {
		class = outcome.Inconclusive
	}
	r.Verdict = outcome.Worst(r.Verdict, class)
	if len(r.Findings) == mostFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, f)
}

func (r *Report) faults(in string, faults []ijson.Fault) {
	for _, f := range faults {
		r.add(in, finding.OfFault(f))
	}
}

// leaves adds the finding about an error of [Check] or [Prove]. It returns an error
// of another kind.
func (r *Report) leaves(err error) error {
	var malformed *LeavesError
	switch {
	case errors.As(err, &malformed):
		r.add("leaves", malformed.Finding())
	case errors.Is(err, ErrRoot):
		r.add("leaves", finding.At(SealRoot, "", "the leaves of the sealed root", "others"))
	default:
		return err
	}
	return nil
}

func factsOf(s *Seal, pin sealkey.Pin) *Facts {
	st := s.Statement
	f := &Facts{SHA512: s.Digest(SHA512).String(), Signer: pin.Name, SealedAt: form.FormatTime(st.SealedAt), Hash: st.Hash,
		Root: st.Root.String(), Objects: st.Objects, Octets: st.Octets, RunSHA256: hex.EncodeToString(st.Run[:]),
		TrustFiles: []string{}, Ignored: st.Ignored}
	for _, t := range st.Trust {
		f.TrustFiles = append(f.TrustFiles, Digest(t).String())
	}
	if st.Previous != (Digest{}) {
		f.Previous = st.Previous.String()
	}
	return f
}

// conclude lists the open points after a seal was verified. A seal that does not open is
// compared with nothing.
func (r *Report) conclude(opened bool, a Against) {
	for _, c := range []struct {
		read bool
		what string
	}{
		{a.Archive != nil, "object of the archive"},
		{a.Leaves != nil, "list of leaves"},
		{a.Runs != nil, "ledger"},
	} {
		if !c.read || !opened {
			r.notRead(c.what)
		}
	}
	r.unproven(NoToken, SealKeyHolder, SealEvidenceNotAsked)
}

// concludeProof lists the open points after a proof was verified.
func (r *Report) concludeProof() {
	r.notRead("other object of the archive")
	r.unproven(NoToken, SealKeyHolder, SealEvidenceNotAsked)
}

// concludeMade lists the open points after a seal was made.
func (r *Report) concludeMade() { r.unproven(NoToken, SealEvidenceNotAsked) }

func (r *Report) notRead(what string) {
	r.NotExamined = append(r.NotExamined, verify.LimitationOf(NotRead, "{what}", what))
}

// passOver reports the files that were passed over, if there are patterns.
func (r *Report) passOver(g *run.Ignored) {
	if len(g.Patterns) > 0 {
		r.NotExamined = append(r.NotExamined,
			verify.LimitationOf(FilesIgnored, "{patterns}", g.PatternList(), "{files}", g.FileList()))
	}
}

func (r *Report) unproven(codes ...finding.Code) {
	for _, code := range codes {
		r.Limitations = append(r.Limitations, verify.LimitationOf(code))
	}
}
