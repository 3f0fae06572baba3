package shapes

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// big is a number of so many bits, the highest first.
func big(bits int, n any) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(number(n)))[8-bits/8:])
}

// little is a number of so many bits, the lowest first.
func little(bits int, n any) string {
	out := []byte(big(bits, n))
	slices.Reverse(out)
	return string(out)
}

// encodeUTF16 makes a function that writes a text in UTF-16, behind a byte order mark.
func encodeUTF16(order binary.AppendByteOrder) func(text string) string {
	return func(text string) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
}

// bson is a document with an identifier and the members of a JSON object.
func bson(id, object string) string {
	return bsonDocument("\x07_id\x00" + string(seal.Must(hex.DecodeString(id))) + bsonMembers(object))
}

// bsonDocument puts elements between their length and a zero.
func bsonDocument(elements string) string { return little(32, len(elements)+5) + elements + "\x00" }

// bsonMembers are the members of a JSON object as elements.
func bsonMembers(text string) (out string) {
	for _, m := range membersOf(text) {
		out += bsonElement(m.Name, string(m.value))
	}
	return out
}

func bsonElement(name, text string) string {
	name += "\x00"
	switch text[0] {
	case '{':
		return "\x03" + name + bsonDocument(bsonMembers(text))
	case '[':
		var list string
		for i, e := range decodeValue[[]json.RawMessage](text) {
			list += bsonElement(strconv.Itoa(i), string(e))
		}
		return "\x04" + name + bsonDocument(list)
	case '"':
		value := decodeValue[string](text)
		return "\x02" + name + little(32, len(value)+1) + value + "\x00"
	case 't':
		return "\x08" + name + "\x01"
	case 'f':
		return "\x08" + name + "\x00"
	case 'n':
		return "\x0a" + name
	}
	n := seal.Must(strconv.ParseInt(text, 10, 64))
	if isSmall(text) {
		return "\x10" + name + little(32, n)
	}
	return "\x12" + name + little(64, n)
}
