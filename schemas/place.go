package schemas

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/internal/ijson"
)

// schemaFaults returns violations as faults, with their offsets in the document.
func schemaFaults(root *ijson.Value, violations []Violation) []Fault {
	wanted, all := &places{}, make([]Fault, len(violations))
	for i, v := range violations {
		all[i] = Fault{Path: v.Pointer, Rule: OfSchema, Expected: v.Expected, Found: v.Found}
		wanted.addFault(v.Pointer, &all[i])
	}
	wanted.locateFaults(root)
	return all
}

// places is a tree of the places of a document that have faults.
type places struct {
	faults []*Fault
	inner  map[string]*places // by names of members and indexes of elements
}

// addFault adds a fault at a pointer.
func (p *places) addFault(pointer string, f *Fault) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		name := plainName.Replace(token)
		next := p.inner[name]
		if next == nil {
			next = &places{}
			if p.inner == nil {
				p.inner = map[string]*places{}
			}
			p.inner[name] = next
		}
		p = next
	}
	p.faults = append(p.faults, f)
}

// locateFaults sets the offsets of the faults of a value and of those in it. It reads a document once.
func (p *places) locateFaults(v *ijson.Value) {
	for _, f := range p.faults {
		f.offset = v.Offset()
	}
	if len(p.inner) == 0 {
		return
	}
	i := 0
	for child := range v.All() {
		name := child.Name()
		if v.Kind() == ijson.Array {
			name = strconv.Itoa(i)
		}
		if next := p.inner[name]; next != nil {
			next.locateFaults(child)
		}
		i++
	}
}

// withPlaces returns faults in the order of a document that begins on a line, with their lines and
// columns.
func withPlaces(doc []byte, line int, all []Fault) []Fault {
	slices.SortStableFunc(all, func(a, b Fault) int { return cmp.Compare(a.offset, b.offset) })
	at, column := 0, 1 // of the fault before
	for i := range all {
		f := &all[i]
		between := doc[at:f.offset]
		if end := bytes.LastIndexByte(between, '\n'); end >= 0 {
			line, column, between = line+bytes.Count(between, []byte("\n")), 1, between[end+1:]
		}
		at, column = f.offset, column+utf8.RuneCount(between)
		f.Line, f.Column = line, column
	}
	return all
}
