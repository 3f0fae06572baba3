package bag

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/premis"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// unknown is written in place of the SHA-512 of an object that is not intact.
const unknown = "unknown"

var unknownDigest = hex.EncodeToString([]byte(unknown))

// comparePremis makes the PREMIS document of the records, objects and changes again, and compares the one
// in the bag with it. It does so only if the bag has all of these parts.
func (p *parts) comparePremis() {
	if p.lacksPart(PremisName) {
		return
	}
	if p.broken || len(p.runs) == 0 {
		p.notMade = true
		return
	}
	content, closePart := p.openPart(PremisName)
	defer closePart()
	expected, written := io.Pipe()
	var writing sync.WaitGroup
	writing.Go(func() {
		_ = written.CloseWithError(tasks.Guard(func() error { return p.writePremis(written) })) // never fails
	})
	err := p.compareDocuments(xml.NewDecoder(expected), xml.NewDecoder(&tagReader{in: content}))
	_ = expected.Close() // never fails
	writing.Wait()
	if err != nil {
		p.say(Malformed, PremisName, 0, "%s", safetext.Line(err.Error()))
	}
}

// writePremis writes the document.
func (p *parts) writePremis(out io.Writer) error {
	objects := func(yield func(premis.Object, error) bool) {
		ended := false
		p.eachLine(ObjectsName, func(line []byte) error {
			o, err := run.ParseObject(line)
			one := premis.Object{Object: o, SHA512: []byte(unknown)}
			if read, _ := p.digestsOf(o.Path, ObjectsName); read != nil {
				one.SHA512 = read.SHA512[:]
			}
			ended = ended || !yield(one, err)
			return nil
		})
	}
	runs := func(yield func(ledger.Run, error) bool) {
		for _, r := range p.runs {
			if !yield(r, p.ctx.Err()) {
				return
			}
		}
	}
	content, closePart := p.openPart(ChangesName)
	defer closePart()
	lines := bufio.NewReaderSize(content, run.MaxChange+1)
	return premis.Write(out, hex.EncodeToString(p.runs[0].Digest[:]), objects, runs,
		func(number int64) premis.Changes { return nextChanges(lines, p.runs[number-1].Changed) })
}

// nextChanges returns the next changes of a list, as many as a run has.
func nextChanges(lines *bufio.Reader, count int64) premis.Changes {
	return func(yield func(run.Change, error) bool) {
		for range count {
			line, err := lines.ReadSlice('\n')
			if err != nil {
				return // the list was found to be too short
			}
			if !yield(run.ParseChange(line[:len(line)-1])) {
				return
			}
		}
	}
}

// compareDocuments compares a document with the expected one, token by token, up to the first difference.
func (p *parts) compareDocuments(expected, found *xml.Decoder) error {
	element, about := "", "" // that is open, and the identifier of the object, event or agent
	for {
		want, err := nextToken(expected)
		if err != nil {
			return err
		}
		is, err := nextToken(found)
		if err != nil {
			return err
		}
		if want.tag != "" {
			element = want.text
		}
		texts := want.tag == "" && is.tag == "" && want.text != "" && is.text != ""
		free := texts && want.text == unknownDigest
		switch {
		case !texts:
		case slices.Contains([]string{"objectIdentifierValue", "eventIdentifierValue", "agentIdentifierValue"}, element):
			about = want.text
		case slices.Contains([]string{"formatName", "eventDetail", "eventOutcomeDetailNote"}, element):
			free = true // for people, or not in the other parts
		}
		if want != is && !free {
			p.sayDiffers(PremisName, about, want.words(), is.words())
		}
		if want != is && !free || want == (premisToken{}) {
			return nil
		}
	}
}

// premisToken is the beginning or the end of an element, by its tag, or a text; zero is the end of a document.
type premisToken struct{ tag, text string }

// words shows a token.
func (t premisToken) words() string { return cmp.Or(t.tag+safetext.Line(t.text), "the end") }

// nextToken returns the next token of a document that counts: comments, white space around a text, and
// declarations of namespaces do not.
func nextToken(document *xml.Decoder) (premisToken, error) {
	for {
		raw, err := document.Token()
		if errors.Is(err, io.EOF) {
			return premisToken{}, nil
		}
		if err != nil {
			return premisToken{}, err
		}
		switch t := raw.(type) {
		case xml.StartElement:
			return premisToken{"the element ", elementName(t.Name) + attributesText(t.Attr)}, nil
		case xml.EndElement:
			return premisToken{"the end of ", elementName(t.Name)}, nil
		case xml.CharData:
			if text := string(bytes.TrimSpace(t)); text != "" {
				return premisToken{"", text}, nil
			}
		case xml.Directive:
			return premisToken{}, errors.New("it has a document type declaration")
		}
	}
}

// elementName returns the name of an element, with its namespace if that is not of PREMIS.
func elementName(n xml.Name) string {
	if n.Space == premis.Namespace {
		return n.Local
	}
	return strconv.Quote(n.Space + " " + n.Local)
}

// attributesText returns the attributes of an element, but for declarations of namespaces, in the order of
// their names.
func attributesText(all []xml.Attr) string {
	var texts []string
	for _, a := range all {
		if a.Name.Space != "xmlns" && (a.Name.Space != "" || a.Name.Local != "xmlns") {
			texts = append(texts, " "+a.Name.Space+" "+a.Name.Local+"="+strconv.Quote(a.Value))
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, "")
}

// tagReader reads XML, and fails where no tag begins for more bytes than a line of the bag may have: the
// decoder has each token in memory.
type tagReader struct {
	in    io.Reader
	since int
}

// Read implements [io.Reader].
func (r *tagReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	for _, c := range b[:n] {
		if r.since++; c == '<' {
			r.since = 0
		} else if r.since > maxTag {
			return 0, errors.New("a text or a tag is too long")
		}
	}
	return n, err
}
