package record

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
)

// Sealed is what a seal says, whose signatures were verified.
type Sealed struct {
	File     []byte // the seal as it was read
	SealedAt time.Time
	Tree     Tree
	Pin      sealkey.Pin // whose signatures they are
}

// Options are what a chain is judged by.
type Options struct {
	At          time.Time
	Authorities []timestamp.Authority
	Algorithms  *Algorithms          // nil if none were given
	Revocation  []timestamp.Evidence // about the newest token
	Trees       []Tree               // over the data as it is now, if it was read
}

// AuthoritiesOf returns the authorities that a file of --seal-trust pins.
func AuthoritiesOf(trusted *sealkey.Trust) (all []timestamp.Authority, err error) {
	for _, a := range trusted.Authorities() {
		one := timestamp.Authority{Name: a.Name, From: a.From, Until: a.Until}
		for _, der := range a.Certificates {
			c, err := timestamp.ParseCertificate(der)
			if err != nil {
				return nil, fmt.Errorf("the authority %s of --seal-trust: %w", a.Name, err)
			}
			one.Certificates = append(one.Certificates, c)
		}
		all = append(all, one)
	}
	return all, nil
}

// Verify judges the chain of a seal (SPEC 17.7). The verdict is of the chain: that of
// a chain without a step is verified, and its report says that no token shows the
// time.
func Verify(s Sealed, c *Chain, o Options) *Report {
	r := &Report{Schema: Schema, Verdict: outcome.Verified, NotExamined: []Limitation{}, At: form.FormatTime(o.At),
		Steps: []StepReport{}, Pending: c.Pending != nil, Findings: []finding.InDocument{}, Notices: []finding.InDocument{},
		Limitations: []Limitation{}}
	j := &judge{Report: r, sealed: s, chain: c, options: o, files: []*file{{name: sealName, doc: s.File}}}
	for i := range c.Steps {
		if !j.step(i + 1) {
			break
		}
	}
	if len(j.links) == len(c.Steps) {
		newest := j.tree(len(j.links))
		r.newest = &newest
		j.judgeSeal()
		for i := range j.links {
			j.judgeLink(i)
		}
		j.judgeTrees()
	}
	j.conclude()
	return r
}

// link is a step whose token leads to a pinned authority.
type link struct {
	tree     Tree
	chain    *timestamp.Chain
	evidence []timestamp.Evidence // in its folder, about the token before
}

// judge is one run of Verify.
type judge struct {
	*Report
	sealed  Sealed
	chain   *Chain
	options Options
	links   []link
	files   []*file // the seal, and all files of the steps read so far
}

// tree returns the tree that a step stands on.
func (j *judge) tree(step int) Tree {
	if step == 0 {
		return j.sealed.Tree
	}
	return j.links[step-1].tree
}

// step reads a step and verifies that its token is over everything before it. It
// reports whether the next one can be read.
func (j *judge) step(number int) bool {
	own := &j.chain.Steps[number-1]
	name := stepName(number)
	tree, fault := parseCovers(own.Files[coversName])
	if fault != nil {
		fault.Path = name + "/" + coversName + "#" + fault.Path
		j.add(number, *fault)
		return false
	}
	before := j.tree(number - 1)
	kind := "renewal"
	if number == 1 {
		kind = "stamp"
	}
	if tree.Hash != before.Hash {
		kind = "rehash"
	}
	j.Steps = append(j.Steps, StepReport{Number: number, Kind: kind, Hash: tree.Hash, RestsOn: []string{},
		Standing: outcome.Verified})
	if bad := j.fit(number, before, tree, own.Files[coversName]); bad != nil {
		j.add(number, *bad)
		return false
	}
	l := link{tree: tree}
	if l.chain, fault = own.trace(tree.Hash, j.options.Authorities, name); fault != nil {
		j.add(number, *fault)
		return false
	}
	for _, f := range own.some("revocation-") {
		e, fault := timestamp.ParseEvidence(name+"/"+f.name, f.doc)
		if fault != nil {
			j.notice(number, fault)
			continue
		}
		l.evidence = append(l.evidence, e)
	}
	j.links = append(j.links, l)
	j.files = append(j.files, own.below(name, "")...)
	return true
}

// fit returns a finding unless the document of a step is the one that the chain
// before it has.
func (j *judge) fit(number int, before, tree Tree, doc []byte) *finding.InDocument {
	place := stepName(number) + "/" + coversName
	if tree.Objects != before.Objects || tree.Octets != before.Octets || tree.Hash == before.Hash && !tree.Equal(before) {
		return &finding.InDocument{Code: ChainAltered, Path: place + "#/tree",
			Expected: "the tree of the step before", Found: "another, under the same hash or over other data"}
	}
	own := j.chain.Steps[number-1].below(stepName(number), "revocation-")
	want, err := covers(number, tree, append(slices.Clip(j.files), own...))
	if err == nil && bytes.Equal(want, doc) {
		return nil
	}
	expected, found := difference(want, doc)
	return &finding.InDocument{Code: ChainAltered, Path: place, Expected: expected, Found: found}
}

// trace verifies the token of a step against its request and the authorities.
func (s *Step) trace(h timestamp.Hash, authorities []timestamp.Authority,
	name string) (*timestamp.Chain, *finding.InDocument) {
	in := func(file string, f *timestamp.Fault) *finding.InDocument {
		f.Path = name + "/" + file + ": " + f.Path
		return (*finding.InDocument)(f)
	}
	request, fault := timestamp.ParseRequest(s.Files[requestName])
	if fault != nil {
		return nil, in(requestName, fault)
	}
	if request.Hash != h || !bytes.Equal(request.Imprint, h.Sum(s.Files[coversName])) {
		return nil, &finding.InDocument{Code: ChainAltered, Path: name + "/" + requestName,
			Expected: "the digest of " + coversName, Found: "another"}
	}
	token, fault := timestamp.Parse(s.Files[tokenName])
	if fault != nil {
		return nil, in(tokenName, fault)
	}
	if !bytes.Equal(token.DER, s.Files[tokenName]) {
		return nil, &finding.InDocument{Code: ChainMalformed, Path: name + "/" + tokenName, Expected: "a token",
			Found: "a response around it"}
	}
	if fault := token.Answers(request); fault != nil {
		return nil, in(tokenName, fault)
	}
	var further []*x509.Certificate
	for _, f := range s.some("certificate-") {
		c, err := timestamp.ParseCertificate(f.doc)
		if err != nil {
			return nil, &finding.InDocument{Code: ChainMalformed, Path: name + "/" + f.name, Expected: "a certificate",
				Found: err.Error()}
		}
		further = append(further, c)
	}
	chain, fault := token.Trace(authorities, further)
	if fault != nil {
		return nil, in(tokenName, fault)
	}
	return chain, nil
}
