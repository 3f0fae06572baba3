package bag

import (
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// readPart returns a part, or more than a size of it, which its parser refuses. That it can be read
// was found when its digest was compared.
func (p *parts) readPart(part string, most int64) []byte {
	content, _ := io.ReadAll(io.LimitReader(p.openPart(part), most+1))
	return content
}

// sayFinding adds a finding that another package has about a part.
func (p *parts) sayFinding(part string, f *finding.InDocument) {
	p.say(f.Code, part, 0, "%s", safetext.Line(f.Path+": expected "+f.Expected+", found "+f.Found))
}

// compareTrust compares the trust files with their history, and that with the newest run.
func (p *parts) compareTrust() {
	for _, part := range p.names() {
		if strings.HasPrefix(part, TrustFolder) {
			content := p.readPart(part, form.MaxTrust)
			p.trust[sha256.Sum256(content)] = sha512.Sum512(content)
		}
	}
	part := TrustFolder + history.EntriesFile
	if p.lacksPart(part) {
		return
	}
	entries, findings := history.Linked(p.readPart(part, history.MaxFile))
	for i := range findings {
		p.sayFinding(part, &findings[i])
	}
	versions := map[run.Digest]bool{}
	for i := range entries {
		sum := entries[i].Trust
		versions[sum] = true
		file := TrustFolder + history.TrustFile(sum)
		if !p.lacksPart(file) && sha256.Sum256(p.readPart(file, form.MaxTrust)) != sum {
			p.sayDiffers(file, "its SHA-256", "the one of its name", "another")
		}
	}
	if n := len(p.runs); n > 0 && !versions[p.runs[n-1].Trust] {
		p.say(HistoryNotRecorded, part, 0, "run %d has the trust file %x", n, p.runs[n-1].Trust)
	}
}

// compareSeals compares seals and proofs with all other parts.
func (p *parts) compareSeals() {
	seals := false
	for _, part := range p.names() {
		if !strings.HasPrefix(part, SealsFolder) || strings.HasSuffix(part, ".er") || strings.Contains(part, ".leaves") {
			continue
		}
		doc := p.readPart(part, seal.MaxProof)
		s, unsealed := seal.Parse(doc)
		proof, unproven := seal.ParseProof(doc)
		switch {
		case len(unsealed) == 0:
			seals = true
			p.compareSeal(part, s)
		case len(unproven) == 0:
			p.compareProof(part, proof)
		default:
			p.lacksPart("a seal in " + part)
		}
	}
	if !seals {
		p.lacksPart("a seal")
	}
}

// compareRun compares a seal with the run that it names, and returns its number; 0 if there is none.
func (p *parts) compareRun(part string, st *seal.Statement) int {
	i, there := p.places[st.Run]
	if !there {
		if len(p.runs) > 0 {
			p.say(AnotherHistory, part, 0, "no record has the digest %x", st.Run)
		}
		return 0
	}
	r := &p.runs[i]
	if f := st.Contradicts(&r.Record); f != nil {
		p.sayFinding(part, f)
	}
	if sum, kept := p.trust[r.Trust]; !kept {
		p.lacksPart(fmt.Sprintf("the trust file of run %d", r.Number))
	} else if !slices.Contains(st.Trust, sum) {
		p.sayDiffers(part, "its trust files", fmt.Sprintf("the one of run %d", r.Number), "others")
	}
	return i + 1
}

// compareSeal compares a seal with its run, its lists of leaves, the objects and its record.
func (p *parts) compareSeal(part string, s *seal.Seal) {
	at := p.compareRun(part, &s.Statement)
	own := p.compareRecord(part+".er", func(h timestamp.Hash) []byte { return h.Sum(s.File) })
	if p.lacksPart(part + ".leaves") {
		return
	}
	list := func() *seal.Leaves { return seal.ReadLeaves(p.openPart(part + ".leaves")) }
	err := errors.Join(seal.Check(s, list()), p.compareLeaves(part+".leaves", list(), at), p.compareTrees(part, s, own))
	if err != nil {
		p.say(SealRoot, part+".leaves", 0, "%s", safetext.Line(err.Error()))
	}
}

// compareTrees compares the record of a seal with the lists of leaves of all its chains.
func (p *parts) compareTrees(part string, s *seal.Seal, own *record.Record) error {
	if own == nil {
		return nil
	}
	hashes, lists := own.ChainHashes(), []io.Reader{}
	for i := range hashes {
		name := part + record.LeavesSuffix(i+1)
		if p.lacksPart(name) {
			return nil
		}
		lists = append(lists, p.openPart(name))
	}
	v, err := record.ReadLists(hashes, lists)
	if err != nil {
		return err
	}
	return record.Grow(own, s.File, v).Fits()
}

// compareRecord compares a record with its object, and returns it; nil if there is none that fits.
func (p *parts) compareRecord(part string, digest func(timestamp.Hash) []byte) *record.Record {
	if p.lacksPart(part) {
		return nil
	}
	r, err := record.Parse(p.readPart(part, record.MaxRecord))
	if err != nil {
		p.say(Malformed, part, 0, "%s", safetext.Line(err.Error()))
		return nil
	}
	if f := r.Over(digest); f != nil {
		p.sayFinding(part, f)
		return nil
	}
	return r
}

// compareLeaves compares a list of leaves with the objects, which were as in it in a run.
func (p *parts) compareLeaves(part string, list *seal.Leaves, at int) error {
	for l, err := range list.All() {
		if err != nil {
			return err
		}
		p.compareLeaf(part, l, at)
	}
	for _, path := range p.unseenBy(part) {
		p.markUnlike(path, at)
	}
	return nil
}

// compareLeaf compares a leaf with its object, and reports whether it is the same.
func (p *parts) compareLeaf(part string, l seal.Leaf, at int) bool {
	read, named := p.digestsOf(l.Path, part)
	same := read != nil && read.Size == l.Size && read.SHA512 == l.Digest
	if !same && (read != nil || !named) {
		p.markUnlike(l.Path, at)
	}
	return same
}

// markUnlike notes that an object is not as it was in a run, unless a ledger was adopted since, whose
// changes can be lost.
func (p *parts) markUnlike(path string, at int) {
	adopted := func(r ledger.Run) bool { return r.Adopted != run.Digest{} }
	if at > p.unlike[path] && !slices.ContainsFunc(p.runs[at:], adopted) {
		p.unlike[path] = at
	}
}

// compareProof compares a proof with its own seal, with the run, and with its object and records.
func (p *parts) compareProof(part string, proof *seal.Proof) {
	if !proof.Included() {
		p.say(SealRoot, part, 0, "")
	}
	at := p.compareRun(part, &proof.Seal.Statement)
	p.compareRecord(part+".seal.er", func(h timestamp.Hash) []byte { return h.Sum(proof.Seal.File) })
	if p.compareLeaf(part, proof.Leaf, at) {
		p.compareRecord(part+".er", func(h timestamp.Hash) []byte {
			sum := h.New()
			_, _ = io.Copy(sum, p.openPart(payloadFolder+proof.Leaf.Path)) // a fault is another digest
			return sum.Sum(nil)
		})
	}
}
