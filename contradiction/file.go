package contradiction

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Protocol is the protocol of a contradiction file (SPEC 14.4).
const Protocol = "svc.contradiction.v1"

// MaxFile is the largest size of a contradiction file in bytes: two of the largest bundles,
// and the text around them (SPEC 1.6).
const MaxFile = 48 << 20

// Code names a defect of a contradiction file, or a contradiction.
type Code = finding.Code

// The bytes of a file between its values (SPEC 14.4).
const (
	beforeDocument = `{"document":"`
	beforeDigest   = `","sha256":"`
	afterDigest    = `"}`
	beforeBundles  = `{"bundles":[`
	beforeCode     = `],"code":"`
	afterCode      = `","protocol":"` + Protocol + "\"}\n"
)

// Marshal returns the contradiction file of two bundles. It does not verify
// them. It returns an error if they are one document or too large.
func Marshal(code Code, a, b []byte) ([]byte, error) {
	type part struct {
		doc    []byte
		digest chain.Hash
	}
	parts := []part{{a, sha256.Sum256(a)}, {b, sha256.Sum256(b)}}
	slices.SortFunc(parts, func(a, b part) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	if parts[0].digest == parts[1].digest {
		return nil, fmt.Errorf("contradiction: the two bundles are one document, %s", parts[0].digest)
	}
	file := []byte(beforeBundles)
	for i, p := range parts {
		if len(p.doc) > form.MaxBundle {
			return nil, fmt.Errorf("contradiction: bundle %s has %d octets, more than %d", p.digest, len(p.doc),
				form.MaxBundle)
		}
		if i > 0 {
			file = append(file, ',')
		}
		file = append(file, beforeDocument...)
		file = base64.RawURLEncoding.AppendEncode(file, p.doc)
		file = append(append(file, beforeDigest...), p.digest.String()...)
		file = append(file, afterDigest...)
	}
	file = append(append(file, beforeCode...), code...)
	return append(file, afterCode...), nil
}

// file is a contradiction file that has its form.
type file struct {
	code Code
	docs [2][]byte
}

// parseFile reads a contradiction file. The fault is nil if it has its form.
func parseFile(doc []byte) (file, *finding.InDocument) {
	if len(doc) > MaxFile {
		return file{}, &finding.InDocument{Code: form.TooLarge, Expected: fmt.Sprintf("at most %d octets", MaxFile),
			Found: strconv.Itoa(len(doc))}
	}
	if len(bytes.Trim(doc, " \t\r\n")) == 0 {
		return file{}, &finding.InDocument{Code: ijson.CodeEmpty, Expected: "a contradiction file", Found: "nothing"}
	}
	c := cursor{doc: doc, rest: doc}
	var f file
	var digests [2]chain.Hash
	for i, before := range []string{beforeBundles, ","} {
		c.want(before + beforeDocument)
		f.docs[i] = c.readDocument()
		c.want(beforeDigest)
		digests[i] = c.readDigest(f.docs[i])
		c.want(afterDigest)
	}
	if bytes.Compare(digests[0][:], digests[1][:]) >= 0 {
		c.setFault("bundles in ascending order of their digests", "another order")
	}
	c.want(beforeCode)
	f.code = c.code()
	c.want(afterCode)
	if len(c.rest) > 0 {
		c.setFault("the end of the file", "more")
	}
	return f, c.fault
}

// cursor reads a document of fixed form from its beginning to its end. After
// the first fault it reads nothing more.
type cursor struct {
	doc, rest []byte
	fault     *finding.InDocument
}

// setFault records the first fault, with its place.
func (c *cursor) setFault(expected, found string) {
	if c.fault == nil {
		at := len(c.doc) - len(c.rest)
		c.fault = &finding.InDocument{Code: Malformed, Expected: expected, Found: found + " at octet " + strconv.Itoa(at)}
	}
	c.rest = nil
}

func (c *cursor) want(text string) {
	rest, found := bytes.CutPrefix(c.rest, []byte(text))
	if !found {
		c.setFault(text, "other octets")
		return
	}
	c.rest = rest
}

// readText returns the bytes before the next quotation mark, at most so many.
func (c *cursor) readText(most int) []byte {
	n := bytes.IndexByte(c.rest[:min(len(c.rest), most+1)], '"')
	if n < 0 {
		c.setFault(fmt.Sprintf("a string of at most %d octets", most), "none")
		return nil
	}
	text := c.rest[:n]
	c.rest = c.rest[n:]
	return text
}

// readDocument reads the bytes of a bundle.
func (c *cursor) readDocument() []byte {
	text := c.readText(base64.RawURLEncoding.EncodedLen(form.MaxBundle))
	doc, ok := form.Base64URL(string(text))
	if !ok || len(doc) == 0 {
		c.setFault("the octets of a bundle in base64url", "something else before")
	}
	return doc
}

// readDigest reads the digest of a bundle, which must be right.
func (c *cursor) readDigest(doc []byte) chain.Hash {
	digest := chain.Hash(sha256.Sum256(doc))
	c.want(digest.String())
	return digest
}

func (c *cursor) code() Code {
	code := Code(c.readText(64))
	if !slices.Contains(Codes(), code) {
		c.setFault("the code of a contradiction", "another before")
	}
	return code
}
