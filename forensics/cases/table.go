package cases

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
)

// exam is the evidence that an investigator is given, and how it is examined.
type exam struct {
	scene   string
	given   []string
	crossed bool
	late    bool // the user says that all of it was collected long after the events
}

// fixture is how a code is made, and how nearly.
type fixture struct {
	code      finding.Code
	by, near  string         // scripts
	given     []string       // the paths of the evidence that are ingested
	nearGiven []string       // the near miss's, if others
	also      []finding.Code // other codes that the script must lead to, once or more
	nearAlso  []finding.Code // codes that the near miss must lead to, once or more
	about     extent
	scene     string                              // "" is the fleet
	of        func(*fleet.Evidence) tamper.Damage // in the place of by: the damage of the scene itself
	crossed   bool                                // found by a crosscheck, and not by a walk
	late      bool                                // found if all was collected long after the events
}

// examOf returns the exam: the evidence that an investigator gets after the script, and its
// examination.
func (x fixture) examOf() exam {
	scene := fleet.Scene
	if x.scene != "" {
		scene = x.scene
	}
	return exam{scene, x.given, x.crossed, x.late}
}

// nearExam is the exam for the near miss. For a scene with an abuse, it is the scene without.
func (x fixture) nearExam() exam {
	near := x.examOf()
	if x.scene != "" {
		near.scene = "unabused"
	}
	if x.nearGiven != nil {
		near.given = x.nearGiven
	}
	return near
}

// expectFinding is the finding that there must be after the damage.
func (x fixture) expectFinding(d tamper.Damage) finding.Finding {
	f := finding.Finding{Code: x.code}.Complete()
	if x.about != nothing {
		f.LogID = d.LogID
	}
	if x.about == events {
		f.Sequence, f.LastSequence = d.First, d.Last
	}
	return f
}

// extent is how closely a code locates the damage.
type extent int

const (
	events   extent = iota // the log and the events
	wholeLog               // the log
	nothing                // neither
)

// The paths that an investigator is given.
var (
	collected = []string{fleet.TenantLog, "journals", fleet.Checkpoints, "cursors", "bundles"}
	exported  = []string{fleet.TenantLog, fleet.Checkpoints, "cursors", "bundles"}  // and no journals
	unproven  = []string{fleet.TenantLog, "journals", fleet.Checkpoints, "cursors"} // and no bundles
	collector = with(collected, "stores/collector")
	objects   = with(collected, "stores/s3")
	loki      = with(collected, "stores/loki/query.jsonl")
	bodymap   = with(collected, "stores/elasticsearch/bodymap.jsonl")
)

// firstBundle is the path of one bundle.
const firstBundle = "bundles/svc-evidence-tx-2026-0001.json"

// before precedes paths that are ingested twice: once as they were, and once as they are after
// the script.
const before = "before"

func bothOf(paths []string) []string { return with([]string{before}, paths...) }

func with(paths []string, more ...string) []string { return slices.Concat(paths, more) }

// one is a list of one code, for the tables.
func one(code finding.Code) []finding.Code { return []finding.Code{code} }

// codeFixtures are the fixtures of all codes, in the order of the registry.
func codeFixtures() []fixture {
	return slices.Concat(eventFixtures, chainFixtures, anchorFixtures, batchFixtures, sourceFixtures, crossFixtures)
}

