package parquetfile

import "github.com/svc-edge/svc-verify/forensics/read/rows"

// The physical types.
const (
	typeBoolean = 0
	typeInt32   = 1
	typeInt64   = 2
	typeInt96   = 3
	typeFloat   = 4
	typeDouble  = 5
	typeBytes   = 6
	typeFixed   = 7
)

// The repetitions of a node.
const (
	required = 0
	optional = 1
	repeated = 2
)

// Bounds on a schema.
const (
	mostColumns = 1 << 14
	mostDepth   = 48
)

// node is a node of the schema.
type node struct {
	element
	fields []*node
	leaves []int // the columns below it, in their order
	def    int   // the definition level with which it is there
	rep    int   // the repetition level with which it is there again
}

// tree makes the schema of the elements, which are in depth-first order.
type tree struct {
	rest   []element
	leaves []*node
	bad    bool
}

// newTree returns the root of a schema, and its columns.
func newTree(all []element) (root *node, leaves []*node, ok bool) {
	t := &tree{rest: all}
	t.rest[0].repetition = required
	root = t.next(0, 0, 0)
	if t.bad || len(t.rest) > 0 || len(root.fields) == 0 {
		return nil, nil, false
	}
	return root, t.leaves, true
}

func (t *tree) next(def, rep, depth int) *node {
	if len(t.rest) == 0 || depth > mostDepth || len(t.leaves) >= mostColumns {
		t.bad = true
		return &node{}
	}
	n := &node{element: t.rest[0], def: def, rep: rep}
	t.rest = t.rest[1:]
	if n.repetition != required {
		n.def++
	}
	if n.repetition == repeated {
		n.rep++
	}
	if n.children == 0 {
		t.bad = t.bad || n.kind < typeBoolean || n.kind > typeFixed || n.kind == typeFixed && n.size <= 0
		n.leaves = []int{len(t.leaves)}
		t.leaves = append(t.leaves, n)
		return n
	}
	var names [][]byte
	for count := n.children; count > 0 && !t.bad; count-- {
		field := t.next(n.def, n.rep, depth+1)
		n.fields, n.leaves = append(n.fields, field), append(n.leaves, field.leaves...)
		names = append(names, field.name)
	}
	for i, name := range rows.Columns(names) {
		n.fields[i].name = name
	}
	return n
}

// isMap reports whether the node is a map: a list of keys and values.
func (n *node) isMap() bool {
	return (n.logical == logicalMap || n.converted == convertedMap || n.converted == convertedMapOld) &&
		len(n.fields) == 1 &&
		n.fields[0].repetition == repeated && len(n.fields[0].fields) == 2
}

// isList reports whether the node is a list.
func (n *node) isList() bool {
	return (n.logical == logicalList || n.converted == convertedList) && len(n.fields) == 1 &&
		n.fields[0].repetition == repeated
}

// only returns what a list has: the only field of what is repeated, nil if old writers
// left that out.
func (n *node) only() *node {
	if again := n.fields[0]; len(again.fields) == 1 && string(again.name) != "array" {
		return again.fields[0]
	}
	return nil
}

// isText reports whether the values are declared as text.
func (n *node) isText() bool {
	switch n.logical {
	case logicalString, logicalEnum, logicalJSON:
		return true
	}
	return n.converted == convertedUTF8 || n.converted == convertedEnum || n.converted == convertedJSON
}

// second returns how many parts of a second a time counts, 0 if it is none.
func (n *node) second() int64 {
	switch {
	case n.unit > 0:
		return n.unit
	case n.converted == convertedMillis:
		return 1e3
	case n.converted == convertedMicros:
		return 1e6
	}
	return 0
}
