package nodeconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// maxFaults is how many faults are reported: more than a configuration has
// settings, and not so many that a hostile one floods the report.
const maxFaults = 256

// Fault is one way in which a configuration breaks a rule.
type Fault struct {
	// Pointer is the RFC 6901 pointer of the setting, or "" for the whole file.
	// A name in it can be anyone's text: quote it before it is shown.
	Pointer string `json:"pointer"`
	// Expected is what the rule requires, and Found what is there instead. Both
	// are printable ASCII, and hold nothing of a secret.
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// Faults are all faults of a configuration, in ascending order.
type Faults []Fault

// Error returns the faults in one sentence each, one a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fmt.Sprintf("%s: expected %s, found %s", quote(fault.Pointer), fault.Expected, fault.Found)
	}
	return strings.Join(lines, "\n")
}

// sorted returns the faults in order, each once, and no more than maxFaults.
func (f Faults) sorted() Faults {
	slices.SortFunc(f, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Expected, b.Expected),
			strings.Compare(a.Found, b.Found))
	})
	f = slices.Compact(f)
	return f[:min(len(f), maxFaults)]
}

// collector gathers the faults of one configuration.
type collector struct{ faults Faults }

func (c *collector) fault(pointer, expected, found string) {
	c.faults = append(c.faults, Fault{pointer, expected, found})
}

// at records a fault of a value of the document.
func (c *collector) at(v *ijson.Value, expected, found string) {
	c.fault(v.Pointer(), expected, found)
}

// faulty reports whether a setting has a fault.
func (c *collector) faulty(pointer string) bool {
	return slices.ContainsFunc(c.faults, func(f Fault) bool { return f.Pointer == pointer })
}

// is reports whether v is of the kind, and records a fault if it is not.
func (c *collector) is(v *ijson.Value, kind ijson.Kind) bool {
	if v.Kind() != kind {
		c.at(v, kind.String(), v.Kind().String())
	}
	return v.Kind() == kind
}

// maxQuoted is the width of a quoted text: it stands beside its label in a line
// of 80 columns, and nothing breaks it.
const maxQuoted = 64

// quote quotes text out of the document, and cuts it.
func quote(text string) string {
	most := maxQuoted
	for len(safetext.Excerpt(text, most)) > maxQuoted {
		most--
	}
	return safetext.Excerpt(text, most)
}
