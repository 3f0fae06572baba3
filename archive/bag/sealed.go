package bag

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive/record"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// readPart returns a part, or more than a size of it, which its parser refuses. That it can be read
// was found when its digest was compared.
func (p *parts) readPart(part string, most int64) []byte {
	in, closePart := p.openPart(part)
	defer closePart()
	content, _ := io.ReadAll(io.LimitReader(in, most+1))
	return content
}

// sayFinding adds a finding that another package has about a part.
func (p *parts) sayFinding(part string, f *finding.InDocument) {
	p.say(f.Code, part, 0, "%s", differenceText(f.Path, f.Expected, f.Found))
}

// differenceText is the place of a difference, and both sides of it.
func differenceText(place, expected, found string) string {
	if place != "" {
		place += ": "
	}
	return safetext.Line(place + "expected " + expected + ", found " + found)
}

// compareSeals compares seals and proofs with all other parts.
func (p *parts) compareSeals() {
	seals := false
	for _, part := range p.names() {
		if !strings.HasPrefix(part, SealsFolder) || record.IsCompanion(part) {
			continue
		}
		doc := p.readPart(part, seal.MaxProof)
		s, unsealed := seal.Parse(doc)
		proof, unproven := seal.ParseProof(doc)
		p.signed = p.signed || len(unsealed) == 0 || len(unproven) == 0
		switch {
		case len(unsealed) == 0:
			seals = true
			p.compareSeal(part, s)
		case len(unproven) == 0:
			p.compareProof(part, proof)
		case !bytes.HasPrefix(doc, []byte("{")) && !p.options.strict: // such as a token
			p.lacking = append(p.lacking, "a seal in "+part)
		default:
			f := unsealed[0]
			p.say(Malformed, part, 0, "it is no proof and no seal: %s", differenceText(f.Path, f.Expected, f.Found))
			for _, name := range record.Companions(part, func(name string) bool { return p.files[name] != nil }) {
				p.files[name].seen = part // it was not compared, and is not at fault
			}
		}
	}
	if !seals && !p.options.strict {
		p.lacking = append(p.lacking, "a seal")
	}
	for _, part := range p.names() {
		switch {
		case !strings.HasPrefix(part, SealsFolder) || !record.IsCompanion(part) || p.files[part].seen != "":
		case p.options.strict:
			p.say(Malformed, part, 0, "expected the seal or the proof that it belongs to, found none")
		default:
			p.lacking = append(p.lacking, "a seal or proof for "+part)
		}
	}
}

// compareRun compares a seal with the run that it names, and returns its number; 0 if there is none.
func (p *parts) compareRun(part string, st *seal.Statement) int {
	i, there := p.places[st.Run]
	if !there {
		if len(p.runs) > 0 {
			p.say(seal.AnotherHistory, part, 0, "no record has the digest %x", st.Run)
		}
		return 0
	}
	r := &p.runs[i]
	if f := st.Contradicts(&r.Record); f != nil {
		p.sayFinding(part, f)
	}
	if !p.lacksTrustOf(r) && !slices.Contains(st.Trust, p.trust[r.Trust]) {
		p.sayDiffers(part, "its trust files", fmt.Sprintf("the one of run %d", r.Number), "others")
	}
	return i + 1
}

// sealedList is the list of leaves of a seal, and the number of the run that is sealed.
type sealedList struct {
	part string
	at   int
}

// compareSeal compares a seal with its run, its lists of leaves and its record.
func (p *parts) compareSeal(part string, s *seal.Seal) {
	at := p.compareRun(part, &s.Statement)
	own := p.compareRecord(part+".er", func(h timestamp.Hash) []byte { return h.Sum(s.File) })
	leaves := part + ".leaves"
	if p.lacksPart(leaves) {
		return
	}
	p.lists = append(p.lists, sealedList{leaves, at})
	in, closePart := p.openPart(leaves)
	defer closePart()
	err := errors.Join(seal.Check(s, seal.ReadLeaves(in)), p.compareTrees(part, s, own))
	if err != nil {
		p.say(seal.SealRoot, leaves, 0, "%s", safetext.Line(err.Error()))
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
		in, closePart := p.openPart(name)
		defer closePart()
		lists = append(lists, in)
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

// compareLists compares the lists of leaves with the objects, which were as in a list in its run. Of
// each object the newest run counts in which it was otherwise. So the newest list comes first, and
// the objects that it does not name are not looked for in older ones.
func (p *parts) compareLists() {
	slices.SortStableFunc(p.lists, func(a, b sealedList) int { return b.at - a.at })
	paths := p.intactObjects()
	for _, list := range p.lists {
		if p.compareLeaves(list) {
			paths = slices.DeleteFunc(paths, func(path string) bool {
				if p.isNamedIn(list.part, path) {
					return false
				}
				p.markUnlike(path, list.at)
				return true
			})
		}
	}
}

// compareLeaves compares each leaf of a list with its object, and reports whether the list was read
// to its end. If not, the comparison with the seal has said so.
func (p *parts) compareLeaves(list sealedList) bool {
	in, closePart := p.openPart(list.part)
	defer closePart()
	for l, err := range seal.ReadLeaves(in).All() {
		if err != nil {
			return false
		}
		p.compareLeaf(list.part, l, list.at)
	}
	return true
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
	if at > p.unlike[path] && at >= p.adopted {
		p.unlike[path] = at
	}
}

// objectHash names a digest of an object.
type objectHash struct {
	path string
	hash timestamp.Hash
}

// sumObject returns a digest of an object, which is read once for all its proofs.
func (p *parts) sumObject(path string, h timestamp.Hash) []byte {
	name := objectHash{path, h}
	if p.sums[name] == nil {
		in, closePart := p.openPart(payloadFolder + path)
		defer closePart()
		sum := h.New()
		_, _ = io.Copy(sum, in) // a fault is another digest
		p.sums[name] = sum.Sum(nil)
	}
	return p.sums[name]
}

// compareProof compares a proof with its own seal, with the run, and with its object and records.
func (p *parts) compareProof(part string, proof *seal.Proof) {
	if !proof.Included() {
		p.say(seal.SealRoot, part, 0, "")
	}
	at := p.compareRun(part, &proof.Seal.Statement)
	p.compareRecord(part+".seal.er", func(h timestamp.Hash) []byte { return h.Sum(proof.Seal.File) })
	if p.compareLeaf(part, proof.Leaf, at) {
		p.compareRecord(part+".er", func(h timestamp.Hash) []byte { return p.sumObject(proof.Leaf.Path, h) })
	}
}
