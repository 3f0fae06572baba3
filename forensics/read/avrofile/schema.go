// Package avrofile reads object container files of Avro: their header, and the values
// in their blocks (https://avro.apache.org/docs/1.12.0/specification/).
//
// Values become the text of JSON, with every octet of their strings and bytes. A
// schema that is made to write much for little is bounded by the size of a row.
package avrofile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// kind is a kind of values.
type kind int

const (
	null kind = iota
	boolean
	integer
	float
	double
	text
	octets
	record
	enum
	array
	object
	union
	fixed
)

var primitives = map[string]kind{"null": null, "boolean": boolean, "int": integer, "long": integer, "float": float,
	"double": double, "bytes": octets, "string": text}

// Schema is how values are written.
type Schema struct {
	kind     kind
	names    [][]byte  // of the fields of a record, or the symbols of an enum
	branches []*Schema // the types of fields, of a union, or of what a list or map has
	size     int       // of a fixed
	unit     int64     // of a time, in parts of a second; 0 if it is none
}

// Bounds on a schema.
const (
	mostDepth = 64
	mostTypes = 1 << 16
)

// errSchema says that a schema is none that is understood.
var errSchema = errors.New("a schema that is not understood")

// parse reads a schema. Names refer to what was declared before them, or around them.
func parse(b []byte) (*Schema, error) {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("%w: %w", errSchema, err)
	}
	p := parser{named: make(map[string]*Schema)}
	return p.schema(v, "", 0)
}

type parser struct {
	named map[string]*Schema
	types int
}

func (p *parser) schema(v any, space string, depth int) (*Schema, error) {
	if p.types++; p.types > mostTypes || depth > mostDepth {
		return nil, fmt.Errorf("%w: larger than the limit", errSchema)
	}
	switch v := v.(type) {
	case string:
		return p.name(v, space)
	case []any:
		s := &Schema{kind: union}
		err := p.branches(s, v, space, depth)
		return s, err
	case map[string]any:
		return p.complex(v, space, depth)
	}
	return nil, errSchema
}

func (p *parser) name(name, space string) (*Schema, error) {
	if k, ok := primitives[name]; ok {
		return &Schema{kind: k}, nil
	}
	for _, full := range []string{fullName(name, space), name} {
		if s, ok := p.named[full]; ok {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%w: no type %.40q", errSchema, name)
}

func (p *parser) branches(s *Schema, all []any, space string, depth int) error {
	for _, v := range all {
		branch, err := p.schema(v, space, depth+1)
		if err != nil {
			return err
		}
		s.branches = append(s.branches, branch)
	}
	return nil
}

func (p *parser) complex(v map[string]any, space string, depth int) (*Schema, error) {
	name, _ := v["type"].(string)
	switch name {
	case "record", "error":
		return p.record(v, space, depth)
	case "enum", "fixed":
		s := &Schema{kind: enum}
		if name == "fixed" {
			size, _ := v["size"].(float64)
			if size < 0 || size > 1<<30 {
				return nil, errSchema
			}
			s.kind, s.size = fixed, int(size)
		}
		symbols, _ := v["symbols"].([]any)
		for _, symbol := range symbols {
			text, _ := symbol.(string)
			s.names = append(s.names, []byte(text))
		}
		p.declare(s, v, space)
		return s, nil
	case "array":
		s := &Schema{kind: array}
		return s, p.branches(s, []any{v["items"]}, space, depth)
	case "map":
		s := &Schema{kind: object}
		return s, p.branches(s, []any{v["values"]}, space, depth)
	}
	s, err := p.schema(v["type"], space, depth+1)
	if err != nil {
		return nil, err
	}
	if logical, _ := v["logicalType"].(string); s.kind == integer && units[logical] > 0 {
		s = &Schema{kind: integer, unit: units[logical]}
	}
	return s, nil
}

// units are the parts of a second that times count.
var units = map[string]int64{"timestamp-millis": 1e3, "timestamp-micros": 1e6, "timestamp-nanos": 1e9,
	"local-timestamp-millis": 1e3, "local-timestamp-micros": 1e6, "local-timestamp-nanos": 1e9}

func (p *parser) record(v map[string]any, space string, depth int) (*Schema, error) {
	s := &Schema{kind: record}
	space = p.declare(s, v, space)
	fields, _ := v["fields"].([]any)
	var types []any
	for _, f := range fields {
		field, _ := f.(map[string]any)
		name, _ := field["name"].(string)
		s.names = append(s.names, []byte(name))
		if _, logical := field["logicalType"]; logical { // some writers put it beside the type
			types = append(types, map[string]any{"type": field["type"], "logicalType": field["logicalType"]})
			continue
		}
		types = append(types, field["type"])
	}
	s.names = rows.Columns(s.names)
	return s, p.branches(s, types, space, depth)
}

// declare makes the name of a type known, and returns the namespace of what it has.
func (p *parser) declare(s *Schema, v map[string]any, space string) string {
	name, _ := v["name"].(string)
	if own, ok := v["namespace"].(string); ok {
		space = own
	}
	full := fullName(name, space)
	p.named[full] = s
	if dot := strings.LastIndexByte(full, '.'); dot >= 0 {
		return full[:dot]
	}
	return ""
}

func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}
