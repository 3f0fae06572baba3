package pack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// Beginning is how every pack begins.
const Beginning = `{"pack":{`

// mostFaults bounds the findings of a [Result], and mostCounted the further ones of a pack
// that is rejected: the rest is not read.
const (
	mostFaults  = 64
	mostCounted = 1000
)

// Verify judges a pack (SPEC 22.3).
func Verify(doc []byte, root *trust.Root) *Result {
	v := verifier{root: root, doc: doc,
		result: &Result{Schema: Schema, Verdict: verify.Verified, FileSHA256: chain.Hash(sha256.Sum256(doc)).String(),
			TrustSHA256: chain.Hash(root.SHA256()).String(), Histories: []History{}, Proofs: []Proof{},
			Shown: []Contradiction{}, Findings: []finding.InDocument{}}}
	switch {
	case len(doc) > MaxFile:
		v.stopReading(form.TooLarge, "", fmt.Sprintf("at most %d octets", MaxFile), strconv.Itoa(len(doc)))
	case len(bytes.Trim(doc, " \t\r\n")) == 0:
		v.stopReading(ijson.CodeEmpty, "", "a pack", "nothing")
		v.result.Verdict = verify.Inconclusive
	}
	for begin := 0; !v.stopped && v.stage < atEnd; {
		v.line++
		n := bytes.IndexByte(doc[begin:], '\n')
		if n < 0 {
			v.stopReading(malformed, "", `a line that ends with a line feed, and the line "end"`, "the end of the file")
			break
		}
		v.readLine(begin, doc[begin:begin+n])
		if begin += n + 1; v.stage == atEnd && begin < len(doc) {
			v.stopReading(malformed, "", "the end of the file", "more")
		}
	}
	v.judgeWhole()
	return v.result
}

// stage is the kind of line that was read last. Lines come in the order of their stages.
type stage int

const (
	atStart stage = iota
	atClaims
	atProofs
	atCheckpoints
	atHistories
	atEnd
)

// verifier judges the lines of a pack, one after the other.
type verifier struct {
	root    *trust.Root
	doc     []byte
	result  *Result
	line    int // from 1
	begin   int // of the line
	stage   stage
	stopped bool // the file has not the form of a pack
	newest  string
	history *history // that is being read, nil before the first one
	all     []*history
	statements
}

// kind is a kind of lines: its place among the others, and its reader.
type kind struct {
	place stage
	read  func(*verifier, *form.Reader, *ijson.Value)
}

// kinds are the kinds of lines by their names (SPEC 22.1).
var kinds = map[string]kind{
	"pack":       {atClaims, (*verifier).readClaims},
	"proof":      {atProofs, (*verifier).readProof},
	"checkpoint": {atCheckpoints, (*verifier).readCheckpoint},
	"history":    {atHistories, (*verifier).readHistory},
	"disclosed":  {atHistories, (*verifier).readDisclosed},
	"redacted":   {atHistories, (*verifier).readRedacted},
	"link":       {atHistories, (*verifier).readLink},
	"end":        {atEnd, (*verifier).readEnd},
}

// readLine judges the line that begins at a byte of the file, without its line feed.
func (v *verifier) readLine(begin int, line []byte) {
	err := form.ReadCanonical(line, maxLine, func(r *form.Reader, one *ijson.Value) {
		members := one.Members() // none of anything but an object
		if len(members) != 1 {
			r.Fault(one, string(malformed), "an object with one member", "something else")
			return
		}
		next := kinds[members[0].Name] // an unknown one is atStart
		isNext := next.place >= max(v.stage, atProofs)
		if v.stage == atStart {
			isNext = next.place == atClaims
		}
		if !isNext {
			r.Fault(one, string(malformed), "the kind of line that SPEC 22.1 has here", members[0].Name)
			return
		}
		if next.place != v.stage {
			v.stage, v.newest = next.place, ""
		}
		v.begin = begin
		next.read(v, r, members[0].Value)
	})
	if fault := (*ijson.Fault)(nil); errors.As(err, &fault) {
		v.stopReading(finding.Code(fault.Code), fault.Path, fault.Expected, fault.Found)
	}
}

// stopReading ends the reading at a fault of form.
func (v *verifier) stopReading(code finding.Code, path, expected, found string) {
	v.addFault(code, path, expected, found)
	v.stopped = true
}

