package shapes

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number reports whether a JSON value is one.
func number(text []byte) bool { return strings.IndexByte("-0123456789", text[0]) >= 0 }

func elements(text []byte) (all []json.RawMessage) {
	must(0, json.Unmarshal(text, &all))
	return all
}

func stringOf(text []byte) (decoded string) {
	must(0, json.Unmarshal(text, &decoded))
	return decoded
}

// dynamo writes a value as DynamoDB does: each in an object with its type.
func dynamo(text []byte) string {
	var parts []string
	switch {
	case text[0] == '{':
		for _, m := range members(text) {
			parts = append(parts, compact.quote(m.name)+":"+dynamo(m.value))
		}
		return `{"M":{` + strings.Join(parts, ",") + `}}`
	case text[0] == '[':
		for _, e := range elements(text) {
			parts = append(parts, dynamo(e))
		}
		return `{"L":[` + strings.Join(parts, ",") + `]}`
	case text[0] == '"':
		return `{"S":` + compact.quote(stringOf(text)) + `}`
	case number(text):
		return `{"N":"` + string(text) + `"}`
	}
	return `{"BOOL":` + string(text) + `}`
}

// extendedJSON writes a value in MongoDB's canonical mode.
func extendedJSON(text []byte) string {
	var parts []string
	switch {
	case text[0] == '{':
		for _, m := range members(text) {
			parts = append(parts, compact.quote(m.name)+":"+extendedJSON(m.value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case text[0] == '[':
		for _, e := range elements(text) {
			parts = append(parts, extendedJSON(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case !number(text):
		return string(text)
	case small(text):
		return `{"$numberInt":"` + string(text) + `"}`
	}
	return `{"$numberLong":"` + string(text) + `"}`
}

// small reports whether a number has 32 bits.
func small(text []byte) bool {
	_, err := strconv.ParseInt(string(text), 10, 32)
	return err == nil
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// literal writes a value as JavaScript shows it: names without quotes, strings in
// single ones.
func literal(text []byte) string {
	var parts []string
	switch text[0] {
	case '{':
		for _, m := range members(text) {
			name := m.name
			if !identifier.MatchString(name) {
				name = inspected(name)
			}
			parts = append(parts, name+": "+literal(m.value))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case '[':
		for _, e := range elements(text) {
			parts = append(parts, literal(e))
		}
		return "[ " + strings.Join(parts, ", ") + " ]"
	case '"':
		return inspected(stringOf(text))
	}
	return string(text)
}

// mongodumped is a file of mongodump: BSON documents, one after the other.
func mongodumped(write func(record) []byte) func(Log) Files {
	return func(l Log) Files {
		var out []byte
		for _, r := range l.records() {
			id := must(hex.DecodeString(objectID(r)))
			out = append(out, bsonDocument(slices.Concat(bsonElement(0x07, "_id", id), write(r)))...)
		}
		return file("edge/audit.bson", out)
	}
}

// bsonDocument puts elements between their length and a zero.
func bsonDocument(elements []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(elements)+5))
	return append(append(out, elements...), 0)
}

func bsonElement(kind byte, name string, value []byte) []byte {
	return slices.Concat([]byte{kind}, []byte(name), []byte{0}, value)
}

func bsonString(name, text string) []byte {
	value := binary.LittleEndian.AppendUint32(nil, uint32(len(text)+1))
	return bsonElement(0x02, name, append(append(value, text...), 0))
}

// bsonMembers are the members of a JSON object as elements.
func bsonMembers(text []byte) (out []byte) {
	for _, m := range members(text) {
		out = append(out, bsonValue(m.name, m.value)...)
	}
	return out
}

func bsonValue(name string, text []byte) []byte {
	switch {
	case text[0] == '{':
		return bsonElement(0x03, name, bsonDocument(bsonMembers(text)))
	case text[0] == '[':
		var list []byte
		for i, e := range elements(text) {
			list = append(list, bsonValue(fmt.Sprint(i), e)...)
		}
		return bsonElement(0x04, name, bsonDocument(list))
	case text[0] == '"':
		return bsonString(name, stringOf(text))
	case text[0] == 't':
		return bsonElement(0x08, name, []byte{1})
	case text[0] == 'f':
		return bsonElement(0x08, name, []byte{0})
	case text[0] == 'n':
		return bsonElement(0x0a, name, nil)
	}
	n := must(strconv.ParseInt(string(text), 10, 64))
	if small(text) {
		return bsonElement(0x10, name, binary.LittleEndian.AppendUint32(nil, uint32(n)))
	}
	return bsonElement(0x12, name, binary.LittleEndian.AppendUint64(nil, uint64(n)))
}
