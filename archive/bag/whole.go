package bag

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/seal"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The tag files of an archive that was handed over (SPEC 15.6).
const (
	Folder      = "svc-verify/"
	RunsName    = Folder + "runs.jsonl"    // SPEC 15.2
	ObjectsName = Folder + "objects.jsonl" // SPEC 15.3, as the newest run commits to them
	ChangesName = Folder + "changes.jsonl" // SPEC 15.4, of all runs
	PremisName  = Folder + "premis.xml"
	TrustFolder = Folder + "trust/"
	SealsFolder = Folder + "seals/"
)

// archiveLabel is the label of the tag that identifies the archive.
const archiveLabel = "External-Identifier"

// parts are the parts of a bag, which are compared with each other.
type parts struct {
	*checker
	ctx     context.Context
	runs    []ledger.Run       // the chain of records; none if it is broken
	places  map[run.Digest]int // of the records, in runs
	adopted int                // the number of the newest run that adopted a ledger; 0 if there is none
	trust   map[run.Digest][sha512.Size]byte
	// untrusted are trust files of runs that are not there, as far as that was noted.
	untrusted map[run.Digest]bool
	lists     []sealedList
	unlike    map[string]int // objects that are not as sealed, with the number of the run
	sums      map[objectHash][]byte
	lacking   []string
	alone     []string // trust files that no other part names
	broken    bool     // objects or changes are not there, or not whole
	notMade   bool     // the PREMIS document was not compared
	signed    bool     // there are signatures
}

// compareParts compares the parts of a bag with each other (SPEC 15.6), and names the parts that it
// had not.
func (c *checker) compareParts(ctx context.Context) error {
	p := &parts{checker: c, ctx: ctx,
		trust: map[run.Digest][sha512.Size]byte{}, untrusted: map[run.Digest]bool{},
		unlike: map[string]int{}, places: map[run.Digest]int{}, sums: map[objectHash][]byte{}}
	p.compareRuns()
	p.compareObjects()
	p.compareTrust()
	p.compareSeals()
	p.compareLists()
	p.compareChanges()
	p.comparePremis()
	c.result.NotExamined = append(p.notCompared(), c.result.NotExamined...)
	return ctx.Err()
}

// mostLacking is how many parts that are not there are named.
const mostLacking = 16

// notCompared names the parts that were not compared with others.
func (p *parts) notCompared() (sentences []string) {
	if n := len(p.lacking) - mostLacking; n > 0 {
		p.lacking = append(p.lacking[:mostLacking], strconv.Itoa(n)+" more")
	}
	if len(p.lacking) > 0 {
		sentences = append(sentences, "Nothing was compared with "+strings.Join(p.lacking, ", ")+": not in the bag.")
	}
	if len(p.alone) > 0 {
		n := min(len(p.alone), mostLacking)
		sentences = append(sentences, fmt.Sprintf("No other part names %s: %s.", safetext.Count(len(p.alone), "trust file"),
			strings.Join(p.alone[:n], ", ")))
	}
	if p.notMade {
		sentences = append(sentences, PremisName+" was not compared: records, objects and changes are not all there.")
	}
	if p.signed {
		sentences = append(sentences, "No signature of a seal, a proof or the history in the bag was verified.")
	}
	if n := len(p.runs); n > 0 {
		if said := p.runs[n-1].Ignored.PassedOver(); said != "" {
			sentences = append(sentences, said)
		}
	}
	return sentences
}

// openPart opens a file, and returns how to close it. One that is not there, or that cannot be read,
// with a finding, is empty.
func (p *parts) openPart(name string) (content io.Reader, closePart func()) {
	if f := p.files[name]; f != nil && f.open != nil {
		o, err := f.open()
		if err == nil {
			return io.NewSectionReader(o, 0, f.size), func() { _ = o.Close() } // it was only read
		}
		p.say(Unreadable, name, 0, "%s", safetext.Line(err.Error()))
	}
	return strings.NewReader(""), func() {}
}

// digestsOf returns the digests of an object that a part names, nil if it was not read, and whether the bag
// names it.
func (p *parts) digestsOf(path, part string) (*Digest, bool) {
	f := p.files[payloadFolder+path]
	if f == nil {
		return nil, false
	}
	f.seen = part
	return f.digests, true
}

// sayDiffers adds a contradiction of two parts.
func (p *parts) sayDiffers(part, what string, expected, found any) {
	p.say(seal.Contradiction, part, 0, "%s: expected %v, found %v", what, expected, found)
}

// lacksPart notes a part that is not there, and reports whether it is not.
func (p *parts) lacksPart(part string) bool {
	if f := p.files[part]; f != nil {
		f.seen = part
		return false
	}
	p.lacking = append(p.lacking, part)
	return true
}

// eachLine calls f with each line of a part, and reports whether it was read to its end.
func (p *parts) eachLine(part string, f func(line []byte) error) bool {
	content, closePart := p.openPart(part)
	defer closePart()
	in := bufio.NewReaderSize(content, run.MaxChange+1)
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return true
		}
		if err == nil {
			err = errors.Join(f(line[:len(line)-1]), p.ctx.Err())
		}
		if err != nil {
			p.say(Malformed, part, n, "%s", safetext.Line(err.Error()))
			return false
		}
	}
}