// addFault adds a finding about the present line.
func (v *verifier) addFault(code finding.Code, path, expected, found string) {
	if code.Entry().Defect != finding.UnknownKey {
		v.result.Verdict = verify.Rejected
	} else if v.result.Verdict == verify.Verified {
		v.result.Verdict = verify.Inconclusive
	}
	if len(v.result.Findings) == mostFaults {
		v.result.More++
		v.stopped = v.stopped || v.result.Verdict == verify.Rejected && v.result.More == mostCounted
		return
	}
	v.result.Findings = append(v.result.Findings,
		finding.InDocument{Code: code, Path: path, Line: v.line, Expected: expected, Found: found})
}

// requireAscending checks that the names of the lines of one kind ascend.
func (v *verifier) requireAscending(r *form.Reader, at *ijson.Value, name string) {
	if name <= v.newest {
		r.Fault(at, string(malformed), "a line above "+v.newest, name)
	}
	v.newest = name
}

// readClaims reads the claims of the maker.
func (v *verifier) readClaims(r *form.Reader, value *ijson.Value) {
	o := r.Object(value, "protocol", "trust_sha256", "verdict", "findings", "sources")
	c := &Claims{Protocol: o.Protocol(Protocol), TrustSHA256: chain.Hash(o.Digest("trust_sha256")).String(),
		Findings: []Claimed{}, Sources: []string{},
		Verdict: verify.Verdict(o.OneOf("verdict", string(verify.Verified), string(verify.Rejected),
			string(verify.Inconclusive)))}
	for _, one := range o.List("findings", 0, mostFindings) {
		f := r.Object(one, "code", "tenant_id", "log_id", "sequence", "last_sequence")
		c.Findings = append(c.Findings, Claimed{Code: finding.Code(f.Identifier("code")), TenantID: f.Subject("tenant_id"),
			LogID: f.LogID("log_id"), Sequence: uint64(f.Counter("sequence")), Last: uint64(f.Counter("last_sequence"))})
	}
	sources := o.List("sources", 0, mostSources)
	for _, one := range sources {
		c.Sources = append(c.Sources, chain.Hash(r.Digest(one)).String())
	}
	r.Ascending(sources, c.Sources)
	v.result.Claims = c
}

// readProof judges a bundle.
func (v *verifier) readProof(r *form.Reader, value *ijson.Value) {
	o := r.Object(value, "document", "sha256")
	doc := o.Bytes("document", 1, form.MaxBundle)
	digest := chain.Hash(o.Digest("sha256"))
	v.requireAscending(r, value, digest.String())
	if found := chain.Hash(sha256.Sum256(doc)); found != digest {
		v.addFault(malformed, "/proof/sha256", digest.String(), found.String())
	}
	report := verify.Verify(bundle.Open(doc), v.root, verify.Policy{})
	p := Proof{SHA256: report.BundleSHA256, Verdict: report.Verdict, About: report.About}
	if report.Verdict != verify.Verified {
		p.Code = report.Failure().Code
		code := proofRejected
		if report.UnknownKeys != nil && report.UnknownKeys.MayBeGood {
			code = proofKeyUnknown
		}
		v.addFault(code, "/proof/document", "a bundle that verifies", string(p.Code))
	}
	v.result.Proofs = append(v.result.Proofs, p)
}

// readEnd compares the digest of the lines before the last one.
func (v *verifier) readEnd(r *form.Reader, value *ijson.Value) {
	v.endHistory()
	want := chain.Hash(r.Object(value, "sha256").Digest("sha256"))
	if found := chain.Hash(sha256.Sum256(v.doc[:v.begin])); want != found {
		v.addFault(malformed, "/end/sha256", want.String(), found.String())
	}
}

// judgeWhole judges the histories, for which the whole pack must be read.
func (v *verifier) judgeWhole() {
	if v.stopped || v.result.Verdict == verify.Rejected {
		v.result.Proofs = v.result.Proofs[:0]
		return
	}
	for _, h := range v.all {
		v.result.Disclosed += h.Disclosed
		v.result.Redacted += h.Redacted
		v.setSeen(h)
		v.result.Histories = append(v.result.Histories, h.History)
	}
	v.result.Shown = findContradictions(v.all, v.commitments)
	if v.result.Verdict == verify.Verified && len(v.all) == 0 && len(v.result.Proofs) == 0 {
		v.result.Verdict = verify.Inconclusive
	}
}
