package cause

import "slices"

// Code names a kind of cause.
type Code string

// The codes.
const (
	TrustFileIncomplete Code = "cause.trust-file-incomplete"
	TrustFileWrong      Code = "cause.trust-file-wrong"
	OtherEnvironment    Code = "cause.other-environment"
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
)

// Entry is what a code fixes. In Sentence, {logs}, {keys} and {stores} stand for
// what the cause is about; so does {log} in Next, for the first log. Arises says
// by which facts the cause is named.
type Entry struct {
	Code     Code
	Sentence string
	Arises   string
	Next     string
}

// Lookup returns the entry of a code.
func Lookup(code Code) (Entry, bool) {
	i := slices.IndexFunc(registry, func(e Entry) bool { return e.Code == code })
	if i < 0 {
		return Entry{Code: code}, false
	}
	return registry[i], true
}

// Codes returns the whole registry.
func Codes() []Entry { return slices.Clone(registry) }

const (
	collectKey = "svc-verify trust explain TRUST: what is pinned; collect the key from its holder, never from the evidence, and walk again"
	others     = "svc-verify ingest --case FILE PATH: give other copies of the log too, and walk again"
)

// registry is in the order in which causes that explain equally much are told:
// what is harmless and quickly checked first.
var registry = []Entry{
	{TrustFileIncomplete, "The trust file is incomplete: {keys} is not pinned, and signed {logs}.",
		"Statements are signed under a key id that is not pinned, and the events under it give their hashes.", collectKey},
	{TrustFileWrong, "The trust file has a wrong key: the one under {keys} is not the one that signed {logs}.",
		"Not one signature under a pinned key id holds, and the events under it give their hashes.", collectKey},
	{OtherEnvironment, "The trust file is for another environment or tenant than this evidence: {logs}.",
		"Not one signature under any key id of the tenant holds; or a second history stands beside the genuine one from the first event on, which no pinned key signed.",
		"svc-verify trust fingerprint TRUST: compare the keys with their holders; give the trust file of the environment, or leave its evidence out"},
	{LogRenamed, "{logs} is another log under a changed name.",
		"No event gives the hash that is written in it, and these hashes are those of another log.",
		"svc-verify events --case FILE --log {log}: the events; ask who maps or masks names on the way"},
	{CopyOrder, "Copied before what anchors it, so that the end may simply be younger than the copy: {logs}.",
		"Every anchor above the last event was made after that event.",
		"svc-verify ingest --case FILE PATH: give a newer copy of the log, and walk again"},
	{NotCollected, "Not collected: {logs}.",
		"Something names the log, and no source holds an event of it.",
		"svc-verify ingest --case FILE PATH: add the log, from the node itself if need be"},
	{UnreadSource, "Something in {stores} could not be read.",
		"A span of a source could not be read, or holds events that no reader took out.",
		"svc-verify ingest --case FILE PATH: give an undamaged copy of the source as well"},
	{LossyStore, "The store does not keep everything, by design: {stores}.",
		"A store takes bodies apart or cuts them; or it lacks events in many places, and alters none.",
		"svc-verify gaps --case FILE --log {log}: what is missing where; take the log from another store"},
	{RestoredBackup, "A backup was restored, and {logs} went on from an older state.",
		"Two histories are signed by the log's owner, and the second begins after the first ended.",
		"svc-verify show --case FILE --log {log} --sequence {sequence}: both events; ask the owner when it was restored, and from which state"},
	{ForgedFarEvent, "A forged event stands far above the end of {logs}, which does not go so far.",
		"Nothing but the event itself shows that the log goes so far.",
		"svc-verify show --case FILE --log {log} --sequence {sequence}: the event, its copies and where they stand"},
	{AlteredStore, "Someone who can write to {stores}, and has no key, altered what is there.",
		"Copies do not give their hash or their signature does not hold, and other signatures of the same key do.",
		"svc-verify crosscheck --case FILE --trust TRUST: what each store holds; ask who can write to this one"},
	{StolenNodeKey, "Someone else has a key of the node of {logs} and signed with it: {keys}.",
		"Statements under the node's key contradict each other, its journal or its anchors.",
		"svc-verify events --case FILE --log {log}: what the journal holds; revoke the key until the node's owner has explained it"},
	{AuditKeyMisused, "The holder of the audit key signed what contradicts other evidence about {logs}: {keys}.",
		"Statements under the audit key contradict each other, the journals or the rules of the log.",
		"svc-verify crosscheck --case FILE --trust TRUST: every piece of evidence against the others; ask the service"},
	{EventsDeleted, "Someone deleted events of {logs} from {stores}.",
		"Events are missing from one place, and what is around them is genuine.",
		"svc-verify gaps --case FILE --log {log}: every gap of the log, and what may explain it"},
}
