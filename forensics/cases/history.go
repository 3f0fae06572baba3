package cases

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/shapes"
	"github.com/svc-edge/svc-verify/trust"
)

// history is a node's genuine journal, and the evidence for its end.
type history struct {
	log    *seal.Log
	lines  [][]byte
	batch  string
	cursor []byte // of the export that ends with the last event
	root   *trust.Root
}

// Whose journal it is.
const (
	historyTenant = "acme-corp"
	historyNode   = "mesh-berlin-1"
)

// historyBegins is when the first event occurred; each further one a millisecond
// later. They are collected a second later.
var historyBegins = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)

// texts are strings that encoders tend to change.
var texts = []string{
	"<b>&amp;</b> 'x' #012 %0A", "é 日本 \u2028\u2029 😀", `quote " backslash \ slash / \"`,
	"line\nfeed\ttab\u0001\b\f\r",
	`{"body":{"data":{}}}`, `\u003c \ud83d \\ \x22 ''`, "", strings.Repeat("long ", 300), "| $x `y` {{z}} ${HOME} !a",
	"=1+1,2;3\t\"4\"", " spaces  within ", "](http://example) **bold** \u00a0",
}

// historyOf makes a journal of as many events as there are texts.
func historyOf(texts []string) (*history, error) {
	key := func(name string) seal.Key {
		seed := sha256.Sum256([]byte(name))
		return seal.Key{ID: name, Private: ed25519.NewKeyFromSeed(seed[:])}
	}
	seal.MakeInBulk()
	h := &history{log: seal.NewLog(historyTenant, "node/"+historyNode)}
	var events []seal.Object
	for i, text := range texts {
		salt := sha256.Sum256(fmt.Append(nil, i))
		data := seal.Object{"deep": seal.Object{"list": []any{int64(-1), true, "x", seal.Object{}}},
			"n": int64(9007199254740991), "text": text}
		event := h.log.Append(seal.Entry{Type: "policy.synced",
			OccurredAt: historyBegins.Add(time.Duration(i) * time.Millisecond),
			Salt:       [16]byte(salt[:16]), Data: data}, key(historyNode))
		events, h.lines = append(events, event), append(h.lines, seal.Canonical(event))
	}
	h.batch = fleet.BatchID(h.log.ID(), events)
	cursor := seal.ExportCursor(historyNode, fleet.Exporter, events[len(events)-1], h.batch,
		historyBegins.Add(time.Minute))
	h.cursor = append(seal.Canonical(seal.Seal(cursor, key(historyNode))), '\n')
	public := func(name string) seal.Object { return seal.Object{name: seal.Base64(key(name).Public())} }
	var err error
	h.root, err = trust.Parse(seal.Canonical(seal.Object{"audit_keys": public("audit-1"), "nodes": public(historyNode),
		"protected_signer_keys": public("signer-1"), "registries": seal.Object{"1": seal.Base64(make([]byte, 32))}}))
	return h, err
}

var shortHistory = sync.OnceValues(func() (*history, error) { return historyOf(texts) })

// longHistory has lines that runtimes cut in parts: at 4 KiB, 8 KiB, 16 KiB and
// 48 KiB.
var longHistory = sync.OnceValues(func() (*history, error) {
	long := func(n int) string { return strings.Repeat("é\"\\ 日本 long\n", n/16) }
	return historyOf([]string{"a", long(5000), long(17_000), texts[1], long(51_000), texts[3], "z"})
})

// historyIn returns the journal that a shape is tried with.
func historyIn(s shapes.Shape) (*history, error) {
	if s.Cuts {
		return longHistory()
	}
	return shortHistory()
}

// handedOut returns the log from which a shape is made.
func (h *history) handedOut() shapes.Log {
	return shapes.Log{Lines: h.lines, Batch: h.batch, Time: historyBegins.Add(time.Second)}
}

// cut is a set of files, one of them cut within its last record.
type cut struct {
	files shapes.Files
	name  string
	from  int    // where that record begins, or a little before
	same  int    // how many bytes are the same with and without it
	lost  uint64 // its sequence
}

// cutsSource reports whether a source is the file that was cut, or the volumes that it is
// one of, which are called as the first of them.
func (c cut) cutsSource(source string) bool {
	stem := strings.TrimSuffix(c.name, path.Ext(c.name))
	return strings.HasSuffix(source, "/handed/"+c.name) ||
		len(c.files) > 1 && strings.HasSuffix(strings.TrimSuffix(source, path.Ext(source)), "/handed/"+stem)
}

// cutLast cuts the last record, which is the newest event, or in forms that have the newest
// first the oldest one. The record is the bytes that the files without that line lack, except
// the bytes that close them.
func cutLast(s shapes.Shape, h *history) cut {
	log := h.handedOut()
	full, n := s.Write(log), len(h.lines)
	newest := h.cutAt(full, s.Write(shapes.Log{Lines: h.lines[:n-1], Batch: log.Batch, Time: log.Time}), uint64(n))
	oldest := h.cutAt(full, s.Write(shapes.Log{Lines: h.lines[1:], Batch: log.Batch, Time: log.Time}), 1)
	if oldest.same > max(newest.same, oldest.from/2) {
		return oldest
	}
	return newest
}

// cutAt cuts the file that is longer than, or not among, the others; of several
// the one that differs most. It is cut behind the hash of the event or, where that
// is encoded, in the middle of the record.
func (h *history) cutAt(full, others shapes.Files, lost uint64) cut {
	c := cut{files: shapes.Files{}, lost: lost}
	most := 0
	for name, content := range full {
		c.files[name] = content
		if more := len(content) - len(others[name]); more > most || more == most && name > c.name {
			c.name, most = name, more
		}
	}
	content := full[c.name]
	end := len(content) - commonSuffix(content, others[c.name])
	c.from, c.same = max(0, end-most), commonPrefix(content, others[c.name])
	at := (c.from + end) / 2
	if hash := bytes.Index(content[c.from:], []byte(h.log.Hash(lost).String())); hash >= 0 {
		at = c.from + hash + 64
	}
	c.files[c.name] = content[:at]
	return c
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// alterEvent changes an event of a journal, and nothing else in it.
func alterEvent(log shapes.Log, sequence uint64) shapes.Log {
	log.Lines = slices.Clone(log.Lines)
	log.Lines[sequence-1] = bytes.Replace(log.Lines[sequence-1], []byte(`"n":900719`), []byte(`"n":100719`), 1)
	return log
}
