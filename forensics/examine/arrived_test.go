package examine

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// arrived is an arrival with where it stands.
type arrived struct {
	arrival
	log      facts.Log
	sequence uint64
	hash     string
	line     string
	source   [sha256.Size]byte
	record   int // among the events of the source
}

func logOf(c walktest.Copy) facts.Log {
	body := seal.Member(c.Object, "body")
	return facts.Log{TenantID: seal.Text(body, "tenant_id"), LogID: seal.Text(body, "log_id")}
}

// arrivedBy lists the arrivals of all sources by place, those of one log
// together.
func arrivedBy(sources []source) map[facts.Log][]arrived {
	all := map[facts.Log][]arrived{}
	sources = slices.SortedFunc(slices.Values(sources), func(a, b source) int {
		x, y := sha256.Sum256(a.content), sha256.Sum256(b.content)
		return bytes.Compare(x[:], y[:])
	})
	for _, s := range sources {
		for i, a := range s.arrivals {
			l := logOf(a.Copy)
			all[l] = append(all[l], arrived{arrival: a, log: l,
				sequence: uint64(seal.Integer(seal.Member(a.Object, "body"), "sequence")), hash: seal.Text(a.Object, "hash"),
				line: string(seal.Canonical(a.Object)), source: sha256.Sum256(s.content), record: i})
		}
	}
	return all
}

// deliveryWords is what must be found of how the evidence came, as words of
// package walktest. It is made from what the split did, and from nothing that
// was read back.
func deliveryWords(sources []source) []string {
	var words []string
	byLog := arrivedBy(sources)
	for _, l := range walktest.SortedLogs(byLog) {
		all := byLog[l]
		words = append(words, furtherWords(l, all)...)
		words = append(words, structuredWords(l, all)...)
		words = append(words, orderWords(l, all)...)
	}
	words = append(words, batchWords(byLog)...)
	for _, all := range byLog {
		if slices.ContainsFunc(all, func(a arrived) bool { return a.id == "" && a.format != read.Journal }) {
			words = append(words, walktest.Word("", finding.BatchIDAbsent, 0, 0))
		}
		if slices.ContainsFunc(all, func(a arrived) bool { return a.format == read.SplunkExport }) {
			words = append(words, walktest.Word("", finding.SourceNoRecord, 0, 0)) // the row that ends an export
		}
	}
	return words
}

// listed is how many findings of one kind there are at most; one more counts the
// others.
const listed = 16

// runWords is one finding for each run of neighbouring sequences.
func runWords(l facts.Log, code finding.Code, sequences []uint64) []string {
	slices.Sort(sequences)
	var runs [][2]uint64
	for _, n := range sequences {
		if last := len(runs) - 1; last >= 0 && n <= runs[last][1]+1 {
			runs[last][1] = n
			continue
		}
		runs = append(runs, [2]uint64{n, n})
	}
	return rangeWords(l.LogID, code, runs)
}

func rangeWords(logID string, code finding.Code, runs [][2]uint64) []string {
	var words []string
	for _, r := range runs[:min(len(runs), listed)] {
		words = append(words, walktest.Word(logID, code, r[0], r[1]))
	}
	if len(runs) > listed {
		words = append(words, walktest.Word(logID, code, 0, 0))
	}
	return words
}

// furtherWords is about the second and later arrivals of each copy, by how they
// came: in another source, under another batch, or in all the same way.
func furtherWords(l facts.Log, all []arrived) []string {
	first := map[string]arrived{}
	kinds := [3][]uint64{}
	for _, a := range all {
		f, again := first[a.line]
		switch {
		case !again:
			first[a.line] = a
		case a.source != f.source:
			kinds[0] = append(kinds[0], a.sequence)
		case a.id != f.id || a.where != f.where:
			kinds[1] = append(kinds[1], a.sequence)
		default:
			kinds[2] = append(kinds[2], a.sequence)
		}
	}
	var words []string
	for _, k := range kinds {
		words = append(words, runWords(l, finding.DuplicateDelivery, k)...)
	}
	return words
}

// firsts are the first arrivals of the sequences of a log, ascending.
func firsts(all []arrived) []arrived {
	first := map[uint64]arrived{}
	for _, a := range all {
		if _, again := first[a.sequence]; !again {
			first[a.sequence] = a
		}
	}
	return slices.SortedFunc(maps.Values(first), func(a, b arrived) int { return cmp.Compare(a.sequence, b.sequence) })
}