var eventFixtures = []fixture{
	{code: finding.HashMismatch, by: "alter-body", near: "near-carriage-returns", given: collected},
	{code: finding.HashMismatch, by: "alter-recorded-hash", near: "near-carriage-returns", given: collected},
	{code: finding.HashMismatch, by: "forge-far-event", near: "near-append", given: collected},
	{code: finding.HashMismatch, by: "alter-in-structure", near: "near-structured-store",
		given: with(exported, "stores/elasticsearch/bodymap.jsonl")},
	{code: finding.HashMismatchLossy, by: "lose-octet", near: "near-structured-store",
		given: with(exported, "stores/elasticsearch/bodymap.jsonl"), also: one(finding.BodyStructured)},
	{code: finding.SignatureInvalid, by: "alter-signature", near: "near-older-key", given: collected},
	{code: finding.SignatureInvalid, by: "forge-next-events", near: "near-append", given: collected},
	{code: finding.KeyUnknown, by: "unknown-key", near: "near-older-key", given: collected},
	{code: finding.KeyUnknown, by: "untrusted-generation", near: "near-older-key", given: collected,
		also: []finding.Code{finding.AnchorKeyUnknown, finding.ReportKeyUnknown, finding.TailUnanchored}},
	{code: finding.KeyOfOtherNode, by: "other-nodes-key", near: "near-older-key", given: collected},
	{code: finding.KeyOfOtherNode, by: "splice", near: "near-foreign-file", given: collected,
		also: one(finding.HashMismatch), nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.AlteredCopy, by: "alter-at-store", near: "near-store", given: loki},
	{code: finding.AlteredCopy, by: "alter-in-structure", near: "near-structured-store", given: bodymap},
	{code: finding.AlteredCopy, by: "lose-octet-and-alter", near: "lose-octet", given: bodymap,
		nearAlso: one(finding.LossyCopy)},
	{code: finding.LossyCopy, by: "lose-octet", near: "near-structured-store", given: bodymap},
	{code: finding.OtherTenant, by: "other-tenants-log", near: "near-other-tenant",
		given: with(collected, "other.ndjson")},
	{code: finding.TimeRegression, by: "clock-set-back", near: "near-clock-set-back", given: collected},
	{code: finding.TimeSkew, by: "late-export", near: "near-late-export", given: with(exported, "stores/collector/json")},
	{code: finding.TimeSkew, by: "clock-behind", near: "near-late-export", given: with(exported, "stores/collector/json")},
	{code: finding.DuplicateDelivery, by: "duplicate", near: "near-deep-folder", given: collected},
	{code: finding.Reordered, by: "reorder", near: "near-blank-line", given: collected, about: wholeLog},
	{code: finding.BodyTruncated, by: "cut-body", near: "near-long-body",
		given: with(collected, "stores/splunk/long.jsonl"), also: one(finding.SourceNoRecord),
		nearAlso: []finding.Code{finding.BatchIDAbsent, finding.DuplicateDelivery, finding.SourceNoRecord}},
	{code: finding.BodyStructured, by: "respace-event", near: "near-carriage-returns", given: collected},
	{code: finding.Ambiguous, by: "duplicate-member", near: "near-long-line", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.Malformed, by: "unknown-member", near: "near-append", given: collected},
	{code: finding.NotRead, by: "hide-event", near: "near-other-service", given: loki, about: nothing,
		also: one(finding.BatchIncomplete), nearAlso: one(finding.SourceNoRecord)},
}

var chainFixtures = []fixture{
	{code: finding.LinkBroken, by: "broken-link", near: "near-append", given: collected},
	{code: finding.LinkBroken, by: "broken-skip", near: "near-append", given: collected},
	{code: finding.Gap, by: "delete-at-source", near: "delete-at-store", given: collected, nearGiven: loki},
	{code: finding.GapUnread, by: "garbage-for-event", near: "near-blank-line", given: collected,
		also: one(finding.SourceUnparseable)},
	{code: finding.GapBetween, by: "earlier-copy-and-end", near: "near-blank-line", given: with(collected, "elsewhere")},
	{code: finding.Unconnected, by: "sign-far-event", near: "near-sign-far-event", given: collected,
		nearAlso: []finding.Code{finding.Gap, finding.TailUnanchored}},
	{code: finding.Fork, by: "fork", near: "near-copied-journal", given: collected},
	{code: finding.Fork, by: "restore-backup", near: "near-restored-backup", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.Fork, by: "second-copy", near: "near-restored-backup", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.Fork, by: "rewrite-store", near: "near-store", given: loki, also: one(finding.BatchIncomplete)},
	{code: finding.Fork, by: "restart", near: "near-foreign-file", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.HeadMissing, by: "delete-head", near: "near-blank-line", given: collected},
	{code: finding.TailTruncated, by: "truncate-tail", near: "near-cut-at-anchor", given: collected, late: true},
	{code: finding.TailMissing, by: "truncate-tail", near: "near-cut-at-anchor", given: collected},
	{code: finding.TailUnread, by: "cut-journal", near: "near-carriage-returns", given: collected,
		also: one(finding.SourcePartialTail)},
	{code: finding.TailUnread, by: "garbage-for-tail", near: "near-garbage-at-end", given: collected,
		also: one(finding.SourceUnparseable), nearAlso: one(finding.SourceUnparseable)},
	{code: finding.TailUnanchored, by: "unanchored-event", near: "near-append", given: collected},
	{code: finding.TailUnanchored, by: "remove-newest-anchors", near: "near-remove-older-anchors", given: collected},
	{code: finding.Absent, by: "remove-journal", near: "near-copied-journal", given: collected},
	{code: finding.Gone, by: "empty-journal", near: "remove-journal", given: collected, also: one(finding.SourceNoRecord),
		nearAlso: one(finding.Absent)},
	{code: finding.Quiet, by: "silence", near: "near-silence", given: collected},
	{code: finding.IssuedTwice, by: "issued-twice", near: "near-issued", given: collected},
	{code: finding.RevokedTwice, by: "revoked-twice", near: "near-revoked", given: collected},
}

