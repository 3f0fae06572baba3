package tamper

import (
	"bytes"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
)

// fileNears are the near misses of changes to files.
func fileNears() []Script {
	return []Script{
		{"near-blank-line", "blank lines stand between the events and at the end of a journal",
			onLines(func(lines [][]byte, middle int) [][]byte {
				return append(slices.Insert(lines, middle, []byte("\n"), []byte("\n")), []byte("\n"))
			})},
		{"near-other-service", "records of another service stand between the events of a journal",
			onLines(func(lines [][]byte, middle int) [][]byte {
				record := []byte(`{"level":"info","msg":"request","tenant_id":"acme-corp","key_id":"k-1"}` + "\n")
				return append(slices.Insert(lines, middle, record, record), record)
			})},
		{"near-byte-order-mark", "a journal begins with a byte order mark",
			onContent(func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) })},
		{"near-carriage-returns", "the lines of a journal end with CR LF",
			onContent(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) })},
		{"near-cut-between-frames", "the last message of a file of length-prefixed messages is gone, whole",
			cutBetweenFrames},
		{"near-two-members", "a gzip object is made of two members", twoMembers},
		{"near-inflated-object", "a gzip object was inflated on the way, and kept its name", inflatedObject},
		{"near-split-export", "an export's line is wrapped", inExport(`,"scopeLogs":`, ",\n\"scopeLogs\":")},
		{"near-invalid-attribute", "an attribute of an export, and no body, is not UTF-8",
			inExport(serviceName, strings.Replace(serviceName, "edge", "ed\xffge", 1))},
		{"near-other-text", "an attribute of an export is in Japanese",
			inExport(serviceName, strings.Replace(serviceName, "edge", "エッジ", 1))},
		{"near-attribute-twice", "an export has an attribute twice",
			inExport(serviceName, serviceName+","+serviceName)},
		{"near-long-line", "a line of a journal is 10,000 bytes longer than it need be", addCopy(spacedCopies(10_000))},
		{"near-odd-name", "a copy of a journal is called as a database would be",
			secondFile("journals/case.db", "\n")},
		{"near-deep-folder", "a copy of a journal lies in folders below", secondFile("journals/2026/03/copy", "")},
		{"near-exported-again", "a collector's file is there under a second name", exportedAgain},
	}
}

// cutBetweenFrames leaves the first message: its length is before it.
func cutBetweenFrames(h *hand) Damage {
	name, content := h.First(collectorProto)
	if len(content) < 4 {
		h.Fail(fleet.None("message"))
		return damageWithin(name)
	}
	size := int(content[0])<<24 | int(content[1])<<16 | int(content[2])<<8 | int(content[3])
	h.Put(name, content[:4+size])
	return damageWithin(name)
}

func twoMembers(h *hand) Damage {
	name, plain := h.Inflate(objectsGzip)
	h.Deflate(name, plain[:len(plain)/2], plain[len(plain)/2:])
	return damageWithin(name)
}

func inflatedObject(h *hand) Damage {
	name, plain := h.Inflate(objectsGzip)
	h.Put(name, plain)
	return damageWithin(name)
}

func exportedAgain(h *hand) Damage {
	_, content := h.First(collectorJSON)
	name := collectorJSON + "/again.json"
	h.Put(name, append(content, '\n'))
	return damageWithin(name)
}
