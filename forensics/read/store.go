package read

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// Store describes a form in which a product hands out records: how it is recognised, and which
// member is what. A description decides where a body is looked for, and nothing else: a value
// that does not fit it is searched as one of no known format.
type Store struct {
	Name Format

	lines []storeLine
	ends  int      // the number of its last line
	tops  []string // the members of a record that are picked
	has   []required

	records                 []string // the steps to the records; "[]" ends one to a list
	in                      string
	runtime, kept, newline  bool
	bodies, batches, shared []storeLine
	texts, keys, more       []storeLine
	message, headers        *storeLine
	number, ordinal, final  *storeLine
	null                    string // why a text can be null
	time, observed          *storeLine
}

// member is where a member is: picked by a name, and under a path in it, or picked by that
// path as a name.
type member struct {
	top   int // -1 for the record itself
	rest  []string
	whole int
}

// timeUnits are the units in which times are written, in nanoseconds; 0 if the size of the
// number shows it. Each can be a date, too.
var timeUnits = map[string]int64{"seconds": 1e9, "milliseconds": 1e6, "microseconds": 1e3, "nanoseconds": 1, "any": 0}

// mostPicked is how many names of members of a record a description can have.
const mostPicked = 24

// picked are members of a record.
type picked struct {
	record []byte
	tops   [mostPicked][]byte
}

// memberOf returns the member that a line of a description leads to, nil if it is not there.
func (p *picked) memberOf(l *storeLine) []byte {
	if l == nil {
		return nil
	}
	m := &l.member
	if m.top < 0 {
		return p.record
	}
	if len(m.rest) > 0 {
		if v := valueAt(p.tops[m.top], m.rest...); v != nil {
			return v
		}
	}
	return p.tops[m.whole]
}

// timeOf returns a time in nanoseconds, 0 if it is not there.
func (p *picked) timeOf(l *storeLine) int64 {
	if l == nil {
		return 0
	}
	return parseCount(p.memberOf(l), l.unit)
}

// pickOf picks the members of a record, and adds the batch ids in them.
func (d *doc) pickOf(f *Store, record []byte, p *picked) {
	p.record = record
	pickMembers(record, f.tops, p.tops[:len(f.tops)])
	for i := range f.batches {
		d.flattenedOf(&f.batches[i], p.memberOf(&f.batches[i]))
	}
}

// flattenedOf is flattenedBatch for the attributes that a line is about.
func (d *doc) flattenedOf(l *storeLine, attributes []byte) {
	owner := l.words[0]
	if owner == "record" {
		owner = ""
	}
	d.flattenedBatch(attributes, owner)
}

// readStored reads a value of a form.
func (d *doc) readStored(f *Store) error {
	mark := len(d.batches)
	defer func() { d.batches = d.batches[:mark] }()
	switch {
	case d.fault != nil && (f.message != nil || f.texts != nil):
		return nil // finish has the reason
	case f.message != nil:
		return d.readQueued(f)
	case f.texts != nil:
		return d.linePart(f)
	case f.records != nil:
		return d.recordsOf(f, &cursor{b: d.b}, f.records)
	case f.Name == Elastic && valueAt(d.b, f.in) == nil:
		if names := topNames(d.b); isAction(names) {
			return d.bulkAction(names)
		}
		d.stream.action = Skip{}
	}
	return d.storeRecord(f, d.b)
}

// recordsOf reads the records of the lists that steps lead to.
func (d *doc) recordsOf(f *Store, c *cursor, steps []string) error {
	if len(steps) == 0 {
		return d.storeRecord(f, c.passValue())
	}
	step, isList := strings.CutSuffix(steps[0], "[]")
	return c.eachMember(func(name []byte) error {
		switch {
		case string(name) != step:
			return nil
		case !isList:
			return d.recordsOf(f, c, steps[1:])
		}
		return c.eachElement(func() error {
			mark := len(d.batches)
			defer func() { d.batches = d.batches[:mark] }()
			c.peekToken()
			for i := 0; i < len(f.shared) && len(steps) > 1; i++ {
				d.flattenedOf(&f.shared[i], valueAt(c.b[c.i:], f.shared[i].words[1]))
			}
			return d.recordsOf(f, c, steps[1:])
		})
	})
}

