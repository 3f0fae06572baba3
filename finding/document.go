package finding

import (
	"cmp"
	"strings"

	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// InDocument is a finding about a document, about a file or object of an archive, or about a set of
// them. Path, Expected and Found can hold text of the evidence: quote them before showing.
type InDocument struct {
	Code     Code   `json:"code"`
	In       string `json:"in,omitempty"`   // which document, where several are judged together
	Step     int    `json:"step,omitempty"` // token of a chain, from 1
	Path     string `json:"path"`           // JSON pointer (RFC 6901) in a document, or the name of an object as text
	Line     int    `json:"line,omitempty"` // of a file, from 1
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Message  string `json:"message,omitempty"` // of an object or a set: the finding in words, safe to show
}

// At returns a finding about a place of a document.
func At(code Code, path, expected, found string) InDocument {
	return InDocument{Code: code, Path: path, Expected: expected, Found: found}
}

// OfFault returns a fault of a document's form as a finding.
func OfFault(f ijson.Fault) InDocument { return At(Code(f.Code), f.Path, f.Expected, f.Found) }

// OfObject returns a finding about the object at a path, with its message: the sentence of the code,
// after the object's name if there is one, and a detail that is safe to show.
func OfObject(code Code, path, name, detail string) InDocument {
	f := InDocument{Code: code, Path: path, Found: detail, Message: code.Sentence()}
	if name != "" {
		f.Message = safetext.Quote(name) + ": " + f.Message
	}
	if detail != "" {
		f.Message += ": " + detail
	}
	return f
}

// Sentence returns the finding in words. Text of the evidence in it is safe to
// show, and cut.
func (f InDocument) Sentence() string {
	return Fill(f.Code.Entry().Text(), "{path}", cmp.Or(f.Path, "the document"), "{expected}", f.Expected,
		"{found}", f.Found)
}

// Remark returns the finding in words for a reader who sees its place next to them: the
// sentence without the pointer with which most sentences begin.
func (f InDocument) Remark() string {
	sentence := f.Sentence()
	if rest, ok := strings.CutPrefix(sentence, f.Path); ok && f.Path != "" {
		return strings.TrimLeft(rest, ": ")
	}
	return strings.TrimPrefix(sentence, "the document: ")
}

// Place names the place of the finding, safe to show.
func (f InDocument) Place() string {
	path := safetext.Line(f.Path)
	switch {
	case f.In == "":
		return cmp.Or(path, "the document")
	case f.Path == "":
		return "the " + f.In
	case strings.HasPrefix(f.Path, "/"):
		return "the " + f.In + "#" + path
	}
	return safetext.Quote(f.Path)
}