// structuredWords is about the sequences of which the first copy never came as
// the text that it was.
func structuredWords(l facts.Log, all []arrived) []string {
	best := map[string]read.Fidelity{}
	for _, a := range all {
		if b, known := best[a.line]; !known || a.fidelity < b {
			best[a.line] = a.fidelity
		}
	}
	var whole, lossy []uint64
	for _, f := range firsts(all) {
		switch {
		case best[f.line] <= read.Unquoted:
		case spoilt(f.line):
			lossy = append(lossy, f.sequence)
		default:
			whole = append(whole, f.sequence)
		}
	}
	return append(runWords(l, finding.BodyStructured, whole), runWords(l, finding.BodyStructured, lossy)...)
}

// orderWords is about the order of a log's sequences within each source.
func orderWords(l facts.Log, all []arrived) []string {
	newest := map[[sha256.Size]byte]int{}
	for _, f := range firsts(all) {
		if last, seen := newest[f.source]; seen && f.record < last {
			return []string{walktest.Word(l.LogID, finding.Reordered, 0, 0)}
		}
		newest[f.source] = f.record
	}
	return nil
}

// batchWords is about the batches, by the log of which a batch holds events.
func batchWords(byLog map[facts.Log][]arrived) []string {
	byID := map[string][]arrived{}
	for _, l := range walktest.SortedLogs(byLog) {
		for _, a := range byLog[l] {
			if a.id != "" {
				byID[a.id] = append(byID[a.id], a)
			}
		}
	}
	found := map[facts.Log]map[finding.Code][][2]uint64{}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		all := byID[id]
		l := all[0].log
		span := spanOf(all)
		if found[l] == nil {
			found[l] = map[finding.Code][][2]uint64{}
		}
		for _, code := range batchCodes(id, all) {
			found[l][code] = append(found[l][code], span)
		}
	}
	var words []string
	for l, codes := range found {
		for code, spans := range codes {
			if code == finding.BatchRedelivered { // is said once
				for _, s := range spans {
					spans[0] = [2]uint64{min(spans[0][0], s[0]), max(spans[0][1], s[1])}
				}
				spans = spans[:1]
			}
			words = append(words, rangeWords(l.LogID, code, spans)...)
		}
	}
	return words
}

// spanOf is the first and the last sequence of those in the first log.
func spanOf(all []arrived) [2]uint64 {
	span := [2]uint64{all[0].sequence, all[0].sequence}
	for _, a := range all {
		if a.log == all[0].log {
			span = [2]uint64{min(span[0], a.sequence), max(span[1], a.sequence)}
		}
	}
	return span
}

// batchCodes judges what came under one id: whether a copy came twice, whether
// the copies are one batch, and whether the id is the one that it gives.
func batchCodes(id string, all []arrived) (codes []finding.Code) {
	copies := map[string]arrived{}
	places := map[[2]string]bool{}
	for _, a := range all {
		copies[a.line] = a
		places[[2]string{a.log.LogID, string(rune(a.sequence))}] = true
	}
	if len(copies) < len(all) {
		codes = append(codes, finding.BatchRedelivered)
	}
	genuine := genuineRun(id, slices.Collect(maps.Values(copies)))
	raw, err := hex.DecodeString(id)
	switch {
	case len(places) < len(copies), genuine > 0 && len(copies) > genuine:
		codes = append(codes, finding.BatchIDReused)
	case genuine == 0 && err == nil && len(raw) == sha256.Size:
		codes = append(codes, finding.BatchIncomplete)
	}
	return codes
}

// genuineRun tries every run of neighbours, and returns the length of the one
// that gives the id. Where copies of a sequence differ it need not find it.
func genuineRun(id string, copies []arrived) int {
	slices.SortFunc(copies, func(a, b arrived) int {
		return cmp.Or(cmp.Compare(a.log.LogID, b.log.LogID), cmp.Compare(a.sequence, b.sequence), cmp.Compare(a.hash, b.hash))
	})
	for from := range copies {
		var run []walktest.Copy
		for i, c := range copies[from:] {
			if c.log != copies[from].log || c.sequence != copies[from].sequence+uint64(i) {
				break
			}
			if run = append(run, c.Copy); batchID(run) == id {
				return len(run)
			}
		}
	}
	return 0
}
