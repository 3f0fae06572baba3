package read

import (
	"bytes"
	"slices"
	"strings"
)

// BatchHeader is the header of a request that names its batch (SPEC 9.2), and
// the attribute that a collector makes of it.
const BatchHeader = "x-svc-edge-audit-batch"

// Bounds on batch ids, which are 64 characters and usually one for a record: each
// of a record's is counted with the record.
const (
	maxBatchID = 256
	maxBatches = 8
)

// keys are the names of attributes that hold batch ids, in the form that
// [keys.hasBatchName] compares.
type keys struct {
	names []string
	form  []byte            // scratch
	path  []byte            // scratch
	ids   map[string]string // the ids that were seen lately, so that each is made once
}

func newKeys(more []string) keys {
	k := keys{ids: make(map[string]string)}
	for _, name := range append([]string{BatchHeader}, more...) {
		k.names = append(k.names, string(appendForm(nil, []byte(name))))
	}
	return k
}

// appendForm appends a name as stores rename attributes: lower case, and an
// underscore for whatever is not a letter or digit. So header names in any case
// and the labels of Loki are all one.
func appendForm(dst, name []byte) []byte {
	for _, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		default:
			c = '_'
		}
		dst = append(dst, c)
	}
	return dst
}

// hasBatchName reports whether an attribute of this name holds batch ids.
func (k *keys) hasBatchName(name []byte) bool {
	for _, want := range k.names {
		if len(want) == len(name) {
			if k.form = appendForm(k.form[:0], name); string(k.form) == want {
				return true
			}
		}
	}
	return false
}

// addBatches reads the ids in the value of an attribute or header. A collector joins several
// values with ";", a proxy with ",".
func (r *reader) addBatches(where Where, value []byte) {
	for id := range bytes.FieldsFuncSeq(value, func(c rune) bool { return c == ';' || c == ',' }) {
		id = bytes.TrimSpace(id)
		if len(id) > 0 && len(id) <= maxBatchID {
			r.addBatch(Batch{r.keys.internID(id), where})
		}
	}
}

func (r *reader) addBatch(b Batch) {
	if slices.Contains(r.batches, b) {
		return
	}
	if len(r.batches) == maxBatches {
		r.overfull = true
		return
	}
	r.batches = append(r.batches, b)
}

// internID returns the id as a string. It forgets all ids now and then, so that a dump of any
// size needs little memory.
func (k *keys) internID(id []byte) string {
	if known, ok := k.ids[string(id)]; ok {
		return known
	}
	if len(k.ids) >= 1024 {
		clear(k.ids)
	}
	made := strings.Clone(string(id))
	k.ids[made] = made
	return made
}

// owners are the names under which stores keep attributes, in the form of
// [appendForm], and whose attributes these are.
var owners = map[string]Where{
	"":                   InRecord,
	"attributes":         InRecord,
	"fields":             InRecord,
	"labels":             InRecord,
	"logattributes":      InRecord,
	"resource":           InResource,
	"resources":          InResource,
	"resourceattributes": InResource,
	"scope":              InScope,
	"scopeattributes":    InScope,

	"resource_attributes":              InResource,
	"scope_attributes":                 InScope,
	"instrumentation_scope_attributes": InScope,
}

// maxFlatten is how deep attributes may be nested. Stores nest them where
// their names have dots.
const maxFlatten = 6

// flattenedBatch reads the batch ids in the attributes of a document of a store; owner is the
// member that they are, in the form of appendForm. Names of members within members are one
// name with their levels joined, since one store nests the levels that another writes in one
// name.
func (r *reader) flattenedBatch(b []byte, owner string) {
	r.keys.path = append(r.keys.path[:0], owner...)
	r.flattenMembers(b, r.keys.path, 0)
}

func (r *reader) flattenMembers(b, prefix []byte, depth int) {
	c := cursor{b: b}
	// The walk itself cannot fail.
	_ = c.eachMember(func(name []byte) error {
		path := prefix
		if len(path) > 0 {
			path = append(path, '_')
		}
		path = appendForm(path, name)
		switch c.peekToken() {
		case '{':
			if depth < maxFlatten {
				r.flattenMembers(c.passValue(), path, depth+1)
			}
		case '"', '[':
			if where, ok := r.ownerOf(path); ok {
				r.jsonBatches(where, c.passValue())
			}
		}
		return nil
	})
}

// ownerOf reports whether a flattened name belongs to a batch attribute, and whose attribute it
// is.
func (r *reader) ownerOf(path []byte) (Where, bool) {
	for _, name := range r.keys.names {
		owner, ok := bytes.CutSuffix(path, []byte(name))
		if !ok {
			continue
		}
		if where, ok := owners[string(bytes.TrimSuffix(owner, []byte("_")))]; ok {
			return where, true
		}
	}
	return "", false
}

// jsonBatches reads batch ids from a JSON string, or an array of such.
func (r *reader) jsonBatches(where Where, value []byte) {
	if len(value) > 0 && value[0] == '[' {
		c := cursor{b: value}
		_ = c.eachElement(func() error {
			if c.peekToken() == '"' {
				r.jsonBatches(where, c.passValue())
			}
			return nil
		})
		return
	}
	if len(value) < 2 {
		return
	}
	text, _ := appendUnquoted(nil, value)
	r.addBatches(where, text)
}
