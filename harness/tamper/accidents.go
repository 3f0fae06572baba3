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

// allAccidents happen to files.
func allAccidents() []Script {
	return []Script{
		{"cut-line-feed", "the line feed at the end of a journal is gone",
			onContent(func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) })},
		{"cut-frame", "a file of length-prefixed messages ends within the last message",
			func(h *hand) Damage { return damageWithin(h.Cut(collectorProto, 100)) }},
		{"cut-gzip", "a gzip object ends too early", func(h *hand) Damage { return damageWithin(h.Cut(objectsGzip, 6)) }},
		{"cut-zstd", "a zstd file ends too early", func(h *hand) Damage { return damageWithin(h.Cut(collectorZstd, 6)) }},
		{"gzip-trailing-data", "bytes follow on the end of a gzip object", trailingData},
		{"two-documents", "two exports stand on one line", twoDocuments},
		{"garbage", "a line of garbage is between the events of a journal",
			onLines(func(lines [][]byte, middle int) [][]byte {
				return slices.Insert(lines, middle, []byte("{\"body\":\n"))
			})},
		{"garbage-for-event", "a line of garbage is in the place of an event",
			inJournal(1, onEvent(func([]byte) []byte { return []byte("{\"body\":") }))},
		{"garbage-for-tail", "garbage is in the place of the last two events of a journal, below its newest anchor",
			garbageForTail},
		{"near-garbage-at-end", "a line of garbage follows on the last event of a journal",
			onLines(func(lines [][]byte, _ int) [][]byte { return append(lines, []byte("{]\n")) })},
		{"duplicate-body", "a record of an export has two bodies",
			inExport(`,"body":`, `,"body":{"stringValue":""},"body":`)},
		{"huge-line", "a line of a journal is 100,000 bytes long", addCopy(spacedCopies(100_000))},
		{"unknown-file", "a file that is no evidence lies among the journals",
			addFile("journals/notes.bin", "\x00\x01\x02 no evidence\n")},
		{"program", "a program lies among the journals",
			addFile("journals/agent", "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 4096))},
		{"other-signal", "a collector's file holds traces",
			addFile(collectorJSON+"/traces.json", `{"resourceSpans":[{"resource":{},"scopeSpans":[]}]}`+"\n")},
		{"lose-file", "a bundle that was listed is gone", loseFile},
		{"replace-file", "the file of checkpoints is replaced by one that lacks the first", replaceFile},
		{"symbolic-link", "a symbolic link to something else lies among the journals", symbolicLink},
		{"named-pipe", "a named pipe lies among the journals", namedPipe},
		{"copied-early",
			"all journals were copied before the middle of the time, and the tenant log and the cursors at its end",
			copiedEarly},
		{"rename-log", "a collector masks the name of a node in its journal", renameLog},
		{"sample-at-store", "a store loses one record of six, of all nodes", sampleAtStore},
		{"database", "another case lies among the journals", database},
	}
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
