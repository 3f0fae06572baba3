package entry

import (
	"io"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
)

// Entry is one document of a batch, or the place where one could not be read.
type Entry struct {
	// Name is unique in the batch: FILE, FILE:LINE for a line, and FILE!ENTRY for
	// a member of an archive. Standard input is "-". A name that occurs again ends
	// in #2, #3 and so on. It can contain text of the evidence as it is.
	Name string

	// Place is the same without the ending that makes the name unique.
	Place outcome.Place

	// Size is how many bytes there are, and -1 if that is not known.
	Size int64

	// Err is the reason why the entry cannot be read; nil if it can. It does not name the
	// entry, and text of the evidence in it is quoted.
	Err error

	// Ref is how [Set.Again] finds the entry.
	Ref Ref

	data  []byte
	file  string // to be read; "" if data has the bytes
	below bool   // a folder
}

// Ref is where an entry was found.
type Ref struct {
	Path string // of the file, or "-" for standard input
	At   int64  // how many entries of the file come before
}

// Read returns the bytes of the entry, and of one that is larger than a bundle
// may be the first [form.MaxBundle]+1. It can be called by any goroutine, once.
func (e *Entry) Read() ([]byte, error) {
	switch {
	case e.Err != nil:
		return nil, e.Err
	case e.file == "":
		return e.data, nil
	}
	open := access.OpenRegular
	if e.below {
		open = access.OpenUnlinked
	}
	f, err := open(e.file)
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, form.MaxBundle+1))
	return doc, access.WithoutPath(err)
}
