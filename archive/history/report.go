package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/change"
)

// Schema names the JSON form of a [Report].
const Schema = "svc-verify/trust-history/v1"

// Question contains the questions to a history besides whether it verifies. The zero Question
// asks nothing.
type Question struct {
	At          time.Time          // which version was in force then; may be zero
	Trust       *[sha256.Size]byte // whether the file with this digest is a version
	Expect      *[sha256.Size]byte // that an entry has this digest
	From, Until time.Time          // which pins there were in this time; zero for no limit
}

// Report is the content of a history, as far as it verifies.
type Report struct {
	Schema      string               `json:"schema"`
	Verdict     outcome.Class        `json:"verdict"`
	NotExamined []string             `json:"not_examined"`
	SealTrust   string               `json:"seal_trust_sha256"`
	Entries     int                  `json:"entries"`      // that hold
	Newest      string               `json:"newest_entry"` // the digest of the last of them; "" without one
	InForce     int64                `json:"in_force"`     // the version that was in force; 0 if none was, or if not asked
	Recorded    []int64              `json:"recorded"`     // the versions that the given trust file is
	Versions    []Recorded           `json:"versions"`     // in force at, or in, the time asked about; or all
	Keys        []Pinned             `json:"keys"`         // that were pinned in that time
	Findings    []finding.InDocument `json:"findings"`
	Limitations []string             `json:"limitations"`
}

// Recorded is one version of the trust file.
type Recorded struct {
	Number      int64              `json:"number"`
	EntrySHA256 string             `json:"entry_sha256"`
	TrustSHA256 string             `json:"trust_sha256"`
	From        string             `json:"in_force_from"`
	Until       string             `json:"in_force_until"` // when the next one came into force; "" for the newest
	By          string             `json:"by"`
	Signer      string             `json:"signer"`
	Reason      string             `json:"reason"`
	Kept        bool               `json:"kept"`              // the trust file is in the folder, and is the one
	Changes     *change.Difference `json:"changes,omitempty"` // since the version before, if both are kept
}

// Pinned is a key, or the pin of a registry, and the time for which versions pinned it
// without a break. A version whose file is not kept breaks it.
type Pinned struct {
	Role    string `json:"role"` // the role of the key, or registry
	ID      string `json:"id"`
	SHA256  string `json:"sha256"`
	From    string `json:"from"`
	PutIn   int64  `json:"put_in"` // the version
	PutInBy string `json:"put_in_by"`
	Until   string `json:"until"`     // "" if the newest version pins it
	TakenIn int64  `json:"taken_out"` // the version without it; 0 if the newest version pins it
	TakenBy string `json:"taken_out_by"`
}

// limitations name the points that a history does not prove (SPEC 18.5).
var limitations = []string{
	"The signatures show who vouches for each version. Its time of entry into force is the signer's statement; a seal " +
		"with a token over the folder shows that the history was there by a time.",
	"A history that was cut off at its end, or put back to an earlier state, verifies. Keep the digest of its newest " +
		"entry elsewhere, and give it with --expect.",
	"A signer can keep two histories, and show each to others.",
}

// Verify verifies a history, and answers the question. Its error is that the folder
// could not be read.
func (f Folder) Verify(trusted *sealkey.Trust, q Question) (*Report, error) {
	if !q.At.IsZero() && q.From.IsZero() && q.Until.IsZero() {
		q.From, q.Until = q.At, q.At.Add(time.Millisecond)
	}
	doc, err := f.Entries()
	if err != nil {
		return nil, err
	}
	held, broken := chain(doc, trusted)
	sum := trusted.SHA256()
	r := &Report{Schema: Schema, SealTrust: hex.EncodeToString(sum[:]), Entries: len(held), Recorded: []int64{},
		Versions: []Recorded{}, NotExamined: []string{}, Findings: []finding.InDocument{},
		Limitations: limitations}
	if broken != nil {
		r.Findings = append(r.Findings, *broken)
		r.NotExamined = append(r.NotExamined, fmt.Sprintf("what comes after %s", safetext.Count(len(held), "entry")))
	}
	if len(held) > 0 {
		r.Newest = hex.EncodeToString(held[len(held)-1].Digest[:])
	} else if broken == nil {
		r.find(HistoryEmpty, "", "at least one entry", "none")
	}
	if err := r.versions(f, held, q); err != nil {
		return nil, err
	}
	r.answer(held, q)
	r.Verdict = object.WorstOf(r.Findings)
	return r, nil
}

