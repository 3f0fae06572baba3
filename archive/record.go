package archive

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/outcome"
)

// RecordSchema names the JSON form of a [Record].
const RecordSchema = "svc-verify/archive-record/v1"

// Record is the result of one object. It always has every member, so that records are rows of
// one table. Unknown members are empty or 0.
type Record struct {
	Schema string `json:"schema"`
	Path   string `json:"path"` // as [object.PathText] writes it
	Class  Class  `json:"class"`
	From   string `json:"from"` // the path from which it moved
	Read   bool   `json:"read"` // in this run
	ReadAt string `json:"read_at"`

	// The present bytes, as they were read last.
	Size    int64         `json:"size"`
	SHA256  string        `json:"sha256"`
	Kind    object.Kind   `json:"kind"`
	Verdict outcome.Class `json:"verdict"`

	// The fault: the code that decides, the place in the object, and a sentence.
	Code    finding.Code `json:"code"`
	Pointer string       `json:"pointer"`
	Reason  string       `json:"reason"`

	// The state in the ledger, if other bytes are there.
	WasSize    int64         `json:"was_size"`
	WasSHA256  string        `json:"was_sha256"`
	WasVerdict outcome.Class `json:"was_verdict"`

	BitRot   bool     `json:"bit_rot"`  // suspected: size and time are as before
	Accepted bool     `json:"accepted"` // by its owner, as it is
	Changes  []string `json:"changes"`  // of replaced evidence: its different facts, with the former ones

	TenantID           string `json:"tenant_id"`
	TransactionID      string `json:"transaction_id"`
	Status             string `json:"status"`
	CheckpointSequence uint64 `json:"checkpoint_sequence"`

	// The proof that it is, or the first proofs and logs in it.
	Proofs      []object.Proof `json:"proofs"`
	MoreProofs  int64          `json:"more_proofs"`
	Logs        []object.Log   `json:"logs"`
	MoreLogs    int64          `json:"more_logs"`
	UnknownKeys []string       `json:"unknown_keys"` // that it rests on and the trust file lacks
	MayBeGood   bool           `json:"may_be_good"`  // under a trust file that has them
}

// newRecord returns the record of a path.
func newRecord(path string, class Class) *Record {
	return &Record{Schema: RecordSchema, Path: object.PathText(path), Class: class, Changes: []string{},
		Proofs: []object.Proof{}, Logs: []object.Log{}, UnknownKeys: []string{}}
}

// judge fills in the judgement of an object.
func (r *Record) judge(j *object.Judgement) {
	r.Kind, r.Verdict = j.Kind, j.Verdict
	r.Code, r.Pointer, r.Reason = j.Code, j.Pointer, j.Reason
	f := &j.Facts
	r.TenantID, r.TransactionID, r.Status = f.TenantID, f.TransactionID, f.Status
	r.CheckpointSequence = f.CheckpointSequence
	r.Proofs, r.MoreProofs = f.All()
	r.Logs, r.MoreLogs = append(r.Logs, f.Logs...), f.AllLogs-int64(len(f.Logs))
	r.UnknownKeys, r.MayBeGood = append(r.UnknownKeys, f.UnknownKeys...), f.MayBeGood
}

// octets fills in the size, digest and time of a reading.
func (r *Record) octets(size int64, sum [32]byte, at int64) {
	r.Size, r.SHA256, r.ReadAt = size, hex.EncodeToString(sum[:]), form.MomentText(at)
}

// was fills in the state in the ledger.
func (r *Record) was(o *ledger.Object) {
	r.WasSize, r.WasSHA256, r.WasVerdict = o.Size, hex.EncodeToString(o.SHA256[:]), o.Judgement.Verdict
}

// blame enters the fault that follows from the class of an object. The fault of its evidence
// comes after it.
func (r *Record) blame(code finding.Code, more string) {
	reason := code.Sentence()
	if more != "" {
		reason += ": " + more
	}
	if r.Reason != "" && r.Code != "" {
		reason += "; " + strings.TrimSpace(r.Pointer+" "+string(r.Code)) + ": " + r.Reason
	}
	r.Code, r.Pointer, r.Reason = code, "", reason
}

// recordOf returns the record of an object. Old is its former row in the ledger, and row its
// present one; both are empty but for the path if it is not known.
func recordOf(row, old *ledger.Object, b *became) *Record {
	r := newRecord(row.Path, b.class)
	r.Read, r.Accepted = b.read, b.accepted
	if row.Path != old.Path {
		r.From = object.PathText(old.Path)
	}
	if b.class == Missing || b.class == Unreadable || b.class == Ignored {
		r.was(old)
		r.Kind = old.Judgement.Kind
		if code := map[Class]finding.Code{Missing: ArchiveMissing, Unreadable: ArchiveUnreadable}[b.class]; code != "" {
			r.blame(code, b.fault)
		}
		return r
	}
	is := row.Present()
	r.octets(is.Size, is.SHA256, is.ReadAt)
	r.judge(&is.Judgement)
	r.compare(row, old, b)
	return r
}

// compare enters how an object that is there differs from its former row.
func (r *Record) compare(row, old *ledger.Object, b *became) {
	switch b.class {
	case Altered:
		r.was(old)
		r.BitRot = row.Found.Size == old.Size && row.Found.Modified == old.Modified
		more := ""
		if r.BitRot {
			more = "size and time are as before, so bit rot is likely"
		}
		r.blame(ArchiveAltered, more)
	case Replaced:
		r.was(old)
		r.Changes = differences(&old.Judgement.Facts, &row.Found.Judgement.Facts)
		code, more := ArchiveReplaced, strings.Join(r.Changes, ", ")
		if b.unlike {
			code, more = ArchiveAltered, strings.TrimSuffix("they verify as evidence about something else, "+more, ", ")
		}
		r.blame(code, more)
	case Grown, Repacked, VerdictChanged:
		r.was(old)
	case Stale:
		more := "it was never read"
		if row.ReadAt != 0 {
			more = "it was read at " + form.MomentText(row.ReadAt)
		}
		r.blame(ArchiveStale, more)
	}
	if b.lost {
		r.blame(ArchiveVerdictLost, "")
	}
}

// differences returns the facts in which evidence differs from its earlier statements.
func differences(was, is *object.Facts) []string {
	all := []string{}
	for _, fact := range []struct{ what, was, is string }{
		{"tenant", was.TenantID, is.TenantID},
		{"transaction", was.TransactionID, is.TransactionID},
		{"status", was.Status, is.Status},
		{"checkpoint sequence", number(was.CheckpointSequence), number(is.CheckpointSequence)},
		{"checkpoint time", was.AsOf, is.AsOf},
	} {
		if fact.was != fact.is {
			all = append(all, fmt.Sprintf("%s %s, was %s", fact.what, cmp.Or(fact.is, "unknown"), cmp.Or(fact.was, "unknown")))
		}
	}
	return all
}

// number writes a sequence; "" for none.
func number(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// Outcome returns the outcome of an object by itself, as the counts have it.
func (r *Record) Outcome() outcome.Class {
	entry, _ := finding.Lookup(r.Code)
	switch {
	case r.Code == ArchiveVerdictLost:
		return outcome.Rejected
	case entry.Group == "archive" && entry.Effect == finding.Rejects && r.Class != Intact && r.Class != Unread:
		return outcome.Rejected
	case r.Class == Unreadable:
		return outcome.Unreadable
	case r.Verdict == outcome.Rejected && !r.Accepted:
		return outcome.Rejected
	case r.Class == Stale || r.Verdict == outcome.Inconclusive && !r.Accepted:
		return outcome.Inconclusive
	}
	return outcome.Verified
}
