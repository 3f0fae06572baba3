package unwrap

import (
	"bytes"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// YAML is the step of a mapping of YAML.
const YAML = "YAML"

// yamlProtocol is the value of the member that shows an event in YAML, and bodyMember the
// member that contains it.
var (
	yamlProtocol = safetext.Pattern(`^["']?: +["']?svc\.`)
	bodyMember   = safetext.Pattern(`^["']?body["']?:$`)
	bodyName     = []byte("body")
	yamlDocument = []byte("---") // begins another one
)

// findYAML finds the line that begins an event as a mapping of YAML with a member on each
// line.
func findYAML(text []byte) int {
	for at, floor := 0, 0; ; floor = at {
		i := bytes.Index(text[at:], anchorName)
		if i < 0 {
			return -1
		}
		name := at + i
		if at = name + len(anchorName); !yamlProtocol().Match(text[at:min(len(text), at+64)]) {
			continue
		}
		line := bytes.LastIndexByte(text[:name], '\n') + 1
		first := line + skipDashes(text[line:name])
		if quotes := bytes.Trim(text[first:name], `"'`); len(quotes) > 0 {
			continue
		}
		if start := mappingStart(text, floor, line); start >= 0 {
			return start
		}
	}
}

// skipDashes returns the length of the spaces, and of the marks of list items, that a line
// begins with.
func skipDashes(line []byte) int {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '-' && n+1 < len(line) && line[n+1] == ' ') {
		n++
	}
	return n
}

// mappingStart returns the first line of the mapping with a body that has a member on the line
// at a place, -1 if there is none. It does not look before floor.
func mappingStart(text []byte, floor, at int) int {
	member, outer, start := skipDashes(text[at:]), -1, -1
	for at > floor {
		end := at
		at = max(floor, bytes.LastIndexByte(text[:end-1], '\n')+1)
		line := text[at:end]
		spaces, indent := len(line)-len(bytes.TrimLeft(line, " ")), skipDashes(line)
		switch content := bytes.TrimSpace(line[indent:]); {
		case len(content) == 0 || outer < 0 && indent >= member || indent > outer && outer >= 0:
			continue
		case outer < 0 && !bodyMember().Match(content) || indent < outer || bytes.HasPrefix(content, yamlDocument):
			return start
		default:
			if outer, start = indent, at; spaces < indent {
				return start
			}
		}
	}
	return start
}

// openYAML returns where a mapping begins that can continue after a text, as far as the member
// with the body shows; -1 if there is none.
func openYAML(text []byte) int {
	line := bytes.LastIndexByte(text[:max(0, bytes.LastIndex(text, bodyName))], '\n') + 1
	end := line + bytes.IndexByte(text[line:], '\n') + 1
	indent := skipDashes(text[line:])
	if end == line || !bodyMember().Match(bytes.TrimSpace(text[line+indent:end])) {
		return -1
	}
	for rest := range bytes.Lines(text[end:]) {
		if skipDashes(rest) <= indent && len(bytes.TrimSpace(rest)) > 0 {
			return -1
		}
	}
	return max(mappingStart(text, 0, end), min(line, end))
}

// decodeYAML decodes the mapping that a text begins with. An uncertain value counts only if
// the hash holds.
func decodeYAML(d *decoding, src []byte) (end int) {
	y := yamlReader{certain: true}
	indent := skipDashes(src)
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, "\r\n")
		content := bytes.TrimLeft(text, " ")
		spaces := len(text) - len(content)
		if end == 0 {
			spaces, content = indent, text[min(indent, len(text)):]
		}
		if len(content) > 0 && spaces < indent || bytes.HasPrefix(text, yamlDocument) {
			break
		}
		y.lines = append(y.lines, yamlLine{spaces, content})
		end += len(line)
	}
	d.markAt(0)
	if y.readMapping(indent) && (y.certain || Holds(y.out)) {
		d.decoded = append(d.decoded, y.out...)
	}
	return end
}