func (r *Report) find(code finding.Code, path, expected, found string) {
	r.Findings = append(r.Findings, finding.At(code, path, expected, found))
}

// versions reads the trust files, and records the changes of each.
func (r *Report) versions(f Folder, held []Entry, q Question) error {
	t := newTimeline()
	var before *trust.Root
	for i := range held {
		e := &held[i]
		root, err := r.kept(f, e)
		if err != nil {
			return err
		}
		v := Recorded{Number: e.Number, EntrySHA256: hex.EncodeToString(e.Digest[:]),
			TrustSHA256: hex.EncodeToString(e.Trust[:]),
			From:        form.FormatTime(e.From), By: e.By, Signer: e.signer, Reason: e.Reason, Kept: root != nil}
		until := time.Time{}
		if i+1 < len(held) {
			until = held[i+1].From
			v.Until = form.FormatTime(until)
		}
		if root != nil && before != nil {
			d := change.Between(before, root, 1)
			v.Changes = &d
		}
		t.add(e, root)
		if q.overlaps(e.From, until) {
			r.Versions = append(r.Versions, v)
		}
		before = root
	}
	r.Keys = t.between(q)
	return nil
}

// overlaps reports whether a time, without end if until is zero, and the time asked
// about have a moment in common.
func (q Question) overlaps(from, until time.Time) bool {
	return (q.Until.IsZero() || from.Before(q.Until)) && (until.IsZero() || q.From.Before(until))
}

// kept reads the trust file of an entry; nil if it is not there or not the one.
func (r *Report) kept(f Folder, e *Entry) (*trust.Root, error) {
	name := TrustFile(e.Trust)
	doc, err := f.Trust(e.Trust)
	if errors.Is(err, fs.ErrNotExist) {
		r.once(HistoryTrustMissing, name, "the trust file of version "+
			strconv.FormatInt(e.Number, 10), "no such file")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(doc); sum != e.Trust || int64(len(doc)) != e.Size {
		r.once(HistoryTrustAltered, name, fmt.Sprintf("%d octets with the digest %x", e.Size, e.Trust),
			fmt.Sprintf("%d octets with the digest %x", len(doc), sum))
		return nil, nil
	}
	root, err := trust.Parse(doc)
	if err != nil {
		r.once(HistoryTrustAltered, name, "a trust file that can be used", "one with faults")
		return nil, nil
	}
	return root, nil
}

// once adds a finding, unless it is there: several versions can be one file.
func (r *Report) once(code finding.Code, path, expected, found string) {
	if !slices.ContainsFunc(r.Findings, func(f finding.InDocument) bool { return f.Code == code && f.Path == path }) {
		r.find(code, path, expected, found)
	}
}

// answer answers the question.
func (r *Report) answer(held []Entry, q Question) {
	if !q.At.IsZero() {
		for i := range held {
			if !held[i].From.After(q.At) {
				r.InForce = held[i].Number
			}
		}
		if r.InForce == 0 {
			r.find(HistoryNotInForce, "", "a version in force at "+form.FormatTime(q.At), "none")
		}
	}
	if q.Trust != nil {
		for i := range held {
			if held[i].Trust == *q.Trust {
				r.Recorded = append(r.Recorded, held[i].Number)
			}
		}
		if len(r.Recorded) == 0 {
			r.find(HistoryCut, "", fmt.Sprintf("a version with the digest %x", *q.Trust), "none")
		}
	}
	if q.Expect != nil && !slices.ContainsFunc(held, func(e Entry) bool { return e.Digest == *q.Expect }) {
		r.find(HistoryCut, "", fmt.Sprintf("an entry with the digest %x", *q.Expect), "none")
	}
}
