package tamper

import (
	"bytes"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/dumps"
	"github.com/svc-edge/svc-verify/harness/fleet"
)

// filesPlays are the near misses of changes to files.
var filesPlays = map[string]play{
	"near-blank-line": onLines(func(lines [][]byte, middle int) [][]byte {
		return append(slices.Insert(lines, middle, []byte("\n"), []byte("\n")), []byte("\n"))
	}),
	"near-other-service": onLines(func(lines [][]byte, middle int) [][]byte {
		record := []byte(`{"level":"info","msg":"request","tenant_id":"acme-corp","key_id":"k-1"}` + "\n")
		return append(slices.Insert(lines, middle, record, record), record)
	}),
	"near-byte-order-mark": onContent(func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }),
	"near-carriage-returns": onContent(func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	}),
	"near-cut-between-frames": cutBetweenFrames,
	"near-two-members":        twoMembers,
	"near-inflated-object":    inflatedObject,
	"near-split-export":       inExport(`,"scopeLogs":`, ",\n\"scopeLogs\":"),
	"near-invalid-attribute":  inExport(serviceName, strings.Replace(serviceName, "edge", "ed\xffge", 1)),
	"near-other-text":         inExport(serviceName, strings.Replace(serviceName, "edge", "エッジ", 1)),
	"near-attribute-twice":    inExport(serviceName, serviceName+","+serviceName),
	"near-long-line":          addCopy(spacedCopies(10_000)),
	"near-odd-name":           secondFile("journals/case.db", "\n"),
	"near-deep-folder":        secondFile("journals/2026/03/copy", ""),
	"near-exported-again":     exportedAgain,
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
	h.Put(name, dumps.Gzip(plain[:len(plain)/2], plain[len(plain)/2:]))
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