var anchorFixtures = []fixture{
	{code: finding.AnchorMismatch, by: "rewrite-tail", near: "near-repeated-cursor", given: collected,
		also: one(finding.TailUnanchored)},
	{code: finding.AnchorMismatch, by: "rewrite-tail-and-cursors", near: "near-repeated-cursor", given: collected,
		also: one(finding.SplitView)},
	{code: finding.SplitView, by: "split-view", near: "near-repeated-checkpoint", given: collected},
	{code: finding.CheckpointRollback, by: "rollback", near: "near-rollback", given: collected},
	{code: finding.CheckpointUnderQuorum, by: "under-quorum", near: "near-quorum", given: collected},
	{code: finding.AnchorSignatureInvalid, by: "checkpoint-altered-signature", near: "near-checkpoint-older-key",
		given: collected},
	{code: finding.AnchorKeyUnknown, by: "checkpoint-unknown-key", near: "near-checkpoint-older-key",
		given: collected},
	{code: finding.AnchorSignatureInvalid, by: "cursor-altered-signature", near: "near-cursor-older-key",
		given: collected},
	{code: finding.AnchorKeyUnknown, by: "cursor-unknown-key", near: "near-cursor-older-key", given: collected},
	{code: finding.CursorKeyOfOtherNode, by: "cursor-other-node", near: "near-cursor-older-key", given: collected},
	{code: finding.ReportSignatureInvalid, by: "report-altered-head", near: "near-report", given: collected},
	{code: finding.ReportSignatureInvalid, by: "report-altered-signature", near: "near-report", given: collected},
	{code: finding.ReportKeyUnknown, by: "report-unknown-key", near: "near-report", given: collected},
	{code: finding.ReportSignatureInvalid, by: "report-other-node", near: "near-report", given: collected},
	{code: finding.DocumentMalformed, by: "checkpoint-of-nothing", near: "near-indented-checkpoint",
		given: with(collected, "checkpoint.json")},
}

var batchFixtures = []fixture{
	{code: finding.BatchRedelivered, by: "redeliver-batch", near: "near-delivered-once",
		given: with(collected, "stores/loki/second.jsonl"), nearGiven: loki, also: one(finding.DuplicateDelivery)},
	{code: finding.BatchIDReused, by: "reuse-batch-id", near: "near-delivered-once", given: loki},
	{code: finding.BatchIncomplete, by: "cut-batch", near: "delete-at-store", given: loki},
	{code: finding.BatchIDAbsent, by: "drop-batch-ids", near: "near-delivered-once", given: loki},
}

