package tamper

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/fleet"
)

// The files that accidents happen to: what a node's journal holds is in them
// too.
var (
	collectorJSON  = fleet.Store("collector/json")
	collectorProto = fleet.Store("collector/proto")
	collectorZstd  = fleet.Store("collector/native-zstd")
	objectsGzip    = fleet.Store("s3/json")
)

// accidents happen to files.
func accidents() []Script {
	return []Script{
		{"cut-line-feed", "the line feed at the end of a journal is gone", cutLineFeed},
		{"cut-frame", "a file of length-prefixed messages ends within the last message", func(h *hand) Damage { return h.cut(collectorProto, 100) }},
		{"cut-gzip", "a gzip object ends too early", func(h *hand) Damage { return h.cut(objectsGzip, 6) }},
		{"cut-zstd", "a zstd file ends too early", func(h *hand) Damage { return h.cut(collectorZstd, 6) }},
		{"gzip-trailing-data", "bytes follow on the end of a gzip object", trailingData},
		{"gzip-two-members", "a gzip object is made of two members", twoMembers},
		{"two-documents", "two exports stand on one line", twoDocuments},
		{"garbage", "a line of garbage stands between the events of a journal", garbage},
		{"garbage-for-event", "a line of garbage stands in the place of an event", garbageForEvent},
		{"garbage-for-tail", "garbage stands in the place of the last two events of a journal, below its newest anchor", garbageForTail},
		{"near-garbage-at-end", "a line of garbage follows on the last event of a journal", garbageAtEnd},
		{"duplicate-body", "a record of an export has two bodies", duplicateBody},
		{"huge-line", "a line of a journal is 100,000 bytes long", func(h *hand) Damage { return spaced(h, 100_000) }},
		{"unknown-file", "a file that is no evidence lies among the journals", unknownFile},
		{"other-signal", "a collector's file holds traces", otherSignal},
		{"lose-file", "a bundle that was listed is gone", loseFile},
		{"replace-file", "the file of checkpoints is replaced by one that lacks the first", replaceFile},
		{"symbolic-link", "a symbolic link lies among the journals", symbolicLink},
		{"named-pipe", "a named pipe lies among the journals", namedPipe},
		{"copied-early", "all journals were copied before the middle of the time, and the tenant log and the cursors at its end", copiedEarly},
		{"rename-log", "a collector masks the name of a node in its journal", renameLog},
		{"sample-at-store", "a store loses one record of six, of all nodes", sampleAtStore},
		{"database", "a database lies among the journals", database},
	}
}

// first is the first file below a path, and its content.
func (h *hand) first(path string) (string, []byte) {
	names := h.Names(path)
	if len(names) == 0 {
		h.fail(errNone("file below " + path))
		return path, nil
	}
	return names[0], h.content(names[0])
}

func cutLineFeed(h *hand) Damage {
	name := fleet.Journal(h.node())
	h.put(name, bytes.TrimSuffix(h.content(name), []byte("\n")))
	return within(name)
}

// cut takes so many bytes off the end of a file.
func (h *hand) cut(path string, bytes int) Damage {
	name, content := h.first(path)
	h.put(name, content[:max(len(content)-bytes, 0)])
	return within(name)
}

func trailingData(h *hand) Damage {
	name, content := h.first(objectsGzip)
	h.put(name, append(content, "and more"...))
	return within(name)
}

// inflated is the content of a gzip object.
func (h *hand) inflated(path string) (string, []byte) {
	name, content := h.first(path)
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		h.fail(err)
		return name, nil
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		h.fail(err)
	}
	return name, plain
}

func twoMembers(h *hand) Damage {
	name, plain := h.inflated(objectsGzip)
	var b bytes.Buffer
	for _, part := range [][]byte{plain[:len(plain)/2], plain[len(plain)/2:]} {
		w := gzip.NewWriter(&b)
		if _, err := w.Write(part); err != nil {
			h.fail(err)
		}
		if err := w.Close(); err != nil {
			h.fail(err)
		}
	}
	h.put(name, b.Bytes())
	return within(name)
}

func twoDocuments(h *hand) Damage {
	name, _ := h.first(collectorJSON)
	h.edit(name, func(lines [][]byte) [][]byte {
		lines[0] = bytes.TrimSuffix(lines[0], []byte("\n"))
		return lines
	})
	return within(name)
}

func garbage(h *hand) Damage {
	name := fleet.Journal(h.node())
	h.edit(name, func(lines [][]byte) [][]byte { return slices.Insert(lines, int(h.middle()), []byte("{\"body\":\n")) })
	return within(name)
}

func garbageForEvent(h *hand) Damage {
	h.onLine(fleet.Journal(h.node()), h.middle(), func([]byte) []byte { return []byte("{\"body\":\n") })
	return h.about(h.middle(), h.middle())
}

func garbageForTail(h *hand) Damage {
	h.edit(fleet.Journal(h.node()), func(lines [][]byte) [][]byte {
		return append(lines[:len(lines)-2], []byte("{]\n"), []byte("{]\n"))
	})
	return h.about(h.last()-1, h.last())
}

func garbageAtEnd(h *hand) Damage {
	h.addLine(fleet.Journal(h.node()), []byte("{]"))
	return within(fleet.Journal(h.node()))
}

// serviceName is an attribute of the resource of every export.
const serviceName = `{"key":"service.name","value":{"stringValue":"edge"}}`

// editFirst replaces the first occurrence of a text in a collector's file.
func (h *hand) editFirst(text, replacement string) Damage {
	name, content := h.first(collectorJSON)
	changed := bytes.Replace(content, []byte(text), []byte(replacement), 1)
	if bytes.Equal(changed, content) {
		h.fail(errNone(text))
	}
	h.put(name, changed)
	return within(name)
}

func duplicateBody(h *hand) Damage {
	return h.editFirst(`,"body":`, `,"body":{"stringValue":""},"body":`)
}

// spaced adds a copy of an event with so many spaces in it.
func spaced(h *hand, spaces int) Damage {
	h.addCopy(func(line []byte) []byte { return append([]byte("{"+strings.Repeat(" ", spaces)), line[1:]...) })
	return within(fleet.Journal(h.node()))
}

func unknownFile(h *hand) Damage {
	name := "journals/notes.bin"
	h.put(name, []byte("\x00\x01\x02 no evidence\n"))
	return within(name)
}

func otherSignal(h *hand) Damage {
	name := collectorJSON + "/traces.json"
	h.put(name, []byte(`{"resourceSpans":[{"resource":{},"scopeSpans":[]}]}`+"\n"))
	return within(name)
}

func loseFile(h *hand) Damage {
	name := fleet.Bundle(h.Scene.Exports[0].TransactionID)
	delete(h.Files, name)
	return within(name)
}

func replaceFile(h *hand) Damage {
	h.edit(fleet.Checkpoints, func(lines [][]byte) [][]byte { return lines[1:] })
	return within(fleet.Checkpoints)
}

func symbolicLink(h *hand) Damage {
	name := "journals/latest.ndjson"
	h.Files[name] = fleet.File{Mode: fs.ModeSymlink, Target: h.node() + ".ndjson"}
	return within(name)
}

func namedPipe(h *hand) Damage {
	name := "journals/live.ndjson"
	h.Files[name] = fleet.File{Mode: fs.ModeNamedPipe}
	return within(name)
}

func database(h *hand) Damage {
	name := "journals/case.db"
	h.put(name, append([]byte("SQLite format 3\x00"), make([]byte, 84)...))
	return within(name)
}
