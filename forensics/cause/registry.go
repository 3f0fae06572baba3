package cause

import (
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// Code names a kind of cause.
type Code = finding.Code

// The codes.
const (
	TrustFileIncomplete Code = "cause.trust-file-incomplete"
	TrustFileWrong      Code = "cause.trust-file-wrong"
	OtherEnvironment    Code = "cause.other-environment"
	ForeignJournal      Code = "cause.foreign-journal"
	LogRenamed          Code = "cause.log-renamed"
	ForgedFarEvent      Code = "cause.forged-far-event"
	RestoredBackup      Code = "cause.restored-backup"
	StolenNodeKey       Code = "cause.stolen-node-key"
	AuditKeyMisused     Code = "cause.audit-key-misused"
	AlteredStore        Code = "cause.altered-store"
	LossyStore          Code = "cause.lossy-store"
	UnreadSource        Code = "cause.unread-source"
	CopyOrder           Code = "cause.copy-order"
	NotCollected        Code = "cause.not-collected"
	EventsDeleted       Code = "cause.events-deleted"
	TwoHistories        Code = "cause.two-histories"
	NodeKeyMisused      Code = "cause.node-key-misused"
	EitherKeyMisused    Code = "cause.either-key-misused"
)

// Codes returns the entries of all causes. In their sentences, {logs}, {keys},
// {what} and {stores} are replaced by what the cause is about. In the next step, {log} is
// replaced by the first log.
func Codes() []finding.Entry { return slices.Clone(registry) }

const (
	collectKey = "svc-verify trust explain TRUST: what is pinned; " +
		"collect the key from its holder, never from the evidence, and walk again"
	histories = "svc-verify show --case FILE --log {log} --sequence {sequence}: both events; " +
		"ask the owner whether a copy was restored, and from which state; " +
		"take the key for stolen until that is explained"
	others = "svc-verify ingest --case FILE PATH: give other copies of the log too, and walk again"
)

// registry is in the order in which causes that explain equally much are told:
// what is harmless and quickly checked first.
var registry = finding.Registry{
	{Code: TrustFileIncomplete,
		Sentence: "The trust file is incomplete: {keys} is not pinned, and {logs} rests on it.",
		Arises: "Statements are signed under a key id that is not pinned, and the events under it give their hashes; " +
			"or bundles name a registry that is not pinned, and nothing else is wrong with them.",
		Next: collectKey},
	{Code: TrustFileWrong,
		Sentence: "The trust file has a wrong key: the one under {keys} is not the one that signed {logs}.",
		Arises:   "Not one signature under a pinned key id holds, and the events under it give their hashes.",
		Next:     collectKey},
	{Code: OtherEnvironment,
		Sentence: "The trust file is for another environment or tenant than this evidence: {logs}.",
		Arises:   "Under nearly all key ids of the tenant not one signature holds.",
		Next: "svc-verify trust fingerprint TRUST: compare the keys with their holders; " +
			"give the trust file of the environment, or leave its evidence out"},
	{Code: ForeignJournal,
		Sentence: "A copy of {logs} in {stores} is signed by no key of this environment: it is of another one, or made up.",
		Arises: "No pinned key signed an event of the copy, its events follow one another, and other logs or the genuine " +
			"events of the log are here and verify.",
		Next: "svc-verify show --case FILE --log {log} --sequence {sequence}: the event, its copies and where they are; " +
			"leave the copy out, or ask where it came from"},
	{Code: LogRenamed,
		Sentence: "{logs} is another log under a changed name.",
		Arises:   "No event gives the hash that is written in it, and these hashes are those of another log.",
		Next:     "svc-verify events --case FILE --log {log}: the events; ask who maps or masks names on the way"},
	{Code: CopyOrder,
		Sentence: "Copied before what anchors it, so that the end may simply be younger than the copy: {logs}.",
		Arises:   "Every anchor above the last event was made after that event.",
		Next:     "svc-verify ingest --case FILE PATH: give a newer copy of the log, and walk again"},
	{Code: NotCollected,
		Sentence: "Not collected: {logs}.",
		Arises:   "Something names the log, and no source holds an event of it.",
		Next:     "svc-verify ingest --case FILE PATH: add the log, from the node itself if need be"},
	{Code: UnreadSource,
		Sentence: "Something in {stores} could not be read.",
		Arises:   "A span of a source could not be read, or holds events that no reader took out.",
		Next:     "svc-verify ingest --case FILE PATH: give an undamaged copy of the source as well"},
	{Code: LossyStore,
		Sentence: "The store does not keep everything, by design: {stores}.",
		Arises: "A store takes bodies apart or cuts them; or what it lacks follows one rule over the whole time " +
			"that spares nothing: every so many-th event, all of several types, or all that is old.",
		Next: "svc-verify gaps --case FILE --log {log}: what is missing where; take the log from another store"},
	{Code: RestoredBackup,
		Sentence: "A backup was restored, and {logs} went on from an older state.",
		Arises:   "Not given any more: what speaks for it is said below cause.two-histories.",
		Next:     histories},
	{Code: TwoHistories,
		Sentence: "Two histories of {logs} are signed under {keys}: a second holder of the key, a restored or second copy " +
			"of the log's owner, or its operator wrote one of them.",
		Arises: "Two histories are signed under the keys of one log's owner, or an anchor names another one than is here. " +
			"Signatures do not show who made them.",
		Next: histories},
	{Code: ForgedFarEvent,
		Sentence: "A forged event stands far above the end of {logs}, which does not go so far.",
		Arises:   "Nothing but the event itself shows that the log goes so far.",
		Next: "svc-verify show --case FILE --log {log} --sequence {sequence}: " +
			"the event, its copies and where they are"},
	{Code: AlteredStore,
		Sentence: "Someone who can write to {stores}, and has no key, altered what is there.",
		Arises: "Copies do not give their hash or their signature does not hold, " +
			"and other signatures of the same key do.",
		Next: "svc-verify crosscheck --case FILE --trust TRUST: what each store holds; " +
			"ask who can write to this one"},
	{Code: StolenNodeKey,
		Sentence: "A key of the node of {logs} signed beside the node's journal: {keys}.",
		Arises: "Bundles hold statements under the node's key that its journal, which is whole around their time, " +
			"does not have.",
		Next: "svc-verify events --case FILE --log {log}: what the journal holds; " +
			"revoke the key until the node's owner has explained it"},
	{Code: NodeKeyMisused,
		Sentence: "The holder of a key of the node of {logs} signed what contradicts other evidence: {keys}.",
		Arises:   "What the journal records contradicts the documents, other logs or the rules of a journal.",
		Next: "svc-verify events --case FILE --log {log}: what the journal holds; " +
			"ask the node's owner who can sign with its key"},
	{Code: EitherKeyMisused,
		Sentence: "A key of {keys} signed what is not so about {logs}, and nothing here shows which.",
		Arises:   "Signed records of two logs contradict each other, and the document that they record is not here.",
		Next:     "svc-verify ingest --case FILE PATH: add the bundle that has the document, and walk again"},
	{Code: AuditKeyMisused,
		Sentence: "The holder of the audit key signed what contradicts other evidence about {logs}: {keys}.",
		Arises:   "Statements under the audit key contradict each other, the journals or the rules of the log.",
		Next: "svc-verify crosscheck --case FILE --trust TRUST: every piece of evidence against the others; " +
			"ask the service"},
	{Code: EventsDeleted,
		Sentence: "Someone deleted {what} of {logs} from {stores}.",
		Arises: "Events are missing from one place, and what is around them is genuine. " +
			"If all are of one transaction or type, that is said first.",
		Next: "svc-verify gaps --case FILE --log {log}: every gap of the log, and what may explain it"},
}