var sourceFixtures = []fixture{
	{code: finding.SourcePartialTail, by: "cut-line-feed", near: "near-carriage-returns", given: collected},
	{code: finding.SourceTruncated, by: "cut-frame", near: "near-cut-between-frames", given: collector},
	{code: finding.SourceTruncated, by: "cut-gzip", near: "near-inflated-object", given: objects},
	{code: finding.SourceTruncated, by: "cut-zstd", near: "near-store", given: collector},
	{code: finding.SourceTrailingData, by: "gzip-trailing-data", near: "near-two-members", given: objects},
	{code: finding.SourceSeveral, by: "two-documents", near: "near-split-export", given: collector},
	{code: finding.SourceUnparseable, by: "garbage", near: "near-blank-line", given: collected},
	{code: finding.SourceInvalidUTF8, by: "invalid-utf8-event", near: "near-byte-order-mark", given: collected},
	{code: finding.SourceInvalidUTF8, by: "invalid-utf8-event", near: "near-invalid-attribute", given: collected,
		nearGiven: collector},
	{code: finding.SourceInvalidUTF8, by: "invalid-utf8-event", near: "near-other-text", given: collected,
		nearGiven: collector},
	{code: finding.SourceLimit, by: "huge-line", near: "near-long-line", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.SourceUnknownFormat, by: "unknown-file", near: "near-odd-name", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.SourceListed, by: "program", near: "near-odd-name", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.SourceNoRecord, by: "other-signal", near: "near-exported-again", given: collector},
	{code: finding.SourceAmbiguous, by: "duplicate-body", near: "near-attribute-twice", given: collector},
	{code: finding.SourceUnreadable, by: "lose-file", near: "near-blank-line", given: with(collected[:4], firstBundle)},
	{code: finding.SourceNotEvidence, by: "named-pipe", near: "near-deep-folder", given: collected},
	{code: finding.SourceNotEvidence, by: "symbolic-link", near: "near-deep-folder", given: collected},
	{code: finding.SourceNotEvidence, by: "database", near: "near-odd-name", given: collected,
		nearAlso: one(finding.DuplicateDelivery)},
	{code: finding.SourceChanged, by: "replace-file", near: "near-repeated-checkpoint", given: bothOf(collected)},
	{code: finding.LimitReached, by: "flood", near: "near-crowd", given: collected, also: one(finding.AlteredCopy),
		nearAlso: one(finding.AlteredCopy)},
	{code: finding.NothingExamined, by: "remove-everything", near: "near-blank-line", given: nil, nearGiven: collected},
}

var crossFixtures = []fixture{
	{code: finding.BundleRejected, by: "alter-bundle", near: "near-quorum", given: collected, about: nothing,
		crossed: true},
	{code: finding.BundleRejected, by: "bundle-impossible-key", near: "near-quorum", given: collected, about: nothing,
		crossed: true},
	{code: finding.BundleKeyUnknown, by: "bundle-unknown-key", near: "near-quorum", given: collected, about: nothing,
		crossed: true},
	{code: finding.StatementNotCovered, by: "remove-journal", near: "near-copied-journal", given: collected,
		about: wholeLog, crossed: true},
	{code: finding.NotInJournal, scene: "stolen-approval", of: journalOfOslo, given: collected, about: wholeLog,
		crossed: true},
	{code: finding.ApprovalDenied, scene: "overruled-denial", of: denialOfOslo, given: collected, crossed: true},
	{code: finding.NotInLog, scene: "hidden-approval", of: tenantLog, given: collected, about: wholeLog,
		crossed: true},
	{code: finding.ApprovalUnrecorded, scene: "lost-answer", of: approvalOfParis, given: collected, crossed: true},
	{code: finding.NotInLog, scene: "hidden-decision", of: tenantLog, given: collected, about: wholeLog,
		crossed: true},
	{code: finding.NotInJournal, scene: "stolen-receipt", of: journalOfOslo, given: collected, about: wholeLog,
		crossed: true},
	{code: finding.NotInJournal, scene: "stolen-capability", of: journalOfOslo, given: collected,
		about: wholeLog, crossed: true},
	{code: finding.EventNotInLog, by: "forged-issuance", near: "near-quorum", given: collected, crossed: true,
		also: one(finding.NotInJournal)},
	{code: finding.EventNotInLog, by: "forged-revocation", near: "near-quorum", given: collected, crossed: true,
		also: one(finding.NotInJournal)},
	{code: finding.RevocationWithheld, by: "withheld-revocation", near: "near-quorum", given: collected, crossed: true},
	{code: finding.IssuedWhilePaused, scene: "paused", of: issuanceOfTransaction, given: collected, crossed: true},
	{code: finding.IssuedWhilePaused, by: "issued-while-paused", near: "near-issued-after-pause", given: collected,
		crossed: true},
	{code: finding.ResumeWithoutRequest, by: "resumed-without-request", near: "near-issued-after-pause", given: collected,
		crossed: true},
	{code: finding.RecordLate, by: "approval-after-issuance", near: "near-decision-before-issuance", given: collected,
		crossed: true},
	{code: finding.RecordLate, by: "decision-after-issuance", near: "near-decision-before-issuance", given: collected,
		crossed: true},
	{code: finding.WithoutTransaction, by: "issued-without-transaction", near: "near-issued", given: collected,
		crossed: true},
	{code: finding.WithoutTransaction, by: "revoked-without-transaction", near: "near-revoked", given: collected,
		crossed: true},
	{code: finding.RecordContradicts, by: "record-other-decision", near: "near-decision-before-issuance", given: collected,
		crossed: true},
	{code: finding.RecordContradicts, by: "record-other-domain", near: "near-decision-before-issuance", given: collected,
		crossed: true},
	{code: finding.RecordContradicts, by: "record-other-sequence", near: "near-witness-again", given: collected,
		crossed: true},
	{code: finding.RecordContradicts, by: "approval-again-at-node", near: "near-approval-in-both", given: collected,
		crossed: true},
	{code: finding.RecordContradicts, by: "approval-again-in-log", near: "near-approval-in-both", given: collected,
		crossed: true},
	{code: finding.RecordDisputed, by: "approval-again-at-node", near: "near-approval-in-both", given: unproven,
		crossed: true, also: one(finding.RecordDisputed)},
	{code: finding.RecordDisputed, by: "approval-again-in-log", near: "near-approval-in-both", given: unproven,
		crossed: true, also: one(finding.RecordDisputed)},
	{code: finding.RecordDisputed, by: "approval-of-two-transactions", near: "near-approval-in-both", given: collected,
		crossed: true, also: one(finding.RecordDisputed)},
	{code: finding.RecordDisputed, by: "approval-of-nothing", near: "near-approval-in-both", given: unproven,
		crossed: true, also: one(finding.RecordDisputed)},
	{code: finding.WrongLog, by: "tenant-event-in-journal", near: "near-append", given: collected, crossed: true},
	{code: finding.WrongLog, by: "node-event-in-tenant-log", near: "near-issued", given: collected, crossed: true},
	{code: finding.WitnessOtherHistory, by: "two-witness-other-history", near: "near-witness-again", given: collected,
		crossed: true},
	{code: finding.RecordDisputed, by: "witness-other-history", near: "near-witness-again", given: collected,
		crossed: true, also: one(finding.RecordDisputed)},
	{code: finding.WitnessRegressed, by: "witness-older-head", near: "near-witness-again", given: collected,
		crossed: true},
	{code: finding.SourceDisagrees, by: "delete-at-store", near: "near-delivered-once", given: loki, crossed: true},
	{code: finding.JournalLacks, by: "delete-head", near: "near-blank-line", given: loki, crossed: true},
	{code: finding.JournalLacks, by: "delete-at-source", near: "near-foreign-file", given: loki, crossed: true},
	{code: finding.JournalLacks, by: "empty-journal", near: "remove-journal", given: loki, crossed: true},
	{code: finding.JournalEndsEarly, by: "truncate-tail", near: "near-copied-journal", given: loki, crossed: true},
	{code: finding.SourceAltered, by: "alter-at-store", near: "near-delivered-once", given: loki, crossed: true},
	{code: finding.SourceAltered, by: "alter-in-structure", near: "near-structured-store", given: bodymap, crossed: true},
	{code: finding.SourceAltered, by: "lose-octet-and-alter", near: "lose-octet", given: bodymap, crossed: true},
}