// compareRuns reads the chain of records, and compares it with bag-info.txt.
func (p *parts) compareRuns() {
	before := run.Digest{}
	whole := !p.lacksPart(RunsName) && p.eachLine(RunsName, func(line []byte) error {
		r, err := run.Parse(line)
		if err == nil && (r.Number != int64(len(p.runs))+1 || r.Previous != before || r.Number > maxFiles) {
			err = errors.New("the record does not continue the one before")
		}
		before = sha256.Sum256(line)
		p.places[before] = len(p.runs)
		p.runs = append(p.runs, ledger.Run{Record: r, Digest: before})
		if r.Adopted != (run.Digest{}) {
			p.adopted = len(p.runs)
		}
		return err
	})
	if !whole || len(p.runs) == 0 {
		p.runs, p.places = nil, nil
		return
	}
	want := map[string]string{archiveLabel: fmt.Sprintf("%x", p.runs[0].Digest),
		"Archive-Run": strconv.Itoa(len(p.runs)), "Archive-Run-SHA256": fmt.Sprintf("%x", before)}
	for _, label := range slices.Sorted(maps.Keys(want)) {
		var others []string
		named := false
		for _, tag := range p.result.Info {
			if strings.EqualFold(tag.Label, label) && tag.Value != want[label] {
				others = append(others, tag.Value)
			}
			named = named || strings.EqualFold(tag.Label, label) && tag.Value == want[label]
		}
		if named && label == archiveLabel { // others can identify the archive in addition
			others = nil
		}
		for _, other := range others {
			p.sayDiffers(infoName, label, want[label], other)
		}
	}
}

// compareObjects compares the objects of the newest run with the payload, and with its record.
func (p *parts) compareObjects() {
	tree, octets, last := run.NewTree(), int64(0), ""
	if p.lacksPart(ObjectsName) || !p.eachLine(ObjectsName, func(line []byte) error {
		o, err := run.ParseObject(line)
		if err != nil {
			return err
		}
		if o.Path <= last {
			return errors.New("expected ascending paths")
		}
		last, octets = o.Path, octets+o.Size
		tree.Change(line)
		read, named := p.digestsOf(o.Path, ObjectsName)
		if !named || read != nil && (read.Size != o.Size || read.SHA256 != o.SHA256) {
			p.sayDiffers(ObjectsName, object.PathText(o.Path), fmt.Sprintf("an object with the SHA-256 %x", o.SHA256), "none")
		}
		return nil
	}) {
		p.broken = true
		return
	}
	for _, path := range p.intactObjects() {
		if !p.isNamedIn(ObjectsName, path) {
			p.sayDiffers(ObjectsName, object.PathText(path), "a line", "none")
		}
	}
	if n := len(p.runs); n > 0 {
		r := &p.runs[n-1]
		if r.Objects != tree.Size() || r.Octets != octets || r.Root != tree.Root() {
			p.sayDiffers(ObjectsName, fmt.Sprintf("record %d", n), fmt.Sprintf("%d objects with the root %x", r.Objects, r.Root),
				fmt.Sprintf("%d with %x", tree.Size(), tree.Root()))
		}
	}
}

// intactObjects returns the paths of the objects that are intact, ascending.
func (p *parts) intactObjects() (paths []string) {
	for _, name := range p.names() {
		if p.files[name].digests != nil {
			paths = append(paths, strings.TrimPrefix(name, payloadFolder))
		}
	}
	return paths
}

// isNamedIn reports whether a part names an object; the part is the last that was read.
func (p *parts) isNamedIn(part, path string) bool { return p.files[payloadFolder+path].seen == part }

// compareChanges compares the changes with the records, and with the sealed objects.
func (p *parts) compareChanges() {
	tree, next := run.NewTree(), 0
	endRuns := func() {
		for ; next < len(p.runs) && p.runs[next].Changed == tree.Size(); next++ {
			if want := p.runs[next].Changes; want != tree.Root() {
				p.sayDiffers(ChangesName, fmt.Sprintf("record %d", next+1), fmt.Sprintf("the root %x", want),
					fmt.Sprintf("%x", tree.Root()))
			}
			tree = run.NewTree()
		}
	}
	endRuns()
	whole := !p.lacksPart(ChangesName) && p.eachLine(ChangesName, func(line []byte) error {
		c, err := run.ParseChange(line)
		for _, path := range []string{c.Path, c.From} {
			if next+1 > p.unlike[path] {
				delete(p.unlike, path)
			}
		}
		tree.Change(line)
		endRuns()
		return err
	})
	p.broken = p.broken || !whole
	if whole && len(p.runs) > 0 && (next < len(p.runs) || tree.Size() > 0) {
		p.sayDiffers(ChangesName, "all records", "the changes of each", "another number")
	}
	for _, path := range slices.Sorted(maps.Keys(p.unlike)) {
		if n := p.unlike[path]; whole || n == len(p.runs) {
			p.sayDiffers(SealsFolder, object.PathText(path), fmt.Sprintf("it as in run %d, or a later change", n), "neither")
		}
	}
}
