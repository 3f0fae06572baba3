package batch

import (
	"encoding/hex"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify"
)

// RecordSchema names the JSON form of a [Record].
const RecordSchema = "svc-verify/verify-record/v1"

// Record is the result of one entry. It always has every member, so that records are rows of
// one table. Its members about the bundle are set only if every check passed that is about the
// bundle alone (SPEC 8.1 to 8.21).
type Record struct {
	Schema  string        `json:"schema"`
	Name    string        `json:"name"`  // unique in the batch
	File    string        `json:"file"`  // the path as given or found; "-" is standard input
	Entry   string        `json:"entry"` // the name in the container that the file is, or ""
	Line    int64         `json:"line"`  // of the entry in the file, from 1, or 0
	Size    int64         `json:"size"`  // bytes that were read; for a bundle above the limit one more than that
	SHA256  string        `json:"sha256"`
	Verdict outcome.Class `json:"verdict"`
	Code    finding.Code  `json:"code"`   // of the first finding, "" for a verified bundle
	Path    string        `json:"path"`   // its RFC 6901 pointer in the bundle
	Reason  string        `json:"reason"` // a sentence

	TenantID           string `json:"tenant_id"`
	TransactionID      string `json:"transaction_id"`
	ManifestSHA256     string `json:"manifest_sha256"`
	CertificateSerial  string `json:"certificate_serial"`
	Status             string `json:"status"`
	CheckpointSequence uint64 `json:"checkpoint_sequence"`
	CheckpointHead     string `json:"checkpoint_head"`
	CheckpointCreated  string `json:"checkpoint_created_at"`
	Witnesses          int    `json:"witnesses"`

	CertificateNames []string `json:"certificate_names"`
	NotBefore        string   `json:"not_before"`
	NotAfter         string   `json:"not_after"`
	RevokedAt        string   `json:"revoked_at"`
	Freshness        string   `json:"freshness"`     // the requested age, in words
	SupersededBy     string   `json:"superseded_by"` // the name of the entry whose status counts in its place

	SameAs       string `json:"same_as"`      // the name of the first entry with the same bytes, if it is not this one
	Contradicted bool   `json:"contradicted"` // another bundle contradicts it
	Unexpected   bool   `json:"unexpected"`   // it was not among the expected ones
	TrustSHA256  string `json:"trust_sha256"`
}

// foreign enters that a document does not claim to be a bundle.
func (r *Record) foreign(in *bundle.Input) {
	r.SHA256 = hex.EncodeToString(in.SHA256[:])
	r.Verdict, r.Code, r.Reason = outcome.NotABundle, EntryForeign, EntryForeign.Sentence()
}

// setVerdict fills in the verdict on a bundle, and the established facts.
func (r *Record) setVerdict(in *bundle.Input, report *verify.Report) {
	r.SHA256 = hex.EncodeToString(in.SHA256[:])
	r.Verdict = outcome.Class(report.Verdict)
	if report.Verdict != verify.Verified {
		f := report.Decides()
		r.Code, r.Path, r.Reason = f.Code, f.Path, f.Remark()
	}
	if !report.Proven() {
		return
	}
	b, about := in.Bundle, report.About
	checkpoint := b.Checkpoint.Unverified()
	r.TenantID, r.TransactionID = about.TenantID, about.TransactionID
	r.ManifestSHA256, r.CertificateSerial = b.Manifest.Digest.String(), about.CertificateSerial
	r.Status, r.RevokedAt, r.Freshness = about.Status, about.RevokedAt, about.Freshness
	r.CertificateNames, r.NotBefore, r.NotAfter = about.CertificateNames, about.NotBefore, about.NotAfter
	r.CheckpointSequence, r.CheckpointHead = checkpoint.Sequence, checkpoint.Head.String()
	r.CheckpointCreated, r.Witnesses = about.AsOf, len(b.Witnesses)
}

// Proven reports whether the bundle passed every check that is about it alone.
func (r *Record) Proven() bool { return r.TransactionID != "" }

// supersede records that the status of a proven bundle does not count, so that the demands on
// a status (SPEC 8.23 to 8.25) neither hold nor fail.
func (r *Record) supersede(by string) {
	if r.judgedByStatus() {
		r.Verdict, r.Code, r.Path, r.Reason = outcome.Verified, "", "", ""
	}
	r.SupersededBy = by
}

// judgedByStatus reports whether a proven bundle is not accepted because of its status.
func (r *Record) judgedByStatus() bool {
	return r.Verdict != outcome.Verified && verify.OfStatus(r.Code)
}

// About returns the statements of a proven bundle.
func (r *Record) About() *verify.About {
	return &verify.About{TenantID: r.TenantID, TransactionID: r.TransactionID, CertificateSerial: r.CertificateSerial,
		Status: r.Status, Standing: verify.Standing{CertificateNames: r.CertificateNames, NotBefore: r.NotBefore,
			NotAfter: r.NotAfter, RevokedAt: r.RevokedAt, AsOf: r.CheckpointCreated, Freshness: r.Freshness}}
}

// Said returns the statements of a proven bundle as a sentence, and that it is superseded.
func (r *Record) Said() string {
	said := r.About().Sentence()
	if r.SupersededBy != "" {
		said = "superseded by " + safetext.Quote(r.SupersededBy) + ": it says " + said
	}
	return said
}

// unreadable enters that an entry could not be read.
func (r *Record) unreadable(err error) {
	r.Verdict, r.Code, r.Reason = outcome.Unreadable, EntryUnreadable, EntryUnreadable.Sentence()+": "+err.Error()
}

// placeOf returns where the entry is.
func (r *Record) placeOf() outcome.Place {
	return outcome.Place{File: r.File, Entry: r.Entry, Line: r.Line}
}
