// Package shapes writes the lines of a log in the forms in which stores, shippers,
// runtimes and people hand them out.
//
// A form is a text file below data, called PRODUCT/FORM.txtar. It begins with lines
// "key: value":
//
//	document  the product's document that describes the form: its title and address
//	export    the command, or the way, that hands out this form and loses least
//	keeps     bytes, values or less: see [Keeps]
//	loses     the product's losses, cuts and reorderings, in one sentence
//	lost      the lines that lose something: "above N" bytes, or "beyond ascii"
//	cuts, batch, whole
//	          true, as the fields of [Shape]
//	file      the name of the zip archive that the sections are packed into
//	through   the pipeline of functions that each file goes through
//
// Each section is a file, without its last line feed. It is a [text/template] whose
// dot is the records of the log. Templates call the methods of records and record, and
// the functions of functions.go.
//
// Each form follows the documentation of its product, which it names. The package
// shares nothing with the readers.
package shapes

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Keeps describes how much of a line a product keeps.
type Keeps int

// How much a product keeps, the most first.
const (
	Octets Keeps = iota + 1 // every byte, behind whatever escapes
	Values                  // the values of the JSON, in another spelling or order
	Less                    // less than that; Loses names the losses
)

// Shape is one form in which one product hands out lines of a log.
type Shape struct {
	// Name is the product and the form: "docker/json-file".
	Name string

	// Document is the product's document that describes the form: its title and,
	// if it has one, its address.
	Document string

	// Export is the command, or the way, that hands out this form and loses least.
	Export string

	Keeps Keeps

	// Loses names the product's losses, cuts and reorderings, in one sentence; "" if there are
	// none.
	Loses string

	// Lost reports whether the product loses a line, where it keeps Less; nil if it loses
	// something of every line.
	Lost func(line []byte) bool

	// Cuts reports whether the product puts long lines into several records, or cuts them off.
	Cuts bool

	// Batch reports whether a batch id comes through.
	Batch bool

	// Whole reports whether nothing can be read of a file that was cut.
	Whole bool

	// Write writes a log.
	Write func(Log) Files
}

// Log is the input of a shape.
type Log struct {
	Lines [][]byte  // canonical events without line feeds, SPEC 4.2
	Batch string    // the id of the batch that they came in; "" if there is none
	Time  time.Time // when the first was collected; each further one is a millisecond later
}

// At is when a line was collected.
func (l Log) At(i int) time.Time { return l.Time.Add(time.Duration(i) * time.Millisecond) }

// Files are contents by name. Names have "/" between folders.
type Files map[string][]byte

// Product is the first part of a shape's name.
func (s Shape) Product() string {
	product, _, _ := strings.Cut(s.Name, "/")
	return product
}

//go:embed all:data
var data embed.FS

var loaded = sync.OnceValues(func() ([]Shape, error) { return loadShapes(data, "data") })

// All returns every shape, by name.
func All() []Shape { return slices.Clone(seal.Must(loaded())) }
