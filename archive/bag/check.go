package bag

import (
	"fmt"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Options are what a bag is checked with. The zero value checks the bag alone.
type Options struct {
	Place string // the bag as its user calls it, for reports
	// Judge verifies the objects of the payload; nil if they are not to be.
	Judge *object.Judge
	// Progress is told the name of each file before it is read, and how many were.
	Progress func(name string, files int64)
}

// checker is a check under way.
type checker struct {
	options  Options
	source   source
	result   Result
	findings []Finding
	more     int64 // findings that are not kept

	buffer    []byte // that files are read through
	files     map[string]*file
	manifests []*manifest
	fetch     []hole
	fetched   bool // there is a fetch.txt
	declared  *declaration
	unread    bool  // something may be there that was not listed
	unknown   int64 // manifests of algorithms that are not known
}

// file is a name of the bag: of a file that is there, or that is listed.
type file struct {
	there  bool
	read   bool
	size   int64
	lists  uint32    // the manifests that list it, one bit each
	digest [4]string // by algorithm, "" if no manifest has it
	hole   bool      // fetch.txt has it
}

// manifest is a manifest as it was read. Its lines wait for the version of the bag,
// which says how names are written.
type manifest struct {
	name      string
	tags      bool // a tag manifest
	algorithm int  // in algorithms
	lines     []listed
}

// say enters a finding: the code's sentence, and what is particular.
func (c *checker) say(code finding.Code, name string, line int, format string, args ...any) {
	if len(c.findings) == maxFindings {
		c.more++
		return
	}
	entry, _ := lookup(code)
	message := entry.Sentence
	if name != "" {
		message = safetext.Quote(name) + ": " + message
	}
	if detail := fmt.Sprintf(format, args...); detail != "" {
		message += ": " + detail
	}
	c.findings = append(c.findings, Finding{Code: code, Name: object.PathText(name), Line: line, Message: message})
}