// storeRecord reads a record, which is a part of b.
func (d *doc) storeRecord(f *Store, part []byte) error {
	if f.runtime {
		if is, err := d.runtimeRecord(valueAt(part, f.in)); is {
			return err
		}
	}
	return d.readLeaf(part, func(part []byte) *fault {
		if f.in != "" {
			if inner := valueAt(part, f.in); inner != nil {
				part = inner
			}
		}
		return d.fillRecord(f, part)
	})
}

// fillRecord sets d.rec from a record.
func (d *doc) fillRecord(f *Store, record []byte) *fault {
	var p picked
	d.pickOf(f, record, &p)
	d.rec.ExportTime, d.rec.ObservedTime = p.timeOf(f.time), p.timeOf(f.observed)
	for i := range f.bodies {
		body := &f.bodies[i]
		v := p.memberOf(body)
		switch {
		case len(v) == 0 || body.key == "text" && v[0] != '"',
			body.member.top < 0 && journalForm().knownBy(topNames(v)) < 0:
			continue
		case body.member.top < 0:
			d.setStructure(f.withoutTime(v))
			return nil
		case v[0] != '"':
			return d.setAnyValue(v)
		}
		fault := d.setText(v)
		if !f.kept {
			d.markReplaced()
		}
		return fault
	}
	if d.forced == f.Name && f.knownBy(topNames(d.b)) < 0 {
		return &fault{finding.SourceUnparseable, 0, "it is not of the format that the caller says"}
	}
	return &fault{finding.SourceNoRecord, 0, "a record without a body"}
}

// withoutTime removes the member with the time, which a store added to an event.
func (f *Store) withoutTime(record []byte) []byte {
	if f.time == nil || valueAt(record, f.time.words[1]) == nil {
		return record
	}
	out := builder{out: []byte{'{'}}
	c := cursor{b: record}
	_ = c.eachMember(func(name []byte) error {
		if value := c.passValue(); string(name) != f.time.words[1] {
			out.writeComma()
			out.writeString(name)
			out.out = append(append(out.out, ':'), value...)
		}
		return nil
	})
	return append(out.out, '}')
}

// linePart reads a record of a line of a container, or of a part of one.
func (d *doc) linePart(f *Store) error {
	var m picked
	d.pickOf(f, d.b, &m)
	var literal []byte
	for i := 0; i < len(f.texts) && literal == nil; i++ {
		literal = m.memberOf(&f.texts[i])
	}
	if f.null != "" && string(literal) == "null" {
		return d.dropPart(d.b, &fault{finding.BodyTruncated, 0, f.null})
	}
	p, wrong := f.partOf(&m)
	if wrong != nil {
		return d.dropPart(d.b, wrong)
	}
	p.inJSON, p.implied = !f.kept, f.newline
	return d.readTexts(literal, p)
}

// partOf returns which part of a line a record is. The journal itself cuts lines of an output
// that are longer than LineMax=, and Docker cuts the lines of containers.
func (f *Store) partOf(m *picked) (part, *fault) {
	p := part{time: m.timeOf(f.time), last: true}
	key := []byte(f.Name)
	for i := range f.keys {
		key = append(append(key, ' '), bareNumber(m.memberOf(&f.keys[i]))...)
	}
	for i := range f.more {
		tags, more := bytes.CutPrefix(bareNumber(m.memberOf(&f.more[i])), []byte(f.more[i].words[1]))
		p.last = p.last && !(more && (len(tags) == 0 || tags[0] == ':'))
	}
	if id := m.memberOf(f.number); id != nil {
		n, err := strconv.Atoi(string(bareNumber(m.memberOf(f.ordinal))))
		if err != nil || n < 1 {
			return p, &fault{finding.SourceUnparseable, 0, "a part of a line without its number"}
		}
		key = append(append(key, ' '), bareNumber(id)...)
		p.ordinal, p.last = n, string(bareNumber(m.memberOf(f.final))) == "true"
	}
	p.key = string(key)
	return p, nil
}
