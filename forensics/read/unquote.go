package read

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svc-edge/svc-verify/forensics/unwrap"
)

// slots is how many texts within texts are decoded at once: a body in an
// export in a Kafka message in a dump.
const slots = 4

// unquoteString returns the text of a JSON string literal, byte for byte: bytes that are not UTF-8
// stay as they are. The text is a part of the literal if nothing in it is escaped, and
// otherwise valid until the slot is used again. whole is false if something has no bytes: a
// surrogate without its pair, which becomes U+FFFD. ok is false if the literal is not a
// string.
func (r *reader) unquoteString(slot int, literal []byte) (text []byte, whole, ok bool) {
	if len(literal) < 2 || literal[0] != '"' || literal[len(literal)-1] != '"' || slot >= slots {
		return nil, false, false
	}
	inside := literal[1 : len(literal)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside, true, true
	}
	r.texts[slot], whole = appendUnquoted(r.texts[slot][:0], literal)
	return r.texts[slot], whole, true
}

// appendUnquoted appends the value of a JSON string literal. whole is false if something in it has no
// bytes.
func appendUnquoted(dst, literal []byte) (_ []byte, whole bool) {
	start := len(dst)
	for rest := literal[1 : len(literal)-1]; ; {
		n := bytes.IndexByte(rest, '\\')
		if n < 0 {
			return append(dst, rest...), true
		}
		i := strings.IndexByte("\"\\/bfnrt", rest[min(n+1, len(rest)-1)])
		if i < 0 {
			break
		}
		dst, rest = append(append(dst, rest[:n]...), "\"\\/\b\f\n\r\t"[i]), rest[min(n+2, len(rest)):]
	}
	dst = dst[:start]
	if out, err := jsontext.AppendUnquote(dst, literal); err == nil {
		return out, true
	}
	dst = unwrap.AppendUnescaped(dst, literal[1:len(literal)-1])
	return dst, !bytes.Contains(dst[start:], replacement)
}

// isPart reports whether a string is too short for an event, and holds no JSON: it can be one of
// several literals that have an event together.
func isPart(text []byte) bool {
	const leastEvent = 512
	return len(text) > 2 && len(text) < leastEvent && bytes.IndexByte([]byte("{[\\ "), text[1]) < 0
}