// abused is the transaction that the scenes with an abuse are about.
const abused = "tx-2026-0666"

func journalOfOslo(*fleet.Evidence) tamper.Damage {
	return tamper.Damage{LogID: "node/mesh-oslo-1", File: fleet.Journal("mesh-oslo-1")}
}

func tenantLog(*fleet.Evidence) tamper.Damage {
	return tamper.Damage{LogID: "tenant/" + harness.Tenant, File: fleet.TenantLog}
}

// eventOf is the event of the abused transaction in a log.
func eventOf(d tamper.Damage, events []seal.Object, eventType string) tamper.Damage {
	for _, event := range events {
		body := seal.Member(event, "body")
		if seal.Text(body, "type") == eventType && seal.Text(body, "transaction_id") == abused {
			d.First = uint64(seal.Integer(body, "sequence"))
			d.Last = d.First
		}
	}
	return d
}

func denialOfOslo(e *fleet.Evidence) tamper.Damage {
	return eventOf(journalOfOslo(e), e.Scene.Journals["mesh-oslo-1"], "approval.signed")
}

func approvalOfParis(e *fleet.Evidence) tamper.Damage {
	return eventOf(tamper.Damage{LogID: "node/mesh-paris-1", File: fleet.Journal("mesh-paris-1")},
		e.Scene.Journals["mesh-paris-1"], "approval.signed")
}

func issuanceOfTransaction(e *fleet.Evidence) tamper.Damage {
	return eventOf(tenantLog(e), e.Scene.Tenant, "issuance.completed")
}
