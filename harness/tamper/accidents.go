package tamper

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
)

// The files that accidents happen to. The events of the journals are in them too.
var (
	collectorJSON  = fleet.Store("collector/json")
	collectorProto = fleet.Store("collector/proto")
	collectorZstd  = fleet.Store("collector/native-zstd")
	objectsGzip    = fleet.Store("s3/json")
)

// accidentsPlays happen to files.
var accidentsPlays = map[string]play{
	"cut-line-feed":      onContent(func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) }),
	"cut-frame":          func(h *hand) Damage { return damageWithin(h.Cut(collectorProto, 100)) },
	"cut-gzip":           func(h *hand) Damage { return damageWithin(h.Cut(objectsGzip, 6)) },
	"cut-zstd":           func(h *hand) Damage { return damageWithin(h.Cut(collectorZstd, 6)) },
	"gzip-trailing-data": trailingData,
	"two-documents":      twoDocuments,
	"garbage": onLines(func(lines [][]byte, middle int) [][]byte {
		return slices.Insert(lines, middle, []byte("{\"body\":\n"))
	}),
	"garbage-for-event":   inJournal(1, onEvent(func([]byte) []byte { return []byte("{\"body\":") })),
	"garbage-for-tail":    garbageForTail,
	"near-garbage-at-end": onLines(func(lines [][]byte, _ int) [][]byte { return append(lines, []byte("{]\n")) }),
	"duplicate-body":      inExport(`,"body":`, `,"body":{"stringValue":""},"body":`),
	"huge-line":           addCopy(spacedCopies(100_000)),
	"unknown-file":        addFile("journals/notes.bin", "\x00\x01\x02 no evidence\n"),
	"program":             addFile("journals/agent", "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 4096)),
	"other-signal": addFile(collectorJSON+"/traces.json",
		`{"resourceSpans":[{"resource":{},"scopeSpans":[]}]}`+"\n"),
	"lose-file":       loseFile,
	"replace-file":    replaceFile,
	"symbolic-link":   symbolicLink,
	"named-pipe":      namedPipe,
	"copied-early":    copiedEarly,
	"rename-log":      renameLog,
	"sample-at-store": sampleAtStore,
	"database":        database,
}

func trailingData(h *hand) Damage {
	name, content := h.First(objectsGzip)
	h.Put(name, append(content, "and more"...))
	return damageWithin(name)
}

func twoDocuments(h *hand) Damage {
	name, _ := h.First(collectorJSON)
	h.Edit(name, func(lines [][]byte) [][]byte {
		lines[0] = bytes.TrimSuffix(lines[0], []byte("\n"))
		return lines
	})
	return damageWithin(name)
}

func garbageForTail(h *hand) Damage {
	h.editJournal(func(lines [][]byte) [][]byte {
		return append(lines[:len(lines)-2], []byte("{]\n"), []byte("{]\n"))
	})
	return h.damageOf(h.lastSequence()-1, h.lastSequence())
}

// serviceName is an attribute of the resource of every export.
const serviceName = `{"key":"service.name","value":{"stringValue":"edge"}}`

func loseFile(h *hand) Damage {
	name := fleet.Bundle(h.Scene.Exports[0].TransactionID)
	delete(h.Files, name)
	return damageWithin(name)
}

func replaceFile(h *hand) Damage {
	h.Edit(fleet.Checkpoints, func(lines [][]byte) [][]byte { return lines[1:] })
	return damageWithin(fleet.Checkpoints)
}

func symbolicLink(h *hand) Damage {
	name := "journals/latest.ndjson"
	h.Files[name] = fleet.File{Mode: fs.ModeSymlink, Target: "/nonexistent/" + h.node + ".ndjson"}
	return damageWithin(name)
}

func namedPipe(h *hand) Damage {
	name := "journals/live.ndjson"
	h.Files[name] = fleet.File{Mode: fs.ModeNamedPipe}
	return damageWithin(name)
}

func database(h *hand) Damage {
	name := "journals/case.db"
	header := append([]byte("SQLite format 3\x00"), make([]byte, 84)...)
	copy(header[68:], "svcV") // the mark of a case
	h.Put(name, header)
	return damageWithin(name)
}
