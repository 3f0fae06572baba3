package ijson

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Codes of a Fault. They are part of the reports, so a code is never renamed.
const (
	CodeSize            = "json.size"             // more than MaxSize bytes
	CodeEmpty           = "json.empty"            // no bytes, or only white space
	CodeSyntax          = "json.syntax"           // not the grammar of RFC 8259
	CodeBOM             = "json.bom"              // a byte order mark before the value
	CodeDuplicateMember = "json.duplicate-member" // a name twice in one object
	CodeInvalidUTF8     = "json.invalid-utf8"     // bytes that are not UTF-8
	CodeSurrogate       = "json.surrogate"        // an escaped surrogate without its pair
	CodeNoncharacter    = "json.noncharacter"     // a noncharacter in a string or name
	CodeNumber          = "json.number"           // not an integer in plain decimal, or too large
	CodeNull            = "json.null"             // null
	CodeDepth           = "json.depth"            // nested deeper than MaxDepth
	CodeTrailingData    = "json.trailing-data"    // more than white space after the value
)

// Fault says why a document is not acceptable, and where.
type Fault struct {
	// Code is one of the codes above.
	Code string

	// Path is the JSON pointer (RFC 6901) of the value or member concerned
	// or, where it is not known, of the nearest one around it. The names in
	// it are text from the document: quote before showing.
	Path string

	// Offset is where the fault is, in bytes from the start of the document:
	// the start of the value, name, character or escape sequence that is
	// wrong, or the end of a document that is cut off.
	Offset int

	// Expected and Found are what the rule demands there and what was found. Both
	// are ASCII and printable: text from the document is quoted and cut.
	Expected, Found string
}

// Error returns the fault in one sentence.
func (f *Fault) Error() string {
	place := "the document"
	if f.Path != "" {
		place = safetext.Excerpt(f.Path, safetext.Value)
	}
	return fmt.Sprintf("%s in %s at byte %d: expected %s, found %s", f.Code, place, f.Offset, f.Expected, f.Found)
}
