package ijson

import (
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Fault describes why a document is not acceptable, and where.
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

	// Expected is the rule's demand at that place, and Found is the actual content. Both are
	// ASCII and printable: text from the document is quoted and cut.
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
